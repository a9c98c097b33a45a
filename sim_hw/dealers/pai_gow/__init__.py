"""A simulated dealer of pai gow, and the players at the table."""

from pitwatch.sim_hw.dealers.pai_gow.dealer import PaiGow

__all__ = ["PaiGow"]
