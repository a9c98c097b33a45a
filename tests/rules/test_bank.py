"""The bank: nobody holds it for more rounds than the book allows (california 3102: two; toledo-2020 2504: one)."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL
from tests.rules.table import Played, facts, play

CALIFORNIA = "california/fortune-pai-gow-poker"
OHIO = "toledo-2020/pai-gow-poker"
DEVICES = ("shuffler", "panel", "seats")
ROUND = CALL + "shuffler packet_dispensed cards=7 to=null\n" * 7 + "panel key_pressed key=round_over\n"
HELD = "bank-held-too-long"


def bank(seat: str) -> str:
    return f"seats bank_moved seat={seat}\n"


def pai_gow(log: str, game: str = CALIFORNIA) -> Played:
    return play(game, facts(*DEVICES), log)


def test_a_third_round_running_is_told_at_its_first_card() -> None:
    played = pai_gow(bank("seat-2") + ROUND * 3)
    assert played.rules == [HELD]
    (told,) = played.irregularities
    assert (told.round, told.observed) == (3, {"seat": "seat-2", "rounds_running": 3})
    assert told.required == {"rounds_at_most": 2}
    assert 1 in told.evidence


@pytest.mark.parametrize(
    "log",
    [
        bank("seat-2") + ROUND * 2 + bank("seat-3") + ROUND * 2 + bank("seat-2") + ROUND * 2,
        bank("null") + ROUND * 5,
        ROUND * 5,
        bank("seat-2") + ROUND * 2 + CALL + bank("seat-3"),
    ],
    ids=["it goes round", "nobody banks", "nobody says", "a call deals nothing"],
)
def test_two_rounds_are_none_too_many(log: str) -> None:
    assert pai_gow(log).rules == []


def test_the_marker_that_comes_back_between_two_rounds_never_left() -> None:
    assert pai_gow(bank("seat-2") + ROUND * 2 + bank("seat-3") + bank("seat-2") + ROUND).rules == [HELD]


def test_a_fourth_round_is_told_again() -> None:
    assert pai_gow(bank("seat-2") + ROUND * 4).rules == [HELD, HELD]


def test_a_void_round_is_no_round() -> None:
    void = CALL + "shuffler packet_dispensed cards=7 to=null\npanel key_pressed key=misdeal\n"
    assert pai_gow(bank("seat-2") + ROUND + void + ROUND).rules == []


def test_while_the_sensors_are_away_the_bank_may_have_moved() -> None:
    away = "seats device_offline reason=silent\nseats device_online\n"
    assert pai_gow(bank("seat-2") + ROUND * 2 + away + ROUND).rules == []
    assert pai_gow(bank("seat-2") + ROUND + away + bank("seat-2") + ROUND * 2).rules == []


def test_a_round_that_was_not_seen_whole_breaks_the_run_if_somebody_else_banked_it() -> None:
    half = CALL + "shuffler device_offline reason=silent\nshuffler device_online\n" + ROUND.partition("\n")[2]
    others = bank("seat-2") + ROUND * 2 + bank("seat-3") + half + bank("seat-2") + ROUND
    played = pai_gow(others)
    assert [each.partial for each in played.rounds] == [False, False, True, False]
    assert played.rules == []
    assert pai_gow(others.replace(bank("seat-3"), bank("seat-2"))).rules == [HELD]


def test_in_ohio_one_round_is_the_limit() -> None:
    assert pai_gow(bank("seat-2") + ROUND * 2, OHIO).rules == [HELD]
    assert pai_gow(bank("seat-2") + ROUND + bank("null") + ROUND * 2 + bank("seat-2") + ROUND, OHIO).rules == []
