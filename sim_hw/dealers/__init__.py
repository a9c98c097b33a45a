"""Dealers who play the games properly at a simulated table, and who break one rule where a plan says so.

A module or folder for each family; `dealer` and `card_dealer` are the base classes, `cards` a dealer's stack.
May import: `patrons`, `devices`, `scene`, `table`. No family imports another.
"""
