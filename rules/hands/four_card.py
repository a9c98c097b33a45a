"""Four-card poker hands: the best four of four or more cards. Knows no pay table.

Ranking: toledo-2020, Section Ten, lines 1932-1948; every book's four-card games rank alike. A fifth
card decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from rules.cards import SUITS, rank, suit
from rules.hands.five_card import HEIGHT, Strength

HANDS = (
    "high-card", "pair", "two-pair", "straight", "flush", "three-of-a-kind", "straight-flush", "four-of-a-kind",
)  # fmt: skip
"""From lowest to highest."""

SIZE = 4

WHEEL = (14, 4, 3, 2)
"""Ace to four: the lowest straight, whose height is the four's."""

_PLACE = {name: place for place, name in enumerate(HANDS)}
_GROUPS = {
    (4,): _PLACE["four-of-a-kind"],
    (3, 1): _PLACE["three-of-a-kind"],
    (2, 2): _PLACE["two-pair"],
    (2, 1, 1): _PLACE["pair"],
}


def _strength(cards: Sequence[str]) -> Strength:
    ranks = Counter(HEIGHT[rank(card)] for card in cards)
    order = sorted(ranks.items(), key=lambda each: (each[1], each[0]), reverse=True)
    heights = tuple(height for height, _ in order)
    place = _GROUPS.get(tuple(times for _, times in order))
    if place is not None:
        return place, *heights
    suited = len({suit(card) for card in cards}) == 1
    top = 4 if heights == WHEEL else heights[0] if heights[0] - heights[3] == SIZE - 1 else None
    if top is None:
        return _PLACE["flush" if suited else "high-card"], *heights
    return _PLACE["straight-flush" if suited else "straight"], top


def strength(cards: Sequence[str]) -> Strength:
    """The strength of the best four of the cards: place in `HANDS`, then the heights that decide.

    Raises ValueError for fewer than four cards, the same card twice, or a joker or unknown card.
    """
    known = all(rank(card) in HEIGHT and suit(card) in SUITS for card in cards)
    if len(cards) < SIZE or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"four or more different cards without a joker make a hand, not {list(cards)}")
    return max(_strength(four) for four in combinations(cards, SIZE))
