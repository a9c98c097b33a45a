"""What of a round of blackjack is certain: whether all of it was watched, and whether each card's place is known.

Knows no card.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk


class Sight:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._readers = {
            device.id
            for need in ("shoe.card_drawn", "card_position.card_placed")
            for device in desk.table.provides(need)
        }
        self.clear()

    def clear(self) -> None:
        """A round opens before the readers that can be heard now."""
        self._sources = self._readers - self._desk.availability.clouded
        self.lost = False
        """A card went nobody knows where."""
        self.misdealt = False
        """A misdeal was called: what is dealt again is not judged as this round's."""

    def reads(self, device: str) -> bool:
        """Whether this is a card reader."""
        return device in self._readers

    @property
    def watched(self) -> bool:
        """Whether the round was seen from its beginning and every card reader heard throughout."""
        round_ = self._desk.round
        if round_ is None or round_.partial or self.misdealt:
            return False
        return bool(self._sources) and not self._sources & self._desk.availability.clouded

    @property
    def sure(self) -> bool:
        """Whether the place of every card of the round is known as well."""
        return self.watched and not self.lost
