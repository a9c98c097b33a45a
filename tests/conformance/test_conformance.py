"""Every game of every book, at the size that a suite can afford; `make conformance` plays the full size."""

from __future__ import annotations

import pytest

from tests.conformance import catalogue
from tests.conformance.cases import all_games
from tests.conformance.exempt import NOT_PROVOKED, ONLY_A_PERSON, exemption
from tests.conformance.run import QUICK, conform, gaps

beside = pytest.mark.skipif(not catalogue.there(), reason=catalogue.ABSENT)


@pytest.mark.parametrize("game", all_games())
def test_a_game_conforms_to_its_book(game: str) -> None:
    """Clean rounds are silent, every rule that devices see is broken and gives its own verdict, all others can be
    reported."""
    outcome = conform(game, QUICK)
    assert outcome.wrong == []
    assert outcome.broken or not outcome.clean


@beside
def test_every_irregularity_of_the_documents_is_in_a_book() -> None:
    assert list(catalogue.unwritten()) == []


@beside
def test_what_devices_see_is_left_to_a_person_only_with_a_reason() -> None:
    assert list(catalogue.unexplained(ONLY_A_PERSON)) == []


def test_every_exemption_is_needed() -> None:
    used = {exemption(NOT_PROVOKED, where, rule) for game in all_games() for where, rule in gaps(game, excused=True)}
    assert [each for each in NOT_PROVOKED if each not in used] == []


@beside
def test_every_exemption_from_the_documents_is_needed() -> None:
    used = {exemption(ONLY_A_PERSON, each.game, each.id) for each in catalogue.left_to_persons()}
    assert [each for each in ONLY_A_PERSON if each not in used] == []
