"""Wagers of pai gow that are touched after the first packet. Knows no card.

What a sensor shows counts only once another card follows: when the deal is over, wagers are settled.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk

RULE = "wager-touched-after-first-card"


class TouchedWagers:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._pending: list[tuple[str, str, int]] = []

    def seen(self, seat: str, what: str) -> None:
        """A wager was laid or taken away after the first card."""
        self._pending.append((seat, what, self._desk.seq))

    def deal_goes_on(self) -> None:
        pending, self._pending = self._pending, []
        for seat, what, seq in pending:
            observed = {"seat": seat, "wager": what, "while": "the cards are dealt"}
            required = {"wager": "as it lay before the first card"}
            self._desk.breach(RULE, observed, required, [seq], once=seat)
