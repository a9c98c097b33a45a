"""Hands that count cards of one suit or one color: the longest flush, the longest run in a suit, cards of one color.

High Card Flush: toledo-2020, Section Seventeen, lines 3614-3618, 3639-3664. Knows no pay table.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.play.cards import SUITS, rank, suit

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")
FLUSHES = tuple(f"{number}-card-flush" for number in NUMBERS)
RUNS = tuple(f"{number}-card-straight-flush" for number in NUMBERS)
COLORS = tuple(f"{number}-of-a-color" for number in NUMBERS)
"""From lowest to highest; the place of a name is the number of cards."""

RED = "DH"


def _check(cards: Sequence[str]) -> None:
    known = all(rank(card) in HEIGHT and suit(card) in SUITS for card in cards)
    if not 0 < len(cards) < len(NUMBERS) or len(set(cards)) < len(cards) or not known:
        raise ValueError(f"one to seven different cards without a joker make a hand, not {list(cards)}")


def _by_suit(cards: Sequence[str]) -> list[list[int]]:
    return [sorted((HEIGHT[rank(card)] for card in cards if suit(card) == each), reverse=True) for each in SUITS]


def flush(cards: Sequence[str]) -> Strength:
    """Most cards of one suit, then their heights from the ace down. Raises ValueError for what is no hand."""
    _check(cards)
    return max((len(heights), *heights) for heights in _by_suit(cards))


def run(cards: Sequence[str]) -> Strength:
    """Most cards in sequence in one suit, ace high or low, then the highest of them. Raises ValueError likewise."""
    _check(cards)
    best = (0, 0)
    for heights in _by_suit(cards):
        held = {*heights, *(1 for height in heights if height == HEIGHT["A"])}
        for top in held:
            length = next(number for number in range(1, len(held) + 2) if top - number not in held)
            best = max(best, (length, top))
    return best


def color(cards: Sequence[str]) -> Strength:
    """Most cards of one color. Raises ValueError likewise."""
    _check(cards)
    red = sum(suit(card) in RED for card in cards)
    return (max(red, len(cards) - red),)
