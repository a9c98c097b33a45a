"""How a packet-dealt game deals, as its book says: `[[tables.deal]]`, one entry a step.

    to = ["hands", "dealer"]      positions in order; "hands" are the hands in play, from the dealer's left
    cards = "cards-per-hand"      the figure that says how many each of them gets in this step

Knows no ranking and judges nothing.
"""

from __future__ import annotations

from rules.book import Game
from rules.seats import is_seat

HANDS = "hands"

Slot = tuple[str, int]
"""A position and how many cards it gets in one step."""


class DealPlan:
    """Raises KeyError if the book has no such table, or names a figure that it does not state."""

    def __init__(self, game: Game):
        self._steps = [(tuple(step["to"]), int(game.figure(step["cards"]))) for step in game.tables["deal"]]
        self.sizes = frozenset(cards for _, cards in self._steps)
        """The packets there are, in cards."""
        self.fixed = tuple(dict.fromkeys(to for step, _ in self._steps for to in step if to != HANDS))
        """The positions that every round deals to: dealer, community."""

    def need(self, position: str) -> int:
        """The cards a position gets in a round; 0 if the game deals none there."""
        name = HANDS if is_seat(position) else position
        return sum(cards for to, cards in self._steps if name in to)

    def packets(self, hands: list[str]) -> list[Slot]:
        """The packets of a round in their order."""
        return [(place, cards) for to, cards in self._steps for place in self._places(to, hands)]

    def laps(self, hands: list[str]) -> list[str]:
        """Where each card of a round goes if they are dealt one at a time."""
        return [place for to, cards in self._steps for _ in range(cards) for place in self._places(to, hands)]

    @staticmethod
    def _places(to: tuple[str, ...], hands: list[str]) -> list[str]:
        return [place for name in to for place in (hands if name == HANDS else (name,))]
