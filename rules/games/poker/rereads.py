"""What a reader under the felt shows although nothing is dealt: a card that it lost for a moment, or reads again.

One deck holds each card once, so a face that lies somewhere is no new card there. Knows no game.
"""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.rules.games.poker.hand import Card
from pitwatch.rules.play.card_game import LOST_NS


class Lift(NamedTuple):
    t: int
    position: str
    card: Card


class Rereads:
    """One round's. `pending`: a lift that may yet prove to be none."""

    def __init__(self) -> None:
        self.pending: Lift | None = None
        self._lies: dict[str, tuple[str, int]] = {}
        """Face to where it was laid last, and when (ns)."""

    def lifted(self, t: int, position: str, card: Card) -> None:
        self.pending = Lift(t, position, card)

    def lost(self, t: int, position: str, card: Card) -> bool:
        """Whether the card that is laid is the one whose lift is pending: it was only not read for a moment."""
        lift = self.pending
        if lift is None or lift.position != position or t - lift.t > LOST_NS:
            return False
        return lift.card == card or None in (lift.card, card)

    def again(self, position: str, card: Card) -> bool:
        """Whether the card lies there already, as far as faces were read when cards were lifted."""
        return card is not None and card in self._lies and self._lies[card][0] == position

    def just_laid(self, t: int, card: Card) -> bool:
        """Whether the card was laid so shortly before that by hand no other could be."""
        return card is not None and card in self._lies and t - self._lies[card][1] <= LOST_NS

    def laid(self, t: int, position: str, card: Card) -> None:
        if card is not None:
            self._lies[card] = position, t

    def taken(self) -> Lift | None:
        """The pending lift was one: it is pending no longer."""
        lift, self.pending = self.pending, None
        if lift is not None and lift.card is not None:
            self._lies.pop(lift.card, None)
        return lift

    def mixed(self) -> None:
        """Cards that were out are shuffled in again."""
        self._lies.clear()
