"""Three- and five-card hands against published counts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import pytest
from pokerkit import StandardHighHand

from pitwatch.rules.hands import five_card, three_card
from pitwatch.rules.hands.poker_ranking import HEIGHT
from pitwatch.rules.play.cards import DECK

THREE_CARD = {
    "straight-flush": 48,
    "three-of-a-kind": 52,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
    "high-card": 16_440,
}
"""Of 22,100 (Wizard of Odds, Three Card Poker)."""


def cards(text: str) -> list[str]:
    return text.split()


def test_three_card_hands_come_as_often_as_published() -> None:
    assert Counter(three_card.HANDS[three_card.strength(hand)[0]] for hand in combinations(DECK, 3)) == THREE_CARD


def test_dealer_qualifies_as_often_as_published() -> None:
    """15,380 of 22,100 hands are queen high or better (69.59 %, Wizard of Odds)."""
    least = (0, HEIGHT["Q"])
    assert sum(three_card.strength(hand) >= least for hand in combinations(DECK, 3)) == 15_380


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("2C 3C AC", "AS AH AD"),  # the lowest straight flush over the highest three of a kind (1772-1773)
        ("2C 2D 2H", "AC KD QH"),
        ("AC 2D 3H", "AC KC JC"),  # a straight over a flush (1774, 1783)
        ("2C 3C 5C", "AS AH KD"),
        ("2C 2D 3H", "AC KD JH"),
        ("AC KC QC", "KD QD JD"),
        ("2C 3C 4C", "AD 2D 3D"),  # ace, two, three is the lowest
        ("4S 4H 2C", "3S 3H AC"),
        ("4S 4H 3C", "4D 4C 2C"),
        ("AC KD JH", "AC KD TH"),
    ],
)
def test_one_hand_over_another(higher: str, lower: str) -> None:
    assert three_card.strength(cards(higher)) > three_card.strength(cards(lower))


def test_suits_decide_nothing() -> None:
    assert three_card.strength(cards("AC KD JH")) == three_card.strength(cards("JC AS KH"))


@pytest.mark.parametrize("hand", ["AC KD", "AC KD JH 2C", "AC KD JK", "AC KD 1X"])
def test_what_is_no_three_card_hand(hand: str) -> None:
    with pytest.raises(ValueError, match="3 different cards"):
        three_card.strength(cards(hand))


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("AS KS QS JS TS 2H", "royal-flush"),
        ("AS 2S 3S 4S 5S KS", "straight-flush"),
        ("9S KS QS JS TS 2H", "straight-flush"),
        ("AS AH AD AC 5S 5C", "four-of-a-kind"),
        ("AS AH AD 5C 5S 4C", "full-house"),
        ("AS AH AD 5C 5S 5H", "full-house"),
        ("2S 9S 4S KS 7S AH", "flush"),
        ("2S 3H 4S 5D 6C KS", "straight"),
        ("QS KH AS 2D 3C 7S", "high-card"),  # no straight goes round the corner
        ("AS AH AD 5C 9S 4C", "three-of-a-kind"),
        ("AS AH 5D 5C 9S 4C", "two-pair"),
        ("AS AH 5D 6C 9S 4C", "pair"),
    ],
)
def test_best_five_of_six(hand: str, name: str) -> None:
    assert five_card.HANDS[five_card.strength(cards(hand))[0]] == name


def test_five_card_hands_with_the_ace_of_spades_come_as_often_as_combinations_say() -> None:
    with_ace = {
        "royal-flush": 1,
        "straight-flush": 1,
        "four-of-a-kind": 48 + 12,
        "full-house": 3 * 12 * 6 + 3 * 12 * 4,
        "flush": comb(12, 4) - 2,
        "straight": 2 * 4**4 - 2,
        "three-of-a-kind": 3 * comb(12, 2) * 4**2 + 12 * 4 * 11 * 4,
        "two-pair": 3 * 12 * 6 * 11 * 4 + comb(12, 2) * 6 * 6,
        "pair": 3 * comb(12, 3) * 4**3 + 12 * 6 * comb(11, 2) * 4**2,
    }
    with_ace["high-card"] = comb(51, 4) - sum(with_ace.values())
    rest = [card for card in DECK if card != "AS"]
    assert Counter(five_card.HANDS[five_card.strength(("AS", *four))[0]] for four in combinations(rest, 4)) == with_ace


@pytest.mark.parametrize("hand", ["AS KS QS JS", "AS AS KS QS JS TS", "AS KS QS JS JK"])
def test_what_is_no_five_card_hand(hand: str) -> None:
    with pytest.raises(ValueError, match="5 different cards"):
        five_card.strength(cards(hand))


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("AS KS QS JS TS", "KD QD JD TD 9D"),
        ("6S 5S 4S 3S 2S", "AD 2D 3D 4D 5D"),
        ("2S 3H 4S 5D 6C", "AS 2H 3S 4D 5C"),
        ("2S 2H 2D 2C 3S", "AS AH AD KC KS"),
        ("AS KH 9D 8C 3S", "AH KD 9S 8D 2C"),
        ("KS KH 3D 3C 4S", "QS QH JD JC AS"),
        ("AS 9S 8S 7S 2S", "KS QS JS TS 8S"),
    ],
)
def test_the_higher_of_two_five_card_hands(higher: str, lower: str) -> None:
    assert five_card.strength(cards(higher)) > five_card.strength(cards(lower))


def test_five_card_hands_rank_as_pokerkit_ranks_them() -> None:
    rng = Random(5)
    for _ in range(1500):
        five, seven = rng.sample(DECK, 5), rng.sample(DECK, 7)
        one, other = StandardHighHand(_notation(five)), StandardHighHand.from_game("", _notation(seven))
        assert (five_card.strength(five) < five_card.strength(seven)) == (one < other)
        assert (five_card.strength(five) == five_card.strength(seven)) == (one == other)


def _notation(hand: list[str]) -> str:
    return "".join(card[0] + card[1].lower() for card in hand)
