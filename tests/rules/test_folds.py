"""Folded hands of poker against the dealer: no jackpot where the book says so, and none that a supervisor verifies."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

ALL = ("card_position", "panel", "progressive", "key_reader")
WAGER = "progressive coin_in seat=seat-1\n"
MUCK = "5S 6S 7S 8S 9S"
TOLD = {"progressive-jackpot-hand", "jackpot-without-lockout"}


def turned(to: str, cards: str, lifted: str | None = None) -> str:
    gone = "".join("card_position card_removed card=null to=" + to + "\n" for _ in cards.split())
    return (gone if lifted is None else taken(to, lifted)) + laid(to, cards)


def crazy(game: str, *after: str) -> Played:
    deal = WAGER + CALL + laid("seat-1", MUCK) + laid("seat-2", "AH KD 9C 4H 2D")
    return play(
        game, facts(*ALL), deal + laid("dealer", "null null null null null") + "".join(after) + OVER + "+9\n" + CALL
    )


REVEAL = turned("dealer", "KH QD 8C 4C 3H")
FOLD = taken("seat-1", MUCK)
ASIDE = laid("discard", MUCK)


@pytest.mark.parametrize("game", ["columbus-2016/crazy-4-poker", "toledo-2020/crazy-4-poker"])
def test_a_folded_hand_is_no_jackpot(game: str) -> None:
    for fold in (FOLD + ASIDE, FOLD):
        played = crazy(game, fold, REVEAL)
        assert played.rules == []
        assert "progressive" not in played.rounds[0].result["seat-1"]["wagers"]


@pytest.mark.parametrize("game", ["columbus-2016/crazy-4-poker", "toledo-2020/crazy-4-poker"])
def test_a_hand_that_was_only_looked_at_or_is_collected_after_the_reveal_is_one(game: str) -> None:
    again = turned("dealer", "KH", "KH")
    for way in ((FOLD, REVEAL, laid("seat-1", MUCK)), (REVEAL, FOLD, ASIDE), (REVEAL, again, FOLD, ASIDE, again)):
        played = crazy(game, *way)
        assert set(played.rules) == TOLD
        assert played.rounds[0].result["seat-1"]["wagers"]["progressive"]


def test_a_reader_that_sees_through_backs_shows_the_reveal_as_well() -> None:
    deal = WAGER + CALL + laid("seat-1", MUCK) + laid("seat-2", "AH KD 9C 4H 2D") + laid("dealer", "KH QD 8C 4C 3H")
    reveal = turned("dealer", "KH QD 8C 4C 3H", "KH QD 8C 4C 3H")
    for fold, rules in ((FOLD + ASIDE, set()), ("", TOLD)):
        played = play("columbus-2016/crazy-4-poker", facts(*ALL), deal + fold + reveal + OVER + "+9\n" + CALL)
        assert set(played.rules) == rules


def test_the_hand_keyed_for_a_folded_one_is_not_seen() -> None:
    key = "progressive hand_keyed hand=straight-flush on=true\n"
    assert crazy("columbus-2016/crazy-4-poker", FOLD, ASIDE, REVEAL, key).rules == ["keyed-hand-not-seen"]
    assert crazy("columbus-2016/crazy-4-poker", FOLD, REVEAL, key).rules == [], "it may lie before the dealer"


def test_where_a_folded_hand_still_qualifies() -> None:
    """Toledo 4747."""
    deal = WAGER + CALL + laid("seat-1", "9S 8S") + laid("seat-2", "AH KD") + laid("community", "null null null")
    fold = taken("seat-1", "9S 8S") + laid("discard", "9S 8S")
    log = deal + turned("community", "7S") + fold + turned("community", "6S") + turned("community", "5S") + OVER
    played = play("toledo-2020/cajun-stud", facts(*ALL), SHUFFLE + log + "+9\n" + CALL)
    assert set(played.rules) & TOLD


SHUFFLE = "panel key_pressed key=hand_shuffled\n"


def test_nobody_verifies_a_hand_that_was_folded_before_the_board_made_it() -> None:
    deal = CALL + laid("seat-1", "9S 9D") + laid("seat-2", "AH AC") + laid("community", "null null null")
    fold = taken("seat-1", "9S 9D") + laid("discard", "9S 9D")
    board = [turned("community", card) for card in ("4S", "9H", "9C")]
    table = facts("card_position", "panel", options={"verification": "panel-key"})
    game = "columbus-2016/mississippi-stud"
    assert play(game, table, deal + board[0] + fold + board[1] + board[2] + OVER).rules == []
    assert play(game, table, deal + "".join(board) + fold + OVER).rules == ["premium-hand-unverified"]
