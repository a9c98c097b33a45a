"""Simulated games against what is published of them: the cards and dice are fair, and the rules read them right."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from pitwatch.rules.play.cards import DECK
from tests.sim_hw.tablerun import BenchTable


def within(count: int, total: int, probability: float) -> bool:
    """Whether a count lies within four standard deviations of what is expected."""
    return abs(count - total * probability) < 4 * math.sqrt(total * probability * (1 - probability))


def test_baccarat_rounds_come_out_as_the_published_odds_say() -> None:
    """Eight decks: banker 45.86 %, player 44.62 %, tie 9.52 %."""
    heard = BenchTable("baccarat").run(4000, 21)
    winners = Counter(each.result["winner"] for each in heard.rounds)
    assert sum(winners.values()) == 4000
    for winner, odds in (("banker", 0.4586), ("player", 0.4462), ("tie", 0.0952)):
        assert within(winners[winner], 4000, odds), winners


def test_baccarat_declares_what_the_cards_say() -> None:
    heard = BenchTable("baccarat").run(300, 22)
    declared = [each.data["winner"] for each in heard.observations if each.event == "result_declared"]
    assert declared == [each.result["winner"] for each in heard.rounds]


def test_a_shoe_holds_no_card_more_often_than_its_decks() -> None:
    heard = BenchTable("baccarat").run(200, 23)
    shoe: Counter[str] = Counter()
    for each in heard.observations:
        if each.event == "shoe_started":
            shoe.clear()
        elif each.event == "card_drawn":
            shoe[each.data["card"]] += 1
            assert shoe[each.data["card"]] <= 8
    assert set(shoe) <= set(DECK)


def test_dice_are_fair_and_the_pass_line_wins_as_often_as_published() -> None:
    """Pass wins 244 of 495 decisions."""
    heard = BenchTable("craps").run(6000, 24)
    faces = Counter(face for each in heard.rounds for face in each.result["faces"])
    assert all(within(faces[face], 12000, 1 / 6) for face in range(1, 7)), faces
    decisions = Counter(each.result["decision"] for each in heard.rounds)
    lost = decisions["dont-pass"] + decisions["dont-pass-push"]
    assert within(decisions["pass"], decisions["pass"] + lost, 244 / 495), decisions


def test_three_card_hands_come_out_as_often_as_counted() -> None:
    """Of 22,100 hands 3,744 hold a pair, 1,096 a flush, 720 a straight."""
    heard = BenchTable("three-card-poker").run(1500, 25)
    hands = Counter(hand["hand"] for each in heard.rounds for hand in each.result.values())
    total = sum(hands.values())
    for hand, of_all in (("pair", 3744), ("flush", 1096), ("straight", 720)):
        assert within(hands[hand], total, of_all / 22100), hands


@pytest.mark.parametrize("name", ["blackjack", "blackjack-shoe"])
def test_a_blackjack_dealer_is_dealt_and_plays_as_published(name: str) -> None:
    """Two cards make twenty-one in about 4.75 % of hands of six or eight decks; the dealer's total is otherwise 17 to
    26, or less only where no hand waited for it."""
    heard = BenchTable(name).run(1500, 26)
    dealers = [each.result["dealer"] for each in heard.rounds]
    assert within(sum(each["blackjack"] for each in dealers), len(dealers), 0.0475)
    played = [each["total"] for each in dealers if each["total"] >= 17]
    assert max(played) <= 26
    assert len(played) > 0.9 * len(dealers)
