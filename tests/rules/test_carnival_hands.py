"""Four-card hands, wild cards, flushes, runs and colors: published counts, combinations, trying everything."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import comb
from random import Random

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.carnival.showdown import Showdown
from pitwatch.rules.hands import five_card, four_card, suited_hands, two_card, wild_hands
from pitwatch.rules.hands.poker_ranking import HEIGHT
from pitwatch.rules.play.cards import DECK


def cards(text: str) -> list[str]:
    return text.split()


# --- four cards


FOUR_CARD = {
    "four-of-a-kind": 13,
    "straight-flush": 44,
    "three-of-a-kind": 2_496,
    "two-pair": 2_808,
    "straight": 2_772,
    "flush": 2_816,
    "pair": 82_368,
    "high-card": 177_408,
}
"""Of 270,725."""


def test_four_card_hands_come_as_often_as_published() -> None:
    assert Counter(four_card.HANDS[four_card.strength(hand)[0]] for hand in combinations(DECK, 4)) == FOUR_CARD


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("2C 2D 2H 2S", "AC KC QC JC"),  # four of a kind over a straight flush (1933-1935)
        ("AC 2C 3C 4C", "AS AH AD KC"),
        ("2C 2D 2H 3S", "AC KC QC TC"),  # three of a kind over a flush
        ("2C 3C 4C 6C", "AC KD QC JC"),  # a flush over a straight
        ("AC 2D 3C 4C", "AC AD KC KD"),
        ("2C 3D 4C 5C", "AC 2D 3C 4C"),  # ace to four is the lowest
        ("AC AD KC QD 2H", "AH AS KD JC TS"),  # the best four of five
    ],
)
def test_one_four_card_hand_over_another(higher: str, lower: str) -> None:
    assert four_card.strength(cards(higher)) > four_card.strength(cards(lower))


def test_a_fifth_card_decides_nothing() -> None:
    assert four_card.strength(cards("AC AD KC KD 9H")) == four_card.strength(cards("AH AS KH KS 2D"))  # 5157


# --- five of six


def test_six_card_bonus_hits_as_often_as_printed() -> None:
    """columbus-2016, lines 1021-1022: 7.2798 % of six cards hold three of a kind or better."""
    rng, times = Random(5), 20_000
    least = five_card.HANDS.index("three-of-a-kind")
    hits = sum(five_card.strength(rng.sample(DECK, 6))[0] >= least for _ in range(times))
    assert abs(hits / times - 0.072798) < 4 * (0.0728 * 0.9272 / times) ** 0.5


# --- deuces and joker wild


def best_replaced(hand: list[str]) -> tuple[int, ...]:
    """By trying every card for every wild one."""
    fixed = [card for card in hand if not wild_hands.is_wild(card)]
    ranks = {card[0] for card in fixed}
    place = {name: wild_hands.HANDS.index(name) for name in wild_hands.HANDS}
    if not fixed:
        return (place["five-wilds"],)
    best: tuple[int, ...] = (place["five-of-a-kind"], HEIGHT[fixed[0][0]]) if len(ranks) == 1 else ()
    for more in combinations([card for card in DECK if card not in fixed], 5 - len(fixed)):
        strength = five_card.strength([*fixed, *more])
        name = five_card.HANDS[strength[0]]
        best = max(best, (place[name],) if name == "royal-flush" else (place[name], *strength[1:]))
    return best


def test_wild_hands_are_the_best_of_every_replacement() -> None:
    rng = Random(3)
    wild = ["2C", "2D", "2H", "2S", "JK"]
    others = [card for card in DECK if card[0] != "2"]
    for number, times in ((0, 60), (1, 60), (2, 25), (3, 2)):
        for _ in range(times):
            hand = rng.sample(wild, number) + rng.sample(others, 5 - number)
            assert wild_hands.strength(hand) == best_replaced(hand), hand


def test_wild_hands_come_as_often_as_combinations_say() -> None:
    wild, others = ["2C", "2D", "2H", "2S", "JK"], [card for card in DECK if card[0] != "2"]
    seen = Counter(
        wild_hands.HANDS[wild_hands.strength([*some, *rest])[0]]
        for number in (3, 4, 5)
        for some in combinations(wild, number)
        for rest in combinations(others, 5 - number)
    )
    assert seen["five-wilds"] == 1
    assert seen["royal-flush"] == comb(5, 4) * 5 * 4 + comb(5, 3) * comb(5, 2) * 4
    assert seen["five-of-a-kind"] == comb(5, 4) * 7 * 4 + comb(5, 3) * 12 * comb(4, 2)
    assert set(seen) == {"five-wilds", "royal-flush", "five-of-a-kind", "straight-flush", "four-of-a-kind"}


@pytest.mark.parametrize(
    ("hand", "wild", "natural", "progressive"),
    [
        ("2C 2D 2H KS 7D", "four-of-a-kind", "three-of-a-kind", "three-of-a-kind"),  # three deuces are natural (3415)
        ("KC KD KH JK 7D", "four-of-a-kind", None, "three-of-a-kind"),
        ("AS KS QS JS TS", "royal-flush", "royal-flush", "royal-flush"),
        ("AS KS QS JS 2D", "royal-flush", "high-card", "high-card"),
        ("AS KS QS JS JK", "royal-flush", None, "high-card"),
        ("AC 2C 3C 4C 5C", "straight-flush", "straight-flush", "straight-flush"),
        ("9C 9D 4H 4S JK", "full-house", None, "two-pair"),
    ],
)
def test_the_same_cards_wild_and_natural(hand: str, wild: str, natural: str | None, progressive: str) -> None:
    assert wild_hands.HANDS[wild_hands.strength(cards(hand))[0]] == wild
    plain = wild_hands.natural(cards(hand))
    assert (None if plain is None else five_card.HANDS[plain[0]]) == natural
    assert five_card.HANDS[wild_hands.without_joker(cards(hand))[0]] == progressive


# --- suits, runs and colors; two cards


def test_flushes_of_seven_cards_come_as_often_as_combinations_say() -> None:
    ways = {most: 0 for most in range(2, 8)}
    for a, b, c in product(range(8), repeat=3):
        if a + b + c <= 7:
            split = (a, b, c, 7 - a - b - c)
            ways[max(split)] += comb(13, a) * comb(13, b) * comb(13, c) * comb(13, split[3])
    assert sum(ways.values()) == comb(52, 7)
    rng, times = Random(2), 20_000
    seen = Counter(suited_hands.flush(rng.sample(DECK, 7))[0] for _ in range(times))
    for most, number in ways.items():
        expected = times * number / comb(52, 7)
        assert abs(seen[most] - expected) <= 4 * max(expected, 1) ** 0.5, most


@pytest.mark.parametrize(
    ("hand", "flush", "run"),
    [
        ("AC 3C 5C 7C 9D JD KD", (4, 14, 7, 5, 3), (1, 14)),
        ("9C 8C 2C AD KD QH JS", (3, 9, 8, 2), (2, 14)),
        ("AD 2D 3D 9H 9S 9C KC", (3, 14, 3, 2), (3, 3)),  # the ace is low in a run too (3652)
        ("QS KS AS 2S 3S 9H 9C", (5, 14, 13, 12, 3, 2), (3, 14)),  # and does not go round the corner
    ],
)
def test_flushes_and_runs(hand: str, flush: tuple[int, ...], run: tuple[int, ...]) -> None:
    assert suited_hands.flush(cards(hand)) == flush
    assert suited_hands.run(cards(hand)) == run


def test_colors() -> None:
    assert suited_hands.color(cards("AC 2S 3C")) == (3,)
    assert suited_hands.color(cards("AC 2S 3C 4D 5H")) == (3,)


def test_pocket_hands_come_as_often_as_combinations_say() -> None:
    seen = Counter(two_card.HANDS[two_card.strength(hand)[0]] for hand in combinations(DECK, 2))
    assert seen == {"pair": 78, "ace-face-suited": 12, "ace-face": 36, "high-card": 1326 - 126}


@pytest.mark.parametrize("game", ["three-card-poker", "three-card-poker-6-card-bonus"])
def test_ace_king_queen_of_a_suit_is_a_hand_of_its_own_in_california(game: str) -> None:
    """001 lines 4416-4426, 4604-4614; in Ohio it is the highest straight flush (000 line 1772)."""
    for book, name in ((f"california/{game}", "mini-royal"), ("toledo-2020/three-card-poker", "straight-flush")):
        showdown = Showdown(load_game(book))
        hands = {"seat-1": "AS KS QS", "seat-2": "KD QD JD", "seat-3": "AH 2H 3H", "dealer": "AD KC QH"}
        cards = {position: hand.split() for position, hand in hands.items()}
        result = showdown.result(cards, [*cards])
        assert [result[each]["hand"] for each in cards] == [name, "straight-flush", "straight-flush", "straight"]
        assert result["seat-1"]["wagers"]["pair-plus"] == name
