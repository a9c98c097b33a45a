"""Whether a table is still the one that it was: what it says now against what it has published before. No I/O."""
