"""Free hands: rounds dealt with no wager on the table, of which a shoe may hold only so many.

Figure of the book: `free-hands-per-shoe`. Only seat sensors tell; the banking seat's own chips are no wager.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.desk import Desk


class FreeHands:
    def __init__(self, desk: Desk):
        self._desk = desk
        figure = desk.game.figures.get("free-hands-per-shoe")
        self._at_most: int | None = figure.value if figure is not None else None
        self._shoes = {device.id for device in desk.table.provides("shoe.shoe_started")}
        self._free: dict[int, int] = {}
        """Round to the journal sequence of its first card; a round that is withdrawn gives its number to the next."""
        self.bank: str | None = None
        """The seat that holds the bank, as far as anybody says."""

    def shoe_started(self) -> None:
        self._free = {}

    def unwatched(self, device: str) -> None:
        """A fresh shoe may have started unheard."""
        if device in self._shoes:
            self._free = {}

    def dealt(self, hands: Sequence[str] | None) -> None:
        """The first card of a round lies; `hands`: the seats with a wager, None if nobody says."""
        round_ = self._desk.round
        if self._at_most is None or round_ is None or hands is None:
            return
        self._free.pop(round_.number, None)
        if any(seat != self.bank for seat in hands):
            return
        self._free[round_.number] = self._desk.seq
        if len(self._free) > self._at_most:
            self._desk.breach(
                "free-hands-over-limit",
                {"free_hands": len(self._free)},
                {"free_hands_at_most": self._at_most},
                self._free.values(),
            )
