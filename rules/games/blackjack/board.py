"""The second half of a game of two: the dealer's blackjack hand becomes the board, is filled up to five cards, and the
dealer gets two more. Document california, 2 Way Winner, lines 6545-6551.

Table of the book: `board` {cards, hole}. Must not know who plays which half, nor what a hand is worth.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.layout import Cards
from pitwatch.rules.play.seats import DEALER

COMMUNITY = "community"


class Board:
    def __init__(self, desk: Desk):
        table: dict[str, int] | None = desk.game.tables.get("board")
        self.offered = table is not None
        self._cards = table["cards"] if table is not None else 0
        self._hole = table["hole"] if table is not None else 0
        self.clear()

    def clear(self) -> None:
        self.blackjack: int | None = None
        """How many of the dealer's cards were of the first half; None while it goes on."""
        self._dealt = 0
        self._judged = False

    def dealer(self, cards: Cards) -> list[str | None]:
        """The dealer's hand of the first half."""
        return cards.get(DEALER, [])[: self.blackjack]

    def begins(self, position: str, cards: Cards, stands: bool | None) -> bool:
        """Whether a new card opens the second half: one to the board, or to a dealer whose hand is complete and fills
        the board by itself."""
        if not self.offered or self.blackjack is not None:
            return False
        have = len(cards.get(DEALER, []))
        return position == COMMUNITY or (position == DEALER and have > self._cards and stands is True)

    def begin(self, dealers: int) -> None:
        """The first half is over; the dealer had so many cards."""
        self.blackjack = dealers

    def dealt(self, position: str, cards: Cards) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """A card of the second half; what is wrong with the board, once the dealer's own cards begin."""
        if position == COMMUNITY:
            self._dealt += 1
        if position != DEALER or self._judged or self.blackjack is None:
            return None
        self._judged = True
        have = min(self.blackjack, self._cards) + self._dealt
        return None if have == self._cards else ({"community": have}, {"community": self._cards})

    def complete(self, cards: Cards) -> bool:
        return self.blackjack is not None and len(cards.get(DEALER, [])) - self.blackjack >= self._hole
