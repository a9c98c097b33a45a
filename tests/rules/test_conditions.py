"""Conditions that last: each is an alert as long as it lasts, whatever else comes meanwhile."""

from __future__ import annotations

import pytest

from tests.rules.table import facts, play

ERROR, CLEARED = "shoe reader_error kind={}\n", "shoe reader_error_cleared kind={}\n"
TABLE = facts("shoe", "enclosure", "shuffler")


def alerts(log: str) -> list[tuple[str, bool, float]]:
    played = play("toledo-2020/mini-midi-baccarat", TABLE, log)
    return [(alert.key, alert.raised, alert.since) for alert in played.alerts]


@pytest.mark.parametrize(
    ("log", "over"),
    [
        (ERROR.format("overdraw") + CLEARED.format("overdraw"), True),
        (ERROR.format("overdraw") + ERROR.format("unreadable") + CLEARED.format("overdraw"), False),
        (ERROR.format("overdraw") + ERROR.format("unreadable") + CLEARED.format("unreadable"), False),
        (
            ERROR.format("overdraw") * 2
            + ERROR.format("unreadable")
            + CLEARED.format("unreadable")
            + CLEARED.format("overdraw"),
            True,
        ),
        (ERROR.format("overdraw") + ERROR.format("unreadable") + CLEARED.format("null"), True),
        (ERROR.format("null") + CLEARED.format("overdraw"), True),
    ],
)
def test_a_readers_errors_are_over_when_the_last_kind_is(log: str, over: bool) -> None:
    told = [("shoe-reader-error", True, 1.0)]
    assert alerts(log) == ([*told, ("shoe-reader-error", False, 1.0)] if over else told)


def test_a_condition_is_told_once_and_ends_once() -> None:
    assert alerts("shuffler jammed\n" * 2 + "shuffler jam_cleared\n" * 2) == [
        ("shuffler-jam", True, 1.0),
        ("shuffler-jam", False, 1.0),
    ]


def test_an_enclosure_that_is_still_open_as_its_sensor_comes_back_was_not_opened_again() -> None:
    away = "enclosure device_offline reason=unplugged\nenclosure device_online\n"
    still = "enclosure opened\n" + away + "enclosure opened\n"
    assert play("toledo-2020/roulette", TABLE, still).rules == ["tampering-suspected"]
    assert play("california/casino-war", TABLE, still).rules == ["enclosure-opened"]
    again = "enclosure opened\n" + away + "enclosure closed\nenclosure opened\n"
    assert play("toledo-2020/roulette", TABLE, again).rules == ["tampering-suspected"] * 2
