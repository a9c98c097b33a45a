"""Five cards of which the deuces and the joker are wild, and what the same cards are without that.

Ranking: toledo-2020, Section Sixteen, lines 3413-3436. A royal flush made with wild cards is one, and above five of a
kind; a wild card in a flush is the highest card that the flush lacks. Knows no pay table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pitwatch.rules.hands import five_card
from pitwatch.rules.hands.five_card import SIZE
from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.play.cards import JOKER, rank, suit

HANDS = (
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
    "straight-flush", "five-of-a-kind", "royal-flush", "five-wilds",
)  # fmt: skip
"""From lowest to highest."""

WILD = "2"

_PLACE = {name: place for place, name in enumerate(HANDS)}
_ACE = HEIGHT["A"]


def is_wild(card: str) -> bool:
    return rank(card) in (WILD, JOKER)


def _check(cards: Sequence[str]) -> None:
    known = all(card == JOKER or (rank(card) in HEIGHT and len(card) == 2) for card in cards)
    if len(cards) != SIZE or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"five different cards make a hand, not {list(cards)}")


def strength(cards: Sequence[str]) -> Strength:
    """The best that the cards make with deuces and joker wild: place in `HANDS`, then the heights that decide.

    Raises ValueError for another number of cards, the same card twice or an unknown card.
    """
    _check(cards)
    fixed = [card for card in cards if not is_wild(card)]
    wild = SIZE - len(fixed)
    if not fixed:
        return (_PLACE["five-wilds"],)
    times = Counter(HEIGHT[rank(card)] for card in fixed)
    heights = sorted(times, reverse=True)
    suited = len({suit(card) for card in fixed}) == 1
    top = _top_of_run(heights) if max(times.values()) == 1 else None
    if suited and top == _ACE:
        return (_PLACE["royal-flush"],)
    if len(times) == 1:
        return _PLACE["five-of-a-kind"], heights[0]
    if suited and top is not None:
        return _PLACE["straight-flush"], top
    return _grouped(times, heights, wild, suited, top)


def _grouped(times: Counter[int], heights: list[int], wild: int, suited: bool, top: int | None) -> Strength:
    """Two ranks or more besides the wild cards, and no straight flush."""
    most = max(times.values())
    kind = max(height for height in heights if times[height] == most)
    others = [height for height in heights if height != kind for _ in range(times[height])]
    if most + wild == 4:
        return _PLACE["four-of-a-kind"], kind, *others
    if len(times) == 2:
        return _PLACE["full-house"], kind, others[0]
    if suited and most == 1:
        lacking = [height for height in range(_ACE, 1, -1) if height not in times]
        return _PLACE["flush"], *sorted([*heights, *lacking[:wild]], reverse=True)
    if top is not None:
        return _PLACE["straight"], top
    if most + wild == 3:
        return _PLACE["three-of-a-kind"], kind, *others
    if most == 2 and len(times) == 3:
        low = min(height for height in heights if times[height] == 2)
        return _PLACE["two-pair"], kind, low, *(height for height in heights if times[height] == 1)
    if most + wild == 2:
        return _PLACE["pair"], kind, *others
    return _PLACE["high-card"], *heights


def _top_of_run(heights: list[int]) -> int | None:
    """The highest card of the best straight that different ranks are part of; None if they are of none."""
    for top in range(_ACE, 4, -1):
        run = {_ACE if height == 1 else height for height in range(top - SIZE + 1, top + 1)}
        if run.issuperset(heights):
            return top
    return None


def natural(cards: Sequence[str]) -> Strength | None:
    """The strength in `five_card.HANDS` with no card wild; None with a joker, which is nothing but wild (3491)."""
    _check(cards)
    return None if JOKER in cards else five_card.strength(cards)


def without_joker(cards: Sequence[str]) -> Strength:
    """The strength in `five_card.HANDS` with no card wild; a joker is no card at all (3553)."""
    _check(cards)
    if JOKER not in cards:
        return five_card.strength(cards)
    return four_of_five([card for card in cards if card != JOKER])


def four_of_five(cards: Sequence[str]) -> Strength:
    """Four cards as part of a hand of five: there is no straight, flush or full house in them."""
    times = Counter(HEIGHT[rank(card)] for card in cards)
    order = sorted(times.items(), key=lambda each: (each[1], each[0]), reverse=True)
    names = {4: "four-of-a-kind", 3: "three-of-a-kind", 2: "pair", 1: "high-card"}
    name = "two-pair" if [number for _, number in order] == [2, 2] else names[order[0][1]]
    return five_card.HANDS.index(name), *(height for height, _ in order)
