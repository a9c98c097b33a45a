"""Every way out that a document names: the fault is played, then its remedy, then a clean round. The fault alone is
told: a remedy that is carried out as written is never an irregularity.

Every rule that devices judge and that has a disposition, and every one that voids a round, has a play, or a line that
says why there is nothing to play.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.records import VOIDING
from tests.conformance.cases import all_games
from tests.rules import (
    remedies_of_cards,
    remedies_of_games,
    remedies_of_jackpots,
    remedies_of_poker,
    remedies_of_reports,
)
from tests.rules.remedies_of_cards import Play
from tests.rules.table import facts, play

PEOPLE = {"1:1": "supervisor", "1:2": "dealer", "1:3": "shift-manager", "1:4": "assistant-table-games-manager"}
PLAYS = (
    *remedies_of_cards.plays(),
    *remedies_of_games.plays(),
    *remedies_of_jackpots.plays(),
    *remedies_of_poker.plays(),
    *remedies_of_reports.plays(),
)

NOTHING_TO_PLAY = {  # family, rule
    ("craps", "shuffle*"): "no cards to shuffle",
    ("roulette", "shuffle*"): "no cards to shuffle",
    ("schedule", "*"): "a schedule of fees beside the games: nothing is dealt",
    ("poker-room", "too-few-players"): "nothing is done: the hand is not eligible",
    ("poker-room", "hole-cards-not-used"): "nothing is done: the hand does not qualify",
    ("pai-gow", "foul*"): "the wager is lost: how it is settled shows on no device",
}


@pytest.mark.parametrize("each", PLAYS, ids=lambda each: f"{each.rule} {each.game}")
def test_the_fault_is_told_and_the_way_out_is_not(each: Play) -> None:
    table = facts(*each.devices, people=PEOPLE, options=dict(each.options))
    played = play(each.game, table, each.fault + each.remedy + each.clean)
    assert played.rules == list(each.told or (each.rule,))
    last = played.rounds[-1]
    assert (last.partial, last.void, last.irregularities) == (False, None, ())
    assert last.result


def _dispositions() -> set[tuple[str, str, str]]:
    """Family, rule and disposition of all that devices judge and that a document says what to do about, and of all that
    voids a round, whoever sees it."""
    found = set()
    for name in all_games():
        game = load_game(name)
        for rule in game.rules.values():
            seen = "person" not in str(rule.needs)
            if (seen and rule.disposition != "none-stated") or rule.disposition in VOIDING:
                found.add((game.family, rule.id, rule.disposition))
    return found


def test_every_way_out_is_played_or_has_a_reason_not_to_be() -> None:
    played = set()
    for each in PLAYS:
        game = load_game(each.game)
        played.add((game.family, each.rule, game.rules[each.rule].disposition))
    excused = {
        one
        for one in _dispositions()
        for family, rule in NOTHING_TO_PLAY
        if family == one[0] and fnmatchcase(one[1], rule)
    }
    assert sorted(_dispositions() - played - excused) == []
    assert sorted(played & excused) == []
    unused = [
        each
        for each in NOTHING_TO_PLAY
        if not any(each[0] == one[0] and fnmatchcase(one[1], each[1]) for one in excused)
    ]
    assert unused == []
