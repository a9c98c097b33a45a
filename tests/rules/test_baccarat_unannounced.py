"""Baccarat: a round that is dealt while no key has told the last one's end, and the order of the first four cards.

Mini/Midi Baccarat of toledo-2020, lines 3844, 3868-3872, 3989-3990, and its like in the other books of Ohio.
"""

from __future__ import annotations

import pytest

from tests.rules.table import Played, facts, play
from tests.rules.test_baccarat import CALL, NATURAL, OVER, SHOE, STAND, line, pairs_of, shoe

OHIO = (
    "toledo-2020/mini-midi-baccarat", "toledo-2020/ez-baccarat", "toledo-2019/mini-midi-baccarat",
    "columbus-2016/mini-baccarat", "columbus-2016/commission-free-baccarat-dragon-bonus",
)  # fmt: skip
GAME = OHIO[0]
PAUSE = "+20\n"
NEXT = "P:TS B:KD P:6C B:7H"


def felt(cards: str) -> str:
    return "".join(line("card_placed", card, to) for to, card in pairs_of(cards))


def both(cards: str) -> str:
    return "".join(shoe(card) + felt(card) for card in cards.split())


READ = {"shoe": shoe, "shoe card_position": both, "card_position": felt}


def at(log: str, devices: str = "shoe", game: str = GAME) -> Played:
    burnt = "shoe card_drawn card=AS to=burn\nshoe card_drawn card=5D to=burn\n" if "shoe" in devices else ""
    if "shoe" not in devices:
        log = "".join(line for line in log.splitlines(True) if not line.startswith("shoe "))
    return play(game, facts(*devices.split(), "panel", without=["result_declared"]), SHOE + burnt + log)


@pytest.mark.parametrize("devices", READ)
def test_a_round_dealt_after_a_complete_one_without_a_call(devices: str) -> None:
    read = READ[devices]
    played = at(CALL + read(NATURAL) + PAUSE + read(NEXT) + PAUSE + CALL + read(STAND) + OVER, devices)
    assert played.rules == ["no-more-bets-not-called"]
    assert [each.result["winner"] for each in played.rounds] == ["player", "banker", "banker"]
    assert played.rounds[1].cards == {"player": ["TS", "6C"], "banker": ["KD", "7H"]}
    assert played.irregularities[0].round == 2
    called = CALL + read(NATURAL) + PAUSE + CALL + read(NEXT) + PAUSE + CALL + read(STAND) + OVER
    assert at(called, devices).rules == []


def test_cards_drawn_in_error_after_a_pause_are_told_at_the_key() -> None:
    for key in (OVER, PAUSE + CALL, "panel key_pressed key=misdeal\n"):
        played = at(CALL + shoe(NATURAL) + PAUSE + shoe("P:TS") + key)
        assert played.rules[:1] == ["third-card-rule"]
        assert played.rounds[0].cards["player"] == ["9D", "KC", "TS"]
    assert at(CALL + shoe(NATURAL) + PAUSE + shoe("P:TS P:6C") + OVER).rules == [
        "third-card-rule", "more-than-one-extra-card",
    ]  # fmt: skip


def test_a_card_drawn_in_error_at_once_is_told_at_once() -> None:
    played = at(CALL + shoe(NATURAL) + shoe("P:TS"))
    assert played.rules == ["third-card-rule"]


def test_a_call_just_after_the_first_card_is_late() -> None:
    played = at(CALL + shoe(NATURAL) + PAUSE + shoe("P:TS") + CALL + shoe("B:KD P:6C B:7H") + OVER)
    assert played.rules == ["no-more-bets-not-called"]
    assert [each.result["winner"] for each in played.rounds] == ["player", "banker"]


def test_a_third_card_that_is_due_may_be_long_in_coming() -> None:
    patient = "P:2D B:3S P:KC B:KH"
    assert at(CALL + shoe(patient) + PAUSE + shoe("P:7C") + PAUSE + shoe("B:2D") + OVER).rules == []


@pytest.mark.parametrize("game", OHIO)
def test_the_first_four_cards_leave_the_shoe_in_turn(game: str) -> None:
    for devices in ("shoe", "shoe card_position"):
        read = READ[devices]
        played = at(CALL + read("P:6D P:KC B:7S B:KH") + OVER, devices, game)
        assert played.rules == ["wrong-initial-sequence"]
        assert played.irregularities[0].observed == {"card": 2, "to": "player"}
        assert at(CALL + read(STAND) + OVER, devices, game).rules == []


def test_the_banker_s_cards_may_wait_under_the_shoe() -> None:
    """3990: they come to the felt when the player's hand is announced."""
    late = felt("P:6D P:KC B:7S B:KH")
    assert at(CALL + late + OVER, "card_position").rules == []
    assert at(CALL + shoe(STAND) + late + OVER, "shoe card_position").rules == []


def test_cards_in_turn_without_a_pause_are_cards_too_many() -> None:
    played = at(CALL + shoe(NATURAL) + shoe("P:TS B:2D P:6C") + OVER)
    assert "more-than-one-extra-card" in played.rules
    assert len(played.rounds) == 1
