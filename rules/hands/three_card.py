"""Three-card poker hands: which hand three cards make, and which of two is higher. Knows no pay table.

Ranking: toledo-2020, Section Nine, lines 1771-1785; every book's three-card games rank alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.cards import RANKS, SUITS, rank, suit

HANDS = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
"""From lowest to highest."""

SIZE = 3

HEIGHT = {each: height for height, each in enumerate(RANKS[1:] + "A", start=2)}
"""Height of a rank, ace high; `LOW_ACE` in ace-two-three."""

LOW_ACE = 1

Strength = tuple[int, ...]
"""Compares as the hands do: place in `HANDS`, then the heights that decide."""


def strength(cards: Sequence[str]) -> Strength:
    """The strength of three cards. Raises ValueError for another number of cards, or a joker or unknown card."""
    if len(cards) != SIZE or any(rank(c) not in HEIGHT or suit(c) not in SUITS for c in cards):
        raise ValueError(f"three cards without a joker make a hand, not {list(cards)}")
    heights = sorted((HEIGHT[rank(card)] for card in cards), reverse=True)
    high, middle, low = heights
    suited = len({suit(card) for card in cards}) == 1
    if high == middle == low:
        return HANDS.index("three-of-a-kind"), high
    if middle in (high, low):
        return HANDS.index("pair"), middle, low if high == middle else high
    if heights == [HEIGHT["A"], HEIGHT["3"], HEIGHT["2"]]:
        heights = [HEIGHT["3"], HEIGHT["2"], LOW_ACE]
    run = heights[0] - heights[2] == SIZE - 1
    name = "straight-flush" if run and suited else "straight" if run else "flush" if suited else "high-card"
    return HANDS.index(name), *heights


def hand_name(cards: Sequence[str]) -> str:
    """The name in `HANDS` of what three cards make. Raises ValueError as `strength` does."""
    return HANDS[strength(cards)[0]]
