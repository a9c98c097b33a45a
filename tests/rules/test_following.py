"""What a game is followed by, and which devices are of no use to it."""

from __future__ import annotations

import pytest

from pitwatch.rules.book import book as books
from pitwatch.rules.book import load_game
from pitwatch.rules.engine.following import followed_by, idle
from tests.rules.table import facts


def test_every_game_but_a_schedule_is_followed_by_something() -> None:
    for folder in books.books():
        for name in books.games(folder):
            game = books.read_game(folder, name)
            assert bool(followed_by(game)) == (game.family != "schedule"), game.path


@pytest.mark.parametrize(
    ("game", "needs"),
    [
        ("toledo-2020/roulette", ["wheel.ball_launched"]),
        ("toledo-2020/craps", ["dice.throw_started"]),
        ("california/party-craps", ["shoe.card_drawn", "card_position.card_placed", "shuffler.packet_dispensed"]),
        ("toledo-2020/blackjack", ["shoe.card_drawn:placed", "card_position.card_placed", "shuffler.packet_dispensed"]),
    ],
)
def test_what_a_round_is_seen_by(game: str, needs: list[str]) -> None:
    assert followed_by(load_game(game)) == needs


@pytest.mark.parametrize(
    ("game", "devices", "useless"),
    [
        ("toledo-2020/craps", ["dice", "panel", "key_reader", "enclosure"], []),
        ("toledo-2020/craps", ["wheel", "panel", "shoe"], ["wheel", "shoe"]),
        ("toledo-2020/blackjack", ["shoe", "peek", "seats", "wheel"], ["wheel"]),
        ("toledo-2020/pai-gow-poker", ["shuffler", "card_position", "dice"], []),
        ("california/pure-21-5-blackjack", ["shoe", "peek"], []),  # no rule needs it, but the procedure looks at it
    ],
)
def test_devices_that_show_nothing_the_game_uses(game: str, devices: list[str], useless: list[str]) -> None:
    assert [device.id for device in idle(load_game(game), facts(*devices))] == useless
