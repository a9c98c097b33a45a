"""Compares what a table publishes with what it published before, to detect troubles. No I/O."""
