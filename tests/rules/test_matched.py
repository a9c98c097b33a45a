"""Matched'em against california, lines 432-530: the pit log, then the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play, silent

GAME = "california/matched-em"
SQUARES = "AS KH QS"


def matched(log: str, *devices: str, **table: Any) -> Played:
    return play(GAME, facts(*(devices or ("card_position", "panel")), **table), OVER + log)


ROUND = laid("community", SQUARES) + CALL


def test_the_document_s_own_example() -> None:
    """460: the third card of the second deck is the ace of diamonds; Main wins, Copy and Door lose."""
    round_ = silent(matched(ROUND + laid("dealer", "4C 9H AD") + OVER))
    assert round_.result == {"squares": SQUARES.split(), "match": 1, "cards": 3, "copy": False, "door": False}


@pytest.mark.parametrize(("card", "copy"), [("KH", True), ("KS", False)])
def test_copy_and_door(card: str, copy: bool) -> None:
    result = silent(matched(ROUND + laid("dealer", card) + OVER)).result
    assert (result["match"], result["copy"], result["door"]) == (2, copy, True)


def test_a_square_of_a_rank_that_lies_already_is_replaced() -> None:
    log = laid("community", "AS AH") + taken("community", "AH") + laid("community", "KH QS") + CALL
    assert silent(matched(log + laid("dealer", "KD") + OVER)).result["squares"] == SQUARES.split()


def test_two_squares_alike_when_the_second_deck_is_dealt() -> None:
    played = matched(laid("community", "AS AH QS") + CALL + laid("dealer", "QD") + OVER)
    assert played.rules == ["duplicate-square-card"]
    assert played.irregularities[0].observed == {"squares": ["AS", "AH", "QS"]}


def test_a_card_after_the_match() -> None:
    assert matched(ROUND + laid("dealer", "4C AD 5C") + OVER).rules == ["dealt-past-match"]


def test_no_match_at_the_end() -> None:
    assert matched(ROUND + laid("dealer", "4C 5C") + OVER).rules == ["ended-without-match"]
    assert matched(ROUND + laid("dealer", "4C null") + OVER).rules == []
    assert matched(ROUND + laid("dealer", "4C 5C")).rules == []


def test_a_reader_with_one_place_for_all_cards() -> None:
    result = silent(matched(ROUND + laid("community", "4C 9H AD") + OVER)).result
    assert (result["match"], result["cards"]) == (1, 3)


def test_rounds_one_after_the_other() -> None:
    played = matched((ROUND + laid("dealer", "4C AD") + OVER) * 3)
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [False] * 3


def test_a_start_in_mid_round_judges_nothing() -> None:
    log = laid("community", "AS AH QS") + CALL + laid("dealer", "4C") + OVER + ROUND + laid("dealer", "KC") + OVER
    played = play(GAME, facts("card_position", "panel"), log)
    assert played.rules == []
    assert [round_.partial for round_ in played.rounds] == [True, False]
