"""The order of delivery in pai gow: the first packet where dice or number say, the others round the table from there.

What the book says of it is `start_position`'s. Knows no number of cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.pai_gow.start_position import StartPosition

RULE = "packet-order"


class Delivery:
    """One round's. `evidence`: the journal sequences of what was dealt to a position."""

    def __init__(self, desk: Desk, start: StartPosition, evidence: Callable[[str], list[int]]):
        self._desk = desk
        self._start = start
        self._evidence = evidence
        self._first: str | None = None
        self._latest = ""

    @property
    def begun(self) -> bool:
        return self._first is not None

    def arrived(self, position: str, bank: str | None, hands: list[str] | None) -> None:
        """A packet lies at a position that had none."""
        if self._first is None:
            self._first = self._latest = position
            expected = self._start.expected(bank, hands)
            if expected and position not in expected:
                self._breach({"first": position, "number": self._start.number}, {"first": expected})
        elif self._start.passed(self._first, self._latest, position):
            self._breach({"position": position, "after": self._latest}, {"order": self._start.delivers})
        else:
            self._latest = position

    def _breach(self, observed: dict[str, Any], required: dict[str, Any]) -> None:
        self._desk.breach(RULE, observed, required, self._evidence(self._latest))
