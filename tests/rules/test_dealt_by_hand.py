"""Poker against the dealer, shuffled and dealt by hand: one card at a time, and the board where its turn is.

Each test names the line that it is about; the play next to it stays silent.
"""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid
from tests.rules.table import facts, play

BY_HAND = "panel key_pressed key=hand_shuffled\n" + CALL
THREE_CARD, HOLDEM = "toledo-2020/three-card-poker", "toledo-2020/ultimate-texas-holdem"
MISSISSIPPI, OF_COLUMBUS = "toledo-2020/mississippi-stud", "columbus-2016/mississippi-stud"


def rules(game: str, log: str) -> list[str]:
    return play(game, facts("card_position", "panel"), log).rules


def lap(*places: str) -> str:
    return "".join(laid(place, "null") for place in places)


ROUND = ("seat-1", "seat-2", "dealer")
TWO_IN_A_ROW = lap("seat-1", "seat-1", "seat-2", "dealer", "seat-2", "seat-1", "dealer", "seat-2", "dealer")


def test_by_hand_nobody_gets_two_cards_while_another_seat_waits() -> None:
    """1913."""
    assert rules(THREE_CARD, BY_HAND + TWO_IN_A_ROW + OVER) == ["packet-order"]
    assert rules(THREE_CARD, BY_HAND + lap(*ROUND) * 3 + OVER) == []
    (told,) = play(THREE_CARD, facts("card_position", "panel"), BY_HAND + TWO_IN_A_ROW + OVER).irregularities
    assert told.observed == {"position": "seat-1", "cards": 2, "waiting": "seat-2"}
    assert {3, 4, 8} <= set(told.evidence)  # the cards of that seat
    assert not {5, 7, 10} & set(told.evidence)


def test_packets_are_for_a_machine_that_is_not_heard() -> None:
    """1912: nobody said that the cards were shuffled by hand, or that was for the round before."""
    packets = "".join(lap(each) * 3 for each in ROUND)
    assert rules(THREE_CARD, CALL + packets + OVER) == []
    assert rules(THREE_CARD, BY_HAND + lap(*ROUND) * 3 + OVER + "+60\n" + CALL + packets + OVER) == []
    assert rules(THREE_CARD, BY_HAND + packets + OVER) == ["packet-order"]
    assert rules("toledo-2020/cajun-stud", BY_HAND + lap("seat-1", "seat-1", "seat-2", "seat-2") + OVER) == []


def test_two_cards_of_one_lap_that_are_told_in_another_order_show_nothing() -> None:
    second = lap("seat-2", "seat-1", "dealer")
    assert rules(THREE_CARD, BY_HAND + lap(*ROUND) + second + lap(*ROUND) + OVER) == []


def test_a_card_that_is_told_unread_and_then_read_is_no_second_one() -> None:
    twice = "-0.8\n" + laid("seat-1", "AS")
    assert rules(THREE_CARD, BY_HAND + lap("seat-1") + twice + lap(*ROUND[1:]) + lap(*ROUND) * 2 + OVER) == []


def test_a_hand_that_lacks_a_card_is_told_as_that() -> None:
    log = BY_HAND + lap("seat-1", "seat-1", "seat-2", "dealer", "seat-1", "dealer", "seat-2", "dealer") + "+20\n" + OVER
    assert rules(THREE_CARD, log) == ["wrong-card-count"]


@pytest.mark.parametrize(
    ("game", "places", "board"), [(HOLDEM, ("seat-1", "dealer"), 5), (MISSISSIPPI, ("seat-1", "seat-2"), 3)]
)
def test_by_hand_the_board_comes_first(game: str, places: tuple[str, ...], board: int) -> None:
    """2195, 3154."""
    hands, middle = lap(*places) * 2, lap(*["community"] * board)
    assert rules(game, BY_HAND + hands + middle + "+30\n" + OVER) == ["packet-order"]
    assert rules(game, BY_HAND + middle + hands + "+30\n" + OVER) == []


def test_a_board_that_is_seen_only_when_it_is_turned_may_have_been_dealt_first() -> None:
    hands = lap("seat-1", "dealer") * 2
    for board in ("2C 3C 4C 5D 6D", "2C null 4C 5D 6D"):
        assert rules(HOLDEM, BY_HAND + hands + laid("community", board) + "+30\n" + OVER) == []
    assert rules(HOLDEM, BY_HAND + hands + laid("community", "null null null") + "+30\n" + OVER) == []


def test_where_the_document_lets_the_board_come_last_by_hand() -> None:
    """Columbus 1819."""
    assert rules(OF_COLUMBUS, BY_HAND + lap("seat-1", "seat-2") * 2 + lap(*["community"] * 3) + "+30\n" + OVER) == []
