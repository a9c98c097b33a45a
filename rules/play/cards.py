"""Playing cards as strings: rank `A23456789TJQK` and suit `CDHS` ("TD"), joker "JK", `None` unreadable.

Knows no game: what a rank is worth in a game stands in the book.
"""

from __future__ import annotations

from collections.abc import Sequence

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKER = "JK"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck, without jokers."""

_VALID = frozenset((*DECK, JOKER))


def is_card(card: object) -> bool:
    """Whether this is a readable card, a joker included."""
    return isinstance(card, str) and card in _VALID


def rank(card: str) -> str:
    """ "T" of "TD"; "JK" of a joker."""
    return card if card == JOKER else card[0]


def suit(card: str) -> str:
    """ "D" of "TD"; "" of a joker."""
    return "" if card == JOKER else card[1]


def all_read(cards: Sequence[str | None]) -> list[str] | None:
    """The cards if every one of them was read, else None."""
    read = [card for card in cards if card is not None and is_card(card)]
    return read if len(read) == len(cards) else None
