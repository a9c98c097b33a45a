"""Blackjack pitched face down (toledo-2020, 474-476): a pair that is turned up to be split lies at two places,
whichever the reader under the felt tells first."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAMES = ("toledo-2020/blackjack", "toledo-2020/double-deck-blackjack", "columbus-2016/blackjack")
LIFTED = taken("seat-1", "null null")
DEALER = taken("dealer", "null") + laid("dealer", "TH 2C")


def pitched(log: str, game: str = GAMES[0]) -> Played:
    deal = laid("seat-1", "null") + laid("dealer", "6D") + laid("seat-1", "null") + laid("dealer", "null")
    return play(game, facts("card_position", "panel", options={"decks": 2}), CALL + deal + log + DEALER + OVER)


def split(*halves: str) -> str:
    """`seat-1 8S` laid in this order, and a card to each."""
    return "".join(laid(*half.split()) for half in halves) + laid("seat-1", "TC") + laid("seat-1/2", "9C")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("halves", [("seat-1 8S", "seat-1/2 8D"), ("seat-1/2 8D", "seat-1 8S")])
def test_a_pair_turned_up_and_split(game: str, halves: tuple[str, str]) -> None:
    played = pitched(LIFTED + split(*halves), game)
    assert played.rules == []
    result = played.rounds[0].result
    assert [result[each]["total"] for each in ("seat-1", "seat-1/2", "dealer")] == [18, 17, 18]


@pytest.mark.parametrize("halves", [("seat-1 8S", "seat-1/2 8S"), ("seat-1/2 8S", "seat-1 8S")])
def test_two_cards_alike(halves: tuple[str, str]) -> None:
    """Of two decks."""
    assert pitched(LIFTED + split(*halves)).rules == []


def test_cards_of_unequal_value_that_are_split() -> None:
    assert pitched(LIFTED + split("seat-1 8S", "seat-1/2 9D")).rules == ["split-unequal-values"]


def test_one_card_of_the_pair_is_moved_and_shows_its_face() -> None:
    moved = taken("seat-1", "null") + laid("seat-1/2", "8D") + laid("seat-1", "TC") + laid("seat-1/2", "9C")
    played = pitched(moved)
    assert played.rules == []
    assert played.rounds[0].cards["seat-1/2"] == ["8D", "9C"]


def test_a_hand_that_is_turned_and_not_split_keeps_both_cards() -> None:
    played = pitched(LIFTED + laid("seat-1", "8S 8D") + laid("seat-1", "2C"))
    assert played.rules == []
    assert played.rounds[0].cards["seat-1"] == ["8S", "8D", "2C"]
