"""The name of the best five-card poker hand among five or more cards. Knows no pay table and compares no two hands."""

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

_ORDER = RANKS + "A"
_RUNS = {frozenset(_ORDER[start : start + SIZE]) for start in range(len(_ORDER) - SIZE + 1)}
_TOP = frozenset("AKQJT")
_GROUPS = {
    (4, 1): "four-of-a-kind",
    (3, 2): "full-house",
    (3, 1, 1): "three-of-a-kind",
    (2, 2, 1): "two-pair",
    (2, 1, 1, 1): "pair",
}


def _name(cards: Sequence[str]) -> str:
    ranks = Counter(rank(card) for card in cards)
    groups = tuple(sorted(ranks.values(), reverse=True))
    if groups in _GROUPS:
        return _GROUPS[groups]
    suited = len({suit(card) for card in cards}) == 1
    run = frozenset(ranks) in _RUNS
    if run and suited:
        return "royal-flush" if frozenset(ranks) == _TOP else "straight-flush"
    return "straight" if run else "flush" if suited else "high-card"


def best_name(cards: Sequence[str]) -> str:
    """The name in `HANDS` of the best five of the cards.

    Raises ValueError for fewer than five cards, the same card twice, or a joker or unknown card.
    """
    known = all(rank(card) in RANKS and suit(card) in SUITS for card in cards)
    if len(cards) < SIZE or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"five or more different cards without a joker make a hand, not {list(cards)}")
    return max((_name(five) for five in combinations(cards, SIZE)), key=HANDS.index)
