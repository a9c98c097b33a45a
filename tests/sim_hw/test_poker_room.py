"""A poker room however its table is equipped: clean hands are silent and whole, what can be seen is still found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pitwatch.sim_hw.dealers.poker_room import PokerRoom
from tests.sim_hw.tablerun import BenchTable

GAMES = (
    "columbus-2016/texas-holdem", "columbus-2016/pineapple-holdem", "toledo-poker-guide/omaha", "california/razz",
    "columbus-2016/seven-card-stud", "california/seven-card-stud", "california/mexican-poker", "california/drawmaha",
    "california/badugi", "california/chinese-poker",
)  # fmt: skip
ROUNDS = 50


def without(game: str, *types: str, burns: bool = True) -> BenchTable:
    table = BenchTable("poker-room", game)
    table.devices = [device for device in table.devices if device.type not in types]
    if not burns:
        table.devices = [
            _blind_to_burns(device) if device.type == "card_position" else device for device in table.devices
        ]
    return table


def _blind_to_burns(felt):
    channels = {channel: place for channel, place in felt.settings["channels"].items() if place != "burn"}
    return replace(felt, settings={**felt.settings, "channels": channels})


def silent_and_whole(table: BenchTable, still_open: int = 0) -> None:
    heard = table.run(ROUNDS, seed=4)
    assert heard.rules == Counter()
    assert len(heard.rounds) == ROUNDS - still_open
    assert not [each for each in heard.rounds if each.partial or each.void]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("types", [("shuffler",), ("seats", "enclosure"), ("shuffler", "seats", "enclosure")])
def test_clean_hands_are_silent_with_less_equipment(game: str, types: tuple[str, ...]) -> None:
    silent_and_whole(without(game, *types))


@pytest.mark.parametrize("game", GAMES)
def test_clean_hands_are_silent_without_a_panel_where_a_machine_bounds_them(game: str) -> None:
    silent_and_whole(without(game, "panel"), still_open=1)  # the last hand waits for the next shuffle


@pytest.mark.parametrize("game", GAMES)
def test_clean_hands_are_silent_where_burns_are_not_read(game: str) -> None:
    table = without(game, burns=False)
    silent_and_whole(table)
    assert not {"burn-missing", "burn-extra"} & set(table.provokable())


@pytest.mark.parametrize("game", GAMES)
def test_clean_hands_are_silent_on_a_felt_that_reads_no_card_face_down(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PokerRoom, "READS_DOWN", False)
    silent_and_whole(BenchTable("poker-room", game))


@pytest.mark.parametrize("rule", ["burn-missing", "burn-extra", "bad-beat-jackpot", "hole-cards-not-used"])
def test_what_shows_on_such_a_felt_is_still_found(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PokerRoom, "READS_DOWN", False)
    table = BenchTable("poker-room", "columbus-2016/bad-beat-jackpot")
    for seed in range(5):
        assert table.run(4, seed, table.plan(4, seed, [rule])).rules == {rule: 1}
