"""Five-card poker hands: which hand five cards make, which of two is higher, and the best five of more cards.

Knows no pay table and no joker. Ranking: toledo-2020, lines 2290-2308 without the joker's; every book's high hands rank
alike but for where a game says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from rules.cards import RANKS, SUITS, rank, suit

HANDS = (
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
    "straight-flush", "royal-flush",
)  # fmt: skip
"""From lowest to highest."""

SIZE = 5

HEIGHT = {each: height for height, each in enumerate(RANKS[1:] + "A", start=2)}
"""Height of a rank, ace high."""

WHEEL = (14, 5, 4, 3, 2)
"""Ace to five: the lowest straight, whose height is the five's."""

Strength = tuple[int, ...]
"""Compares as the hands do: place in `HANDS`, then the heights that decide."""

_PLACE = {name: place for place, name in enumerate(HANDS)}
_GROUPS = {
    (4, 1): _PLACE["four-of-a-kind"],
    (3, 2): _PLACE["full-house"],
    (3, 1, 1): _PLACE["three-of-a-kind"],
    (2, 2, 1): _PLACE["two-pair"],
    (2, 1, 1, 1): _PLACE["pair"],
}


def _strength(cards: Sequence[str]) -> Strength:
    ranks = Counter(HEIGHT[rank(card)] for card in cards)
    order = sorted(ranks.items(), key=lambda each: (each[1], each[0]), reverse=True)
    heights = tuple(height for height, _ in order)
    place = _GROUPS.get(tuple(times for _, times in order))
    if place is not None:
        return place, *heights
    suited = len({suit(card) for card in cards}) == 1
    top = 5 if heights == WHEEL else heights[0] if heights[0] - heights[4] == SIZE - 1 else None
    if top is None:
        return _PLACE["flush" if suited else "high-card"], *heights
    if suited:
        return _PLACE["royal-flush" if top == HEIGHT["A"] else "straight-flush"], top
    return _PLACE["straight"], top


def _check(cards: Sequence[str]) -> None:
    known = all(rank(card) in HEIGHT and suit(card) in SUITS for card in cards)
    if len(cards) < SIZE or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"five or more different cards without a joker make a hand, not {list(cards)}")


def strength(cards: Sequence[str]) -> Strength:
    """The strength of the best five of the cards.

    Raises ValueError for fewer than five cards, the same card twice, or a joker or unknown card.
    """
    _check(cards)
    return max(_strength(five) for five in combinations(cards, SIZE))


def best_name(cards: Sequence[str]) -> str:
    """The name in `HANDS` of the best five of the cards. Raises ValueError as `strength` does."""
    return HANDS[strength(cards)[0]]
