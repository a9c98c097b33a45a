"""Low hands and Omaha's two of four against pokerkit, published counts and the documents' own examples."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import comb
from random import Random

import pokerkit
import pytest

from pitwatch.rules.hands import low_hand
from pitwatch.rules.play.cards import DECK


def cards(text: str) -> list[str]:
    return text.split()


def notation(hand: list[str]) -> str:
    return "".join(card[0] + card[1].lower() for card in hand)


def agree(mine, theirs, hands) -> None:
    """Neighbours compare alike in both rankings."""
    for one, other in pairwise(hands):
        a, b, x, y = mine(one), mine(other), theirs(one), theirs(other)
        assert (a < b, a == b) == (x < y, x == y), (one, other)


def dealt(size: int, times: int = 1500, seed: int = 3) -> list[list[str]]:
    rng = Random(seed)
    return [rng.sample(DECK, size) for _ in range(times)]


def test_ace_to_five_ranks_as_pokerkit_ranks_it() -> None:
    agree(low_hand.ace_to_five, lambda hand: pokerkit.RegularLowHand.from_game(notation(hand)), dealt(7, 800))


def test_deuce_to_seven_ranks_as_pokerkit_ranks_it() -> None:
    few_ranks = [card for card in DECK if card[0] in "A23456"]
    rng = Random(5)
    hands = dealt(5) + [rng.sample(few_ranks, 5) for _ in range(800)]
    agree(low_hand.deuce_to_seven, lambda hand: pokerkit.StandardLowHand(notation(hand)), hands)


def test_badugi_ranks_as_pokerkit_ranks_it() -> None:
    agree(low_hand.badugi, lambda hand: pokerkit.BadugiHand.from_game(notation(hand)), dealt(4))


def test_badugi_hands_come_as_often_as_combinations_say() -> None:
    """Of 270,725 four-card hands 13·12·11·10 are badugis: four suits, four ranks."""
    counted = Counter(low_hand.badugi(hand)[0] for hand in combinations(DECK, 4))
    assert sum(counted.values()) == 270_725
    assert counted[4] == 13 * 12 * 11 * 10
    assert counted[1] == 4 * comb(13, 4) + 13  # four of a suit, or four of a rank


def test_eight_or_better_comes_as_often_as_combinations_say() -> None:
    """Five of the eight ranks from ace to eight, any suits: 56 · 1,024 of the five-card hands; straights qualify."""
    low = [card for card in DECK if card[0] in "A2345678"]
    good = sum(low_hand.is_eight_or_better(low_hand.ace_to_five(hand)) for hand in combinations(low, 5))
    assert good == comb(8, 5) * 4**5


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("7C 6D 4H 3S 2C", "8C 6D 5H 3S AC"),  # 001 lines 1823, 5746
        ("2C 6D 7H 8S TC", "AC 2D 3H 4S JC"),  # 001 line 1779
        ("5C 4C 3C 2C AC", "6C 4D 3H 2S AC"),  # straights and flushes count for nothing: 001 line 5744
        ("KC QD JH TS 9C", "AC AD 2H 3S 4C"),
    ],
)
def test_the_documents_examples_of_low_hands(better: str, worse: str) -> None:
    assert low_hand.ace_to_five(cards(better)) > low_hand.ace_to_five(cards(worse))


def test_razz_where_straights_and_flushes_count() -> None:
    """001 line 1476; ace to five stays the best hand."""
    wheel, six, run = cards("5C 4D 3H 2S AC"), cards("6C 4D 3H 2S AC"), cards("6C 5D 4H 3S 2C")
    strength = [low_hand.ace_to_five(hand, runs_count=True) for hand in (wheel, six, run)]
    assert strength == sorted(strength, reverse=True)
    assert low_hand.spelt(strength[2]) == "straight"
    assert low_hand.spelt(low_hand.ace_to_five(run)) == "6-5-4-3-2"


def test_two_to_seven_where_the_ace_is_high_only() -> None:
    """001 lines 6929-6937."""
    best, ace_low, run = cards("7C 5D 4H 3S 2C"), cards("5C 4D 3H 2S AC"), cards("6C 5D 4H 3S 2C")
    strength = [low_hand.deuce_to_seven(hand) for hand in (best, ace_low, run)]
    assert strength == sorted(strength, reverse=True)
    assert [low_hand.spelt_deuce_to_seven(each) for each in strength] == ["7-5-4-3-2", "A-5-4-3-2", "straight"]


def test_badugi_hands_for_people() -> None:
    """001 lines 3275-3277: one impaired card, two impaired cards."""
    assert low_hand.spelt_badugi(low_hand.badugi(cards("AC 2D 3H 4S"))) == "badugi 4-3-2-A"
    assert low_hand.spelt_badugi(low_hand.badugi(cards("AC 2D 3H 4H"))) == "three cards 3-2-A"
    assert low_hand.spelt_badugi(low_hand.badugi(cards("AC 2C 3C 4H"))) == "two cards 4-A"


@pytest.mark.parametrize("hand", ["AC 2C 3C 4C", "AC AC 3C 4C 5C", "AC 2C 3C 4C JK"])
def test_what_is_no_low_hand(hand: str) -> None:
    with pytest.raises(ValueError, match="cards"):
        low_hand.ace_to_five(cards(hand))
