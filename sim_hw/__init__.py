"""Simulated hardware: what real devices would put on the wires of a table. Never hands an observation to anybody."""
