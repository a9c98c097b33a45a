"""Party craps against lines 3350-3985 of California's rules: each rule beside the clean flip next to it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAME = "california/party-craps"


def cards(flip: str, to: str = "null") -> str:
    return "".join(f"shoe card_drawn card={card} to={to}\n" for card in flip.split())


def called(*flips: str) -> str:
    return "".join(CALL + cards(flip) + OVER for flip in flips)


def at(log: str, *devices: str, **table: Any) -> Played:
    start = "shuffler shuffle_started\nshuffler shuffle_completed cards=432\n"
    return play(GAME, facts(*(devices or ("shoe", "panel", "shuffler")), **table), start + log)


def test_a_flip_record_and_the_point() -> None:
    played = at(called("AS 3D", "6H 5H", "2C 2S", "6D 6C", "6H AH"))
    assert played.rules == []
    assert played.rounds[0].result == {
        "faces": [1, 3], "total": 4, "come_out": True, "point": 4, "decision": "point",
    }  # fmt: skip
    assert [(r.result["total"], r.result["decision"]) for r in played.rounds[1:]] == [
        (11, None), (4, "pass"), (12, "dont-pass-push"), (7, "pass"),
    ]  # fmt: skip


@pytest.mark.parametrize(("devices", "uncalled"), [(("shoe",), 0), (("shoe", "panel"), 3)])
def test_where_nobody_touches_a_key_two_cards_are_a_flip(devices: tuple[str, ...], uncalled: int) -> None:
    log = "shoe shoe_started decks=18\n" + cards("AS 3D 6H 5H 2C 2S")
    played = play(GAME, facts(*devices), log)
    assert played.rules == ["no-more-bets-not-called"] * uncalled
    assert [(r.result["total"], r.partial) for r in played.rounds] == [(4, False), (11, False), (4, False)]


@pytest.mark.parametrize(("flip", "rules"), [("AS 3D", []), ("AS", ["not-two-cards"]), ("AS 3D 4D", ["not-two-cards"])])
def test_two_cards_make_the_number(flip: str, rules: list[str]) -> None:
    played = at(called("4S 5D", flip, "3H 4H"))
    assert played.rules == rules
    if rules:
        (breach,) = played.irregularities
        assert (breach.round, breach.observed) == (2, {"cards": len(flip.split())})
        assert played.rounds[1].result["total"] is None
    assert at(CALL + cards("AS") + "panel key_pressed key=misdeal\n" + OVER).rules == []


def test_a_burn_is_no_card_of_the_flip() -> None:
    assert at(CALL + cards("2S", "burn") + cards("AS 3D") + OVER).rules == []


def test_cards_before_the_call() -> None:
    """3356, 3447-3448."""
    played = at(called("4S 5D") + cards("AS 3D") + OVER + called("2S 2D"))
    assert played.rules == ["no-more-bets-not-called"]
    assert (played.irregularities[0].round, played.irregularities[0].citation.lines) == (2, "3356, 3409, 3447-3448")


def test_the_cards_that_the_decks_hold() -> None:
    """3442: aces to sixes; with one deck no card comes twice in a flip."""
    assert at(called("7S 3D")).rules == ["foreign-card"]
    assert at(called("JK 3D")).rules == ["foreign-card"]
    one = {"options": {"decks": 1}}
    log = "shuffler shuffle_completed cards=24\n" + called("3D 3D")
    assert play(GAME, facts("shoe", "panel", "shuffler", **one), "shuffler shuffle_started\n" + log).rules == [
        "duplicate-card"
    ]
    assert at(called("3D 3D")).rules == []
    assert at("shuffler shuffle_completed cards=431\n").rules == ["deck-count-mismatch"]


def test_the_same_card_in_the_next_flip_is_the_same_card() -> None:
    log = "shuffler shuffle_started\nshuffler shuffle_completed cards=24\n" + called("3D 4D", "3D 4D", "4D 3D")
    assert play(GAME, facts("shoe", "panel", "shuffler", options={"decks": 1}), log).rules == []


def test_nobody_banks_a_third_flip_running() -> None:
    devices, bank = ("shoe", "panel", "seats", "shuffler"), "seats bank_moved seat=seat-{}\n"
    two = called("4S 5D", "AS 3D")
    assert at(bank.format(1) + two + bank.format(2) + two, *devices).rules == []
    assert at(bank.format(1) + two + called("2S 3S"), *devices).rules == ["bank-held-too-long"]


def test_an_unread_card_leaves_the_point_unknown_until_a_seven() -> None:
    played = at(called("AS 3D", "null 2D", "2C 2S", "3C 4S", "2S 2D"))
    assert played.rules == []
    assert [r.result["decision"] for r in played.rounds] == ["point", None, None, None, "point"]


def test_every_pair_of_pips_makes_its_total() -> None:
    for first, second in itertools.product("A23456", repeat=2):
        result = at(called(f"{first}S {second}D")).rounds[0].result
        assert result["total"] == "A23456".index(first) + "A23456".index(second) + 2


FELT = ("card_position", "panel")
THREE, LIFTED = laid("player", "3C"), taken("player", "3C")
UNREAD, LIFTED_UNREAD = laid("player", "null"), taken("player", "null")


@pytest.mark.parametrize(
    "again",
    [
        UNREAD + LIFTED_UNREAD + THREE,
        UNREAD + LIFTED + THREE,
        UNREAD + LIFTED,
        THREE + LIFTED_UNREAD + THREE,
        THREE + LIFTED + UNREAD,
        THREE + LIFTED + laid("community", "3C"),
        THREE + laid("player", "4D") + LIFTED + taken("player", "4D") + laid("discard", "3C 4D"),
    ],
)
def test_a_card_that_is_lifted_and_laid_again_is_no_card_more(again: str) -> None:
    """Though its face was read only the first time, or only the second."""
    four = "" if "4D" in again else laid("player", "4D")
    played = at((CALL + again + four + OVER) * 2, *FELT)
    assert (played.rules, [r.result["total"] for r in played.rounds]) == ([], [7, 7])


def test_another_card_than_the_one_lifted_is_one_too_many() -> None:
    assert at(CALL + THREE + laid("player", "4D") + LIFTED + laid("player", "5D") + OVER, *FELT).rules == [
        "not-two-cards"
    ]


def test_without_a_panel_cards_taken_away_end_the_flip_though_the_next_begins_with_the_same() -> None:
    played = at((laid("player", "3C 4D") + taken("player", "3C 4D")) * 3, "card_position", "shuffler")
    assert (played.rules, [r.result["total"] for r in played.rounds]) == ([], [7, 7, 7])


def test_without_a_panel_the_second_card_may_be_lifted_and_laid_again() -> None:
    flip = laid("player", "3C 4D") + taken("player", "4D") + laid("player", "4D") + taken("player", "4D 3C")
    played = at(flip * 3, "card_position", "shuffler")
    assert (played.rules, [r.result["total"] for r in played.rounds]) == ([], [7, 7, 7])
    untaken = at(laid("player", "3C 4D") * 3, "card_position", "shuffler")
    assert [r.result["total"] for r in untaken.rounds] == [7, 7, 7]
