"""Where the first packet goes and in which order the others follow: dice or a drawn number counted round the table.

Data of the book:

    [tables.start]
    ring = "dealer"                  the dealer has a place among the positions; "seats": the seats alone
    counts = "counterclockwise"      the way the number is counted, the bank (else the dealer) being one
    delivers = "clockwise"           the way the packets go round

Clockwise is the way from the dealer's left to the right, in which seats are numbered. Options: `first-packet` (where it
is "dealers-left" no number decides), `seat-count` (where "unsettled" both ways of counting are right). Judges nothing.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.play.seats import DEALER, seat_order

CLOCKWISE = "clockwise"
COUNTERCLOCKWISE = "counterclockwise"
LAST = 10
"""Place of the dealer in the order of the table, after seat-9."""


def place(position: str) -> int:
    """Place round the table from the dealer's left; the dealer comes last, and so first again."""
    return LAST if position == DEALER else seat_order(position)[0]


class StartPosition:
    """`number`: the dice's total or the number drawn for the next packet; None if none was seen."""

    def __init__(self, desk: Desk, positions: int):
        self._desk = desk
        table = desk.game.tables["start"]
        self.with_dealer = table["ring"] == DEALER
        self._counts: str = table["counts"]
        self.delivers: str = table["delivers"]
        seats = [f"seat-{n}" for n in range(1, positions + (not self.with_dealer))]
        self.ring = [DEALER, *seats] if self.with_dealer else seats
        """The positions in clockwise order."""
        self.number: int | None = None

    def expected(self, bank: str | None, hands: list[str] | None) -> list[str]:
        """The positions at which the delivery may begin, the number and the holder of the bank being known; else []."""
        if self._desk.option("first-packet") == "dealers-left":
            return ["seat-1", *(hands or ())[:1]]
        if bank is None and self._desk.option("player-bank") and not self._desk.has("seats.bank_moved"):
            return []
        one = bank if bank is not None else DEALER
        if self.number is None or self.number < 1 or one not in self.ring:
            return []
        size, at, steps = len(self.ring), self.ring.index(one), self.number - 1
        ways = {CLOCKWISE: self.ring[(at + steps) % size], COUNTERCLOCKWISE: self.ring[(at - steps) % size]}
        option = self._desk.option("seat-count")
        if option == "unsettled":
            return list(dict.fromkeys(ways.values()))
        return [ways[option or self._counts]]

    def route(self, bank: str | None, hands: list[str] | None) -> list[str]:
        """The positions in the order of delivery, where that is certain before any packet was seen to lie; else []."""
        expected = list(dict.fromkeys(self.expected(bank, hands)))
        if self.number is None and self.with_dealer:
            expected = expected[:1] or self.ring[1:2]
        if len(expected) != 1:
            return []
        at, step = self.ring.index(expected[0]), 1 if self.delivers == CLOCKWISE else -1
        return [self.ring[(at + step * n) % len(self.ring)] for n in range(len(self.ring))]

    def passed(self, first: str, latest: str, position: str) -> bool:
        """Whether a delivery that began at `first` and reached `latest` had already passed `position`."""
        return self._distance(first, position) < self._distance(first, latest)

    def _distance(self, first: str, position: str) -> int:
        steps = place(position) - place(first)
        return (steps if self.delivers == CLOCKWISE else -steps) % (LAST + 1)
