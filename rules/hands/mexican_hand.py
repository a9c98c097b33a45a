"""Five-card hands of a deck without eights, nines and tens: a jack follows a seven, a flush beats a full house.

Ranking: california Mexican Poker, 001 lines 1947-1965. What a joker stands for depends on how it was dealt, which no
reader sees: a hand with one has no strength here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules.cards import SUITS, rank, suit

HANDS = (
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "full-house", "flush", "four-of-a-kind",
    "straight-flush", "royal-flush",
)  # fmt: skip
"""From lowest to highest."""

RANKS = "234567JQKA"
SIZE = 5

_PLACE = {name: place for place, name in enumerate(HANDS)}
_GROUPS = {
    (4, 1): "four-of-a-kind", (3, 2): "full-house", (3, 1, 1): "three-of-a-kind", (2, 2, 1): "two-pair",
    (2, 1, 1, 1): "pair",
}  # fmt: skip
_WHEEL = [9, 3, 2, 1, 0]


def strength(cards: Sequence[str]) -> tuple[int, ...]:
    """Compares as the hands do. Raises ValueError for other than five different cards of this deck, or its joker."""
    known = all(rank(card) in RANKS and suit(card) in SUITS for card in cards)
    if len(cards) != SIZE or len(set(cards)) < SIZE or not known:
        raise ValueError(f"five different cards of the stripped deck without a joker make a hand, not {list(cards)}")
    ranks = Counter(RANKS.index(rank(card)) for card in cards)
    order = sorted(ranks.items(), key=lambda each: (each[1], each[0]), reverse=True)
    heights = [height for height, _ in order]
    name = _GROUPS.get(tuple(times for _, times in order))
    if name is not None:
        return (_PLACE[name], *heights)
    suited = len({suit(card) for card in cards}) == 1
    top = 3 if heights == _WHEEL else heights[0] if heights[0] - heights[4] == SIZE - 1 else None
    if top is None:
        return (_PLACE["flush" if suited else "high-card"], *heights)
    if suited:
        return _PLACE["royal-flush" if top == RANKS.index("A") else "straight-flush"], top
    return _PLACE["straight"], top
