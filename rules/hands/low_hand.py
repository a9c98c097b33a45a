"""Low poker hands: ace to five, deuce to seven, badugi. A greater strength is the better, that is the lower, hand.

Knows no pot and no joker. Rankings: ace to five 003 lines 697-698 and 001 lines 5742-5746; deuce to seven 001 lines
6922-6938; badugi 001 lines 3270-3277.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from pitwatch.rules.hands.five_card import HANDS, SIZE
from pitwatch.rules.hands.five_card import strength as high_strength
from pitwatch.rules.hands.poker_ranking import Strength
from pitwatch.rules.play.cards import RANKS, SUITS, rank, suit

EIGHT = 8
BADUGI_SIZE = 4

_LOW = {each: height for height, each in enumerate(RANKS, start=1)}
"""Height of a rank, ace low."""

_PLACE = {name: place for place, name in enumerate(HANDS)}
_GROUPS = {
    (1, 1, 1, 1, 1): "high-card", (2, 1, 1, 1): "pair", (2, 2, 1): "two-pair", (3, 1, 1): "three-of-a-kind",
    (3, 2): "full-house", (4, 1): "four-of-a-kind",
}  # fmt: skip


def _check(cards: Sequence[str], size: int) -> None:
    known = all(rank(card) in _LOW and suit(card) in SUITS for card in cards)
    if len(cards) < size or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"{size} or more different cards without a joker make a hand, not {list(cards)}")


def _ace_to_five(cards: Sequence[str], runs_count: bool) -> Strength:
    ranks = Counter(_LOW[rank(card)] for card in cards)
    order = sorted(ranks.items(), key=lambda each: (each[1], each[0]), reverse=True)
    heights = [height for height, _ in order]
    name = _GROUPS[tuple(times for _, times in order)]
    if runs_count and name == "high-card" and heights != [5, 4, 3, 2, 1]:
        run = heights[0] - heights[4] == SIZE - 1
        suited = len({suit(card) for card in cards}) == 1
        name = "straight-flush" if run and suited else "flush" if suited else "straight" if run else name
    return (-_PLACE[name], *(-height for height in heights))


def ace_to_five(cards: Sequence[str], runs_count: bool = False) -> Strength:
    """The strength of the lowest five of the cards, ace low. `runs_count`: straights and flushes count against it,
    except ace to five, which stays the best. Raises ValueError as `rules.hands.five_card.strength` does."""
    _check(cards, SIZE)
    return max(_ace_to_five(five, runs_count) for five in combinations(cards, SIZE))


def deuce_to_seven(cards: Sequence[str]) -> Strength:
    """The strength of five cards where the high ranking is reversed and the ace is high only. Raises ValueError."""
    if len(cards) != SIZE:
        raise ValueError(f"five cards make a hand, not {list(cards)}")
    high = high_strength(cards)
    if high[1:] == (5,) and high[0] in (_PLACE["straight"], _PLACE["straight-flush"]):
        suited = high[0] == _PLACE["straight-flush"]
        high = (_PLACE["flush" if suited else "high-card"], 14, 5, 4, 3, 2)
    return tuple(-each for each in high)


def badugi(cards: Sequence[str]) -> Strength:
    """The strength of four cards: how many differ in rank and suit, then how low those are. Raises ValueError."""
    _check(cards, BADUGI_SIZE)
    for size in range(BADUGI_SIZE, 0, -1):
        good = [
            tuple(-_LOW[rank(card)] for card in sorted(some, key=lambda card: -_LOW[rank(card)]))
            for some in combinations(cards, size)
            if len({rank(card) for card in some}) == len({suit(card) for card in some}) == size
        ]
        if good:
            return (size, *max(good))
    raise AssertionError("one card always differs from itself")


def is_eight_or_better(strength: Strength) -> bool:
    """Whether an ace-to-five strength is five different ranks of eight or lower."""
    return strength[0] == -_PLACE["high-card"] and strength[1] >= -EIGHT


def spelt(strength: Strength) -> str:
    """An ace-to-five strength for people: "8-6-4-2-A", or what spoils it: "pair"."""
    if strength[0] != -_PLACE["high-card"]:
        return HANDS[-strength[0]]
    return "-".join(RANKS[-height - 1] for height in strength[1:])


def spelt_deuce_to_seven(strength: Strength) -> str:
    """A deuce-to-seven strength for people: "7-5-4-3-2", or what spoils it: "straight"."""
    if strength[0] != -_PLACE["high-card"]:
        return HANDS[-strength[0]]
    return "-".join((RANKS[1:] + "A")[-height - 2] for height in strength[1:])


def spelt_badugi(strength: Strength) -> str:
    """A badugi strength for people: "badugi 7-5-4-A", "three cards 5-3-2"."""
    name = ("one card", "two cards", "three cards", "badugi")[strength[0] - 1]
    return f"{name} " + "-".join(RANKS[-height - 1] for height in strength[1:])
