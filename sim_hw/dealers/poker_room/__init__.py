"""A simulated dealer of poker among patrons, and those patrons."""

from pitwatch.sim_hw.dealers.poker_room.dealer import PokerRoom

__all__ = ["PokerRoom"]
