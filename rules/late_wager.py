"""Wagers laid or taken back while a round is dealt, after "no more bets". Knows no game; whoever deals tells it.

What a sensor shows counts only once another card of the deal follows: when the deal is over, patrons fold, and lay what
they mean for the next round.
"""

from __future__ import annotations

from typing import Any

from rules.desk import Desk

RULE = "late-bet-change"


class LateWagers:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._pending: list[tuple[str, str, int]] = []
        self.seats: set[str] = set()
        """Seats where a wager was laid or taken back too late: whether they are dealt to is not judged."""

    def seen(self, seat: str, what: str) -> None:
        """A wager was laid or taken back at a seat after the first card of a round that was called."""
        self._pending.append((seat, what, self._desk.seq))

    def deal_goes_on(self, called: int | None) -> None:
        """Another card of the deal was seen."""
        for seat, what, seq in self._pending:
            self.seats.add(seat)
            evidence = [seq] if called is None else [called, seq]
            observed: dict[str, Any] = {"seat": seat, "wager": what, "while": "the cards are dealt"}
            self._desk.breach(RULE, observed, {"wagers": "unchanged after no more bets"}, evidence, once=seat)
        self._pending = []
