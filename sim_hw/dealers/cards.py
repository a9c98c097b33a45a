"""A shuffled stack of cards with a cut card in it."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from pitwatch.rules.play.cards import DECK, JOKER

CUT_CARD_FROM_BACK = 15
"""Baccarat: about so many cards from the back (toledo-2020, line 3972)."""


class Stack:
    """Cards face down; `draw` takes the first. The cut card lies before the card at `cut` (None: no cut card)."""

    def __init__(self, rng: Random, decks: int, from_back: int | None, left_out: str = "", jokers: int = 0):
        """`left_out`: ranks that the decks do not hold; `jokers` a deck."""
        self._cards = [card for card in DECK if card[0] not in left_out for _ in range(decks)] + [
            JOKER
        ] * jokers * decks
        rng.shuffle(self._cards)
        self._rng = rng
        self._drawn = 0
        self._cut = None if from_back is None else len(self._cards) - from_back

    @property
    def left(self) -> int:
        return len(self._cards) - self._drawn

    @property
    def before_cut(self) -> int:
        """Cards that come out before the cut card; 0 if it is out."""
        return 0 if self._cut is None else self._cut - self._drawn

    def peek(self, ahead: int) -> str:
        """The card `ahead` cards on."""
        return self._cards[self._drawn + ahead]

    def slip_in(self, card: str, ahead: int) -> None:
        """A card that does not belong there lies instead of the one `ahead` cards on."""
        self._cards[self._drawn + ahead] = card

    def draw(self) -> str:
        self._drawn += 1
        return self._cards[self._drawn - 1]

    def cut_card_next(self) -> bool:
        """Whether the cut card comes out now, before the next card; it comes out once."""
        if self._cut is None or self._drawn < self._cut:
            return False
        self._cut = None
        return True

    def move_cut_card(self, ahead: int) -> None:
        """The cut card was placed so that it comes out after `ahead` more cards."""
        self._cut = self._drawn + ahead

    def want(self, ahead: int, wish: str) -> None:
        """Make the card `ahead` cards on one of rank `wish` ("8", "T" for any that counts ten), or the card `wish`
        ("8H"), from further on. Raises ValueError if none is left."""
        cards, at = self._cards, self._drawn + ahead
        wishes = tuple("TJQK") if wish == "T" else wish
        fits = (i for i in range(at, len(cards)) if cards[i].startswith(wishes) and cards[i] != JOKER)
        other = next(fits, None) if wish != JOKER else cards.index(JOKER, at)
        if other is None:
            raise ValueError(f"no {wish} is left among {len(cards) - at} cards")
        cards[at], cards[other] = cards[other], cards[at]

    def gather(self, within: int, besides: Collection[str] = (), extra: bool = False) -> str:
        """Bring all copies of some card, not one of `besides`, within the next so many cards; `extra`: and one copy
        more than there are. Returns the card."""
        cards, first, rng = self._cards, self._drawn, self._rng
        ahead = list(range(first, first + within))
        card = rng.choice([cards[at] for at in ahead if cards[at] not in besides])
        for at in [at for at in range(first + within, len(cards)) if cards[at] == card]:
            slot = rng.choice([slot for slot in ahead if cards[slot] != card])
            cards[at], cards[slot] = cards[slot], cards[at]
        if extra:
            cards[rng.choice([slot for slot in ahead if cards[slot] != card])] = card
        return card

    def count(self, card: str) -> int:
        """Copies still to come."""
        return self._cards[self._drawn :].count(card)

    def holds(self, card: str) -> bool:
        """Whether a copy is still to come."""
        return card in self._cards[self._drawn :]
