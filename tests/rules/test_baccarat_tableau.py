"""The printed tableau (lines 3868-3899) against the document's own table and the published odds of the game."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.baccarat.tableau import BANKER, PLAYER, Tableau
from pitwatch.rules.play.cards import DECK

TABLEAU = Tableau(load_game("toledo-2020/mini-midi-baccarat").tables)

PUBLISHED = {"banker": 0.458597, "player": 0.446247, "tie": 0.095156}
"""Eight decks, as tables of baccarat odds print them (wizardofodds.com, Baccarat)."""

OF_COUNT = {count: f"{rank}D" for count, rank in enumerate("TA23456789")}

BANKER_DRAWS = {  # banker's two cards: the player's third cards on which the banker draws, as printed in Table 2
    3: "7 6 5 4 3 2 1 0 9",
    4: "7 6 5 4 3 2",
    5: "7 6 5 4",
    6: "7 6",
    7: "",
}


def hand(count: int) -> list[str]:
    return ["KS", OF_COUNT[count]]


@pytest.mark.parametrize(("banker", "thirds"), BANKER_DRAWS.items())
def test_the_banker_against_the_players_third_card(banker: int, thirds: str) -> None:
    drawn = {int(third) for third in thirds.split()}
    for third, card in OF_COUNT.items():
        expected = {BANKER} if third in drawn else {None}
        assert TABLEAU.next_cards([*hand(2), card], hand(banker)) == expected


@pytest.mark.parametrize("banker", [0, 1, 2])
def test_a_low_banker_always_draws(banker: int) -> None:
    for card in OF_COUNT.values():
        assert TABLEAU.next_cards([*hand(5), card], hand(banker)) == {BANKER}


def test_the_first_two_cards_of_both_hands() -> None:
    for player, banker in itertools.product(range(10), range(10)):
        natural = player >= 8 or banker >= 8
        expected = None if natural else PLAYER if player <= 5 else BANKER if banker <= 5 else None
        assert TABLEAU.next_cards(hand(player), hand(banker)) == {expected}


def test_the_order_of_the_deal() -> None:
    dealt: list[str] = []
    for _ in range(4):
        player = [card for hand_, card in zip("PBPB", dealt, strict=False) if hand_ == "P"]
        banker = [card for hand_, card in zip("PBPB", dealt, strict=False) if hand_ == "B"]
        (to,) = TABLEAU.next_cards(player, banker)
        assert to == (PLAYER if len(dealt) % 2 == 0 else BANKER)
        dealt.append("2D")


def test_an_unread_face_leaves_open_only_what_it_must() -> None:
    assert TABLEAU.next_cards(["KS", None], hand(6)) == {PLAYER, None}
    assert TABLEAU.next_cards(["KS", None], hand(9)) == {None}
    assert TABLEAU.next_cards([*hand(2), None], hand(7)) == {None}
    assert TABLEAU.next_cards([*hand(2), None], hand(6)) == {BANKER, None}
    assert TABLEAU.next_cards([*hand(2), None], hand(0)) == {BANKER}


def test_results() -> None:
    assert TABLEAU.result(["AD", "2C", "4H"], ["KD", "3S"]) == {
        "winner": "player",
        "points": {"player": 7, "banker": 3},
        "natural": False,
        "margin": 4,
    }
    assert TABLEAU.result(["AD", "2C", "9H"], ["KD", "2S"])["winner"] == "tie"  # the document's example: 12 counts 2
    assert TABLEAU.result(["9D", "KC"], ["KD", "8S"])["natural"] is True
    assert TABLEAU.result(["5D", "KC", "4C"], ["KD", "7S"])["natural"] is False
    assert TABLEAU.result(["9D", None], ["KD", "8S"]) == {
        "winner": None,
        "points": {"player": None, "banker": 8},
        "natural": None,
        "margin": None,
    }


def test_pairs_are_of_rank_not_of_count() -> None:
    assert TABLEAU.pairs(["KD", "KC"], ["2D", "3D"]) == {"player"}
    assert TABLEAU.pairs(["KD", "QC"], ["3D", "3D"]) == {"banker"}
    assert TABLEAU.pairs(["KD", "QC"], ["3D", None]) is None


def test_exact_odds_of_eight_decks_are_the_published_ones() -> None:
    """Every composition of six counts drawn from 416 cards, weighted by how many ways it can be drawn."""
    shoe = [128, *[32] * 9]
    odds: Counter[str] = Counter()

    def walk(player: list[str], banker: list[str], left: list[int], cards: int, weight: float) -> None:
        (to,) = TABLEAU.next_cards(player, banker)
        if to is None:
            odds[TABLEAU.result(player, banker)["winner"]] += weight
            return
        for count, number in enumerate(left):
            left[count] -= 1
            one_more = [OF_COUNT[count]]
            if to == PLAYER:
                walk(player + one_more, banker, left, cards - 1, weight * number / cards)
            else:
                walk(player, banker + one_more, left, cards - 1, weight * number / cards)
            left[count] += 1

    # the order of a hand's first two cards does not matter: take them together, to stay within seconds
    for first, third in itertools.combinations_with_replacement(range(10), 2):
        for second, fourth in itertools.combinations_with_replacement(range(10), 2):
            left, weight, cards = [*shoe], 1.0, 416
            for count in (first, second, third, fourth):
                weight *= left[count] / cards
                left[count] -= 1
                cards -= 1
            weight *= (1 if first == third else 2) * (1 if second == fourth else 2)
            walk([OF_COUNT[first], OF_COUNT[third]], [OF_COUNT[second], OF_COUNT[fourth]], left, cards, weight)
    assert sum(odds.values()) == pytest.approx(1)
    for winner, share in PUBLISHED.items():
        assert odds[winner] == pytest.approx(share, abs=5e-7)


def test_a_hundred_thousand_simulated_rounds_agree_with_the_published_odds() -> None:
    """Within 3.5 standard errors of a share of 100,000 rounds, each shoe dealt to the cut card 15 from the back."""
    chance, won = random.Random(3819), Counter[str]()
    rounds = 100_000
    shoe: list[str] = []
    for _ in range(rounds):
        if len(shoe) <= 15:
            shoe = list(DECK * 8)
            chance.shuffle(shoe)
        hands: dict[str, list[str]] = {PLAYER: [], BANKER: []}
        for to, card in TABLEAU.deal(shoe.pop):
            hands[to].append(card)
        won[TABLEAU.result(hands[PLAYER], hands[BANKER])["winner"]] += 1
    for winner, share in PUBLISHED.items():
        error = math.sqrt(share * (1 - share) / rounds)
        assert won[winner] / rounds == pytest.approx(share, abs=3.5 * error)
