"""Five- and seven-card hands come as often as published, by exact enumeration through the project's own evaluator.

Hands that differ only in suits which make no flush are counted together: 6,175 and 49,205 sets of ranks stand for
2,598,960 and 133,784,560 hands. Published: Wizard of Odds, "Poker Probabilities", five and seven cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest

from pitwatch.rules.hands.five_card import HANDS, SIZE, strength
from pitwatch.rules.play.cards import RANKS, SUITS

FIVE = {
    "royal-flush": 4, "straight-flush": 36, "four-of-a-kind": 624, "full-house": 3_744, "flush": 5_108,
    "straight": 10_200, "three-of-a-kind": 54_912, "two-pair": 123_552, "pair": 1_098_240, "high-card": 1_302_540,
}  # fmt: skip
SEVEN = {
    "royal-flush": 4_324, "straight-flush": 37_260, "four-of-a-kind": 224_848, "full-house": 3_473_184,
    "flush": 4_047_644, "straight": 6_180_020, "three-of-a-kind": 6_461_620, "two-pair": 31_433_400,
    "pair": 58_627_800, "high-card": 23_294_460,
}  # fmt: skip


def _name(cards: list[str]) -> str:
    return HANDS[strength(cards)[0]]


def _flushes(times: Counter[str]) -> int:
    """Ways to give suits to these ranks so that one suit has five cards or more."""
    ways = [1]
    for many in times.values():
        without, with_it = comb(3, many), comb(3, many - 1)
        ways = [without * a + with_it * b for a, b in zip([*ways, 0], [0, *ways], strict=True)]
    return len(SUITS) * sum(ways[SIZE:])


def _counted(cards: int) -> Iterator[tuple[str, int]]:
    for ranks in combinations_with_replacement(RANKS, cards):
        times = Counter(ranks)
        if max(times.values()) <= len(SUITS):
            mixed = [rank + SUITS[n % len(SUITS)] for n, rank in enumerate(ranks)]
            all_ways = prod(comb(len(SUITS), many) for many in times.values())
            yield _name(mixed), all_ways - _flushes(times)
    for suited in range(SIZE, cards + 1):
        for ranks in combinations(RANKS, suited):
            yield _name([rank + "S" for rank in ranks]), len(SUITS) * comb(39, cards - suited)


@pytest.mark.parametrize(("cards", "published"), [(5, FIVE), (7, SEVEN)])
def test_hands_come_as_often_as_published(cards: int, published: dict[str, int]) -> None:
    counts: Counter[str] = Counter()
    for name, times in _counted(cards):
        counts[name] += times
    assert counts == published
    assert counts.total() == comb(52, cards)
