"""How fast tables are dealt: the house's figures, who deals, and what the archive's records add up to."""
