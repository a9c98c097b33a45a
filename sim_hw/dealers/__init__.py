"""Dealers who play the games properly at a simulated table, and who break one rule where a plan says so."""
