"""Hands with a joker: against published counts, and the hands that the books of pai gow name."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from pitwatch.rules.hands.joker_hands import ACE, LOWEST, SECOND, WILD, Ranking, bonus_names, name_of
from pitwatch.rules.play.cards import DECK, JOKER

HALF_WILD = Ranking(ACE, SECOND)
FULLY_WILD = Ranking(WILD, LOWEST)

WITH_A_WILD_JOKER = {
    "five-of-a-kind": 13,
    "royal-flush": 24 - 4,
    "straight-flush": 180 - 36,
    "four-of-a-kind": 3_120 - 624,
    "full-house": 6_552 - 3_744,
    "flush": 7_804 - 5_108,
    "straight": 20_532 - 10_200,
    "three-of-a-kind": 137_280 - 54_912,
    "pair": 1_268_088 - 1_098_240,
}
"""Of 2,869,685 five-card hands of 53 cards (Wizard of Odds, fully wild joker), less those of 52: 270,725."""


def cards(text: str) -> list[str]:
    return text.split()


def _pattern(hand: tuple[str, ...]) -> tuple[str, ...]:
    """The same for hands that differ only in which suit is which."""
    names: dict[str, str] = {}
    return tuple(card[0] + names.setdefault(card[1], "CDHS"[len(names)]) for card in sorted(hand))


def test_hands_with_a_wild_joker_come_as_often_as_published() -> None:
    patterns = Counter(_pattern(four) for four in combinations(DECK, 4))
    counts: Counter[str] = Counter()
    for four, times in patterns.items():
        name = name_of(FULLY_WILD.five([*four, JOKER]))
        counts["five-of-a-kind" if name == "five-aces" else name] += times
    assert counts == WITH_A_WILD_JOKER


@pytest.mark.parametrize(
    ("hand", "half_wild", "wild"),
    [
        ("AS AH AD AC JK", "five-aces", "five-aces"),
        ("KS KH KD KC JK", "four-of-a-kind", "five-of-a-kind"),
        ("KS KH KD 2C JK", "three-of-a-kind", "four-of-a-kind"),
        ("KS KH 2D 2C JK", "two-pair", "full-house"),
        ("KS 9H 4D 2C JK", "high-card", "pair"),
        ("AS 9H 4D 2C JK", "pair", "pair"),
        ("KS QS JS TS JK", "royal-flush", "royal-flush"),
        ("9S QS JS TS JK", "straight-flush", "straight-flush"),
        ("9S QH JS TS JK", "straight", "straight"),
        ("9S QS 2S TS JK", "flush", "flush"),
        ("2S 3H 4S 5C JK", "straight", "straight"),
    ],
)
def test_what_a_joker_makes_of_a_hand(hand: str, half_wild: str, wild: str) -> None:
    assert name_of(HALF_WILD.five(cards(hand))) == half_wild
    assert name_of(FULLY_WILD.five(cards(hand))) == wild


def test_ace_to_five_is_the_second_straight_or_the_lowest_as_the_book_says() -> None:
    wheel, low, king, ace = (
        cards(hand) for hand in ("AS 2H 3D 4C 5S", "2H 3D 4C 5S 6S", "KS QH JD TC 9S", "AS KH QD JC TS")
    )
    second, lowest = Ranking(ACE, SECOND), Ranking(ACE, LOWEST)
    assert second.five(low) < second.five(king) < second.five(wheel) < second.five(ace)
    assert lowest.five(wheel) < lowest.five(low)
    assert second.five(cards("AS 2S 3S 4S 5S")) < second.five(cards("2S 3S 4S 5S 6S"))


@pytest.mark.parametrize(
    ("high", "low", "foul"),
    [
        ("KS KH 7D 5C 3S", "AD QC", False),
        ("AS QH 7D 5C 3S", "KD JC", False),
        ("KS QH 7D 5C 3S", "AD JC", True),
        ("AS QH 7D 5C 3S", "2D 2C", True),
        ("9S 9H 7D 5C 3S", "TD TC", True),
        ("9S 9H 7D 5C 3S", "9D 9C", False),
        ("KS QH 7D 5C 3S", "JK 2C", True),
    ],
)
def test_a_hand_is_foul_if_the_two_outrank_the_five(high: str, low: str, foul: bool) -> None:
    assert HALF_WILD.foul(cards(high), cards(low)) is foul


def test_a_wild_joker_pairs_any_card() -> None:
    assert FULLY_WILD.two(cards("JK 2C")) == FULLY_WILD.two(cards("2S 2C")) > FULLY_WILD.two(cards("AS KC"))


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("2S 3S 4S 5S 6S 7S 8S", "seven-card-straight-flush"),
        ("AS 2S 3S 4S 5S 6S 7S", "seven-card-straight-flush"),
        ("2S 3S JK 5S 6S 7S 8S", "seven-card-straight-flush-joker"),
        ("AS KS QS JS TS KD QD", "royal-flush-royal-match"),
        ("JK KS QS JS TS KD QD", "royal-flush-royal-match"),
    ],
)
def test_hands_of_seven_for_the_bonus(hand: str, name: str) -> None:
    assert name in bonus_names(HALF_WILD.fives(cards(hand)), cards(hand))


@pytest.mark.parametrize("hand", ["2S 3S 4S 5S 6S 7S 9S", "KS AS 2S 3S 4S 5S 6S", "AS KS QS JS TS KD QC"])
def test_what_is_no_hand_of_seven(hand: str) -> None:
    seven = {"seven-card-straight-flush", "seven-card-straight-flush-joker", "royal-flush-royal-match"}
    assert not seven & bonus_names(HALF_WILD.fives(cards(hand)), cards(hand))


@pytest.mark.parametrize("hand", ["AS KS QS JS", "AS AS KS QS JS", "JK JK KS QS JS", "XX KS QS JS 2S"])
def test_what_is_no_hand_of_five(hand: str) -> None:
    with pytest.raises(ValueError, match="make a hand"):
        HALF_WILD.five(cards(hand))
