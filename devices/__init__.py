"""Devices, sans I/O: edges and bytes in, observations out. Knows no port, no clock, no rule of any game."""
