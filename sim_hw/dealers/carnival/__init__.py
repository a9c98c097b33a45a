"""A simulated dealer of poker against the dealer or a pay table, and the patrons at the table."""

from pitwatch.sim_hw.dealers.carnival.dealer import Carnival

__all__ = ["Carnival"]
