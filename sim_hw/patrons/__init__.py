"""Simulated patrons: they come and go, lay wagers, and pass the bank round the table.

May import: `devices`, `scene`, `table`. Must not know who deals.
"""
