"""A simulated dealer of blackjack and its relatives, and the patrons at the table."""

from pitwatch.sim_hw.dealers.blackjack.dealer import Blackjack

__all__ = ["Blackjack"]
