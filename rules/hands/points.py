"""Counting as in baccarat: the values of the cards added, of which only the last digit counts.

Knows no game: what a rank is worth stands in the book.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.play.cards import rank

Card = str | None
Hand = Sequence[Card]


class Points:
    """`values`: rank to what a card of it counts."""

    def __init__(self, values: dict[str, int]):
        self._values = values

    def value(self, card: Card) -> int | None:
        """What a card counts; None if it was not read or is none of the game's."""
        return self._values.get(rank(card)) if card is not None and len(card) == 2 else None

    def count(self, hand: Hand) -> int | None:
        """The point count, 0 to 9; None if a card of the hand was not read or there is none."""
        total = 0
        for card in hand:
            value = self.value(card)
            if value is None:
                return None
            total += value
        return total % 10 if hand else None
