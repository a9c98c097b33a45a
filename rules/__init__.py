"""Games and their rules, sans I/O: observations in, rounds and irregularities out. Reads no clock, port or network."""
