"""No round is dealt from a deck that was not shuffled since it was last used, where the book asks that of the shuffler.

Knows packets and shuffles; whoever follows the rounds tells it which packet is a round's first.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk

RULE = "deal-before-shuffle-complete"


class FreshDeck:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._fresh: bool | None = None
        """Whether a shuffle was completed since the last packet; None if that is not known."""
        self._last: int = 0

    def shuffled(self) -> None:
        """By the machine, or as the crew says by hand."""
        self._fresh = True

    def doubt(self) -> None:
        """The machine failed or was away: cards may have been shuffled unseen."""
        self._fresh = None

    def packet(self, first: bool) -> None:
        """A packet was dispensed; `first`: of its round."""
        if first and self._fresh is False:
            self._desk.breach(RULE, {"shuffles": 0}, {"shuffles": 1}, [self._last])
        self._fresh = False
        self._last = self._desk.seq
