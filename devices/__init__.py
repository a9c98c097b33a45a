"""Devices, sans I/O: edges and bytes in, observations out. Independent of ports, clocks and game rules."""
