"""Wagers laid or taken back after "no more bets", until the round is dealt. Knows no game; the procedure calls it.

What a sensor shows counts only once another card of the deal follows: when the deal is over, patrons fold, and lay what
they mean for the next round. One that is taken up and laid again may be another: that is reported too.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.desk import Desk

RULE = "late-bet-change"


class LateWagers:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._pending: list[tuple[str, str, bool, int]] = []
        """Seat, what was done, whether a card had been dealt, journal sequence."""
        self.seats: set[str] = set()
        """Seats where a wager was laid or taken back too late: whether they are dealt to is not judged."""

    def seen(self, seat: str, what: str, dealing: bool = True) -> None:
        """A wager was laid or taken back at a seat in a round that was called; `dealing`: after its first card."""
        self._pending.append((seat, what, dealing, self._desk.seq))

    def deal_goes_on(self, called: int | None) -> None:
        """Another card of the deal was seen."""
        for seat, what, dealing, seq in self._pending:
            self.seats.add(seat)
            evidence = [seq] if called is None else [called, seq]
            when = "the cards are dealt" if dealing else "no card was dealt yet"
            observed: dict[str, Any] = {"seat": seat, "wager": what, "while": when}
            self._desk.breach(RULE, observed, {"wagers": "unchanged after no more bets"}, evidence, once=seat)
        self._pending = []
