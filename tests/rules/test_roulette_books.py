"""Roulette of every book that has a wheel on the floor: the same verdicts, each with its own book's lines."""

from __future__ import annotations

import pytest

from tests.rules.table import facts, play
from tests.rules.test_roulette import CLEAN

LINES = {  # Columbus, Section Four, lines 479-583
    "same-direction-spin": "504",
    "under-minimum-revolutions": "505",
    "foreign-object": "506",
    "floater": "507",
    "ball-expelled": "508",
}
GAME = "columbus-2016/roulette"
BROKEN = {
    "same-direction-spin": CLEAN.replace("direction=ccw", "direction=cw"),
    "under-minimum-revolutions": CLEAN.replace("revolutions=14", "revolutions=3"),
    "foreign-object": CLEAN.replace("+15", "wheel object_detected\n+14"),
    "floater": CLEAN.replace("+5", "wheel ball_floating\n+4"),
    "ball-expelled": CLEAN.replace("+5", "wheel ball_expelled\n+4"),
}


def test_a_clean_spin_is_silent() -> None:
    played = play(GAME, facts("wheel", "panel"), CLEAN)
    assert played.rules == []
    assert played.rounds[0].result == {"pocket": "17"}


@pytest.mark.parametrize("rule", LINES)
def test_no_spin(rule: str) -> None:
    played = play(GAME, facts("wheel", "panel"), BROKEN[rule])
    assert played.rules == [rule]
    (breach,) = played.irregularities
    assert (breach.disposition, breach.citation.section, breach.citation.lines) == ("no-spin", "Four", LINES[rule])
    assert played.rounds[0].void == rule


def test_the_four_revolutions_are_the_books() -> None:
    assert play(GAME, facts("wheel", "panel"), CLEAN.replace("revolutions=14", "revolutions=4")).rules == []


def test_two_reports_that_differ() -> None:
    played = play(GAME, facts("wheel", "panel"), CLEAN.replace('announced pocket="17"', 'announced pocket="4"'))
    assert played.rules == ["result-mismatch"]
    assert (played.irregularities[0].citation.section, played.irregularities[0].citation.lines) == ("One", "63")
