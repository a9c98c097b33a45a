"""A table that lacks a device, or two: clean play at it is silent. What cannot be seen is not judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import msgspec
import pytest

from devices.observation import Observation
from rules.engine import Engine
from rules.game import Game
from rules.records import Irregularity
from rules.table import TableFacts
from sim_hw.table import facts
from tests.conformance.cases import cases

ROUNDS, SEED = 10, 11
GAMES = (
    "columbus-2016/texas-holdem", "columbus-2016/razz", "california/mexican-poker",
    "toledo-2020/three-card-poker", "toledo-2020/mississippi-stud",
    "california/three-card-poker", "california/ultimate-texas-holdem",
    "toledo-2020/pai-gow-poker", "california/fortune-pai-gow-poker", "california/pai-gow-tiles",
    "toledo-2020/roulette", "toledo-2020/craps", "california/party-craps",
    "toledo-2020/free-bet-blackjack", "columbus-2016/blackjack-switch",
    "california/ez-baccarat-panda-8", "california/golden-frog-baccarat",
    "california/casino-war", "columbus-2016/casino-war", "california/matched-em", "california/pan-9-dragon-9-bonus",
)  # fmt: skip
MARKER = "bank_moved"
"""Seats may tell who has a wager and not who banks."""


def lacking(table: TableFacts) -> Iterator[TableFacts]:
    """The table without each of its devices, without each two of them, and with seats that do not tell who banks."""
    for lost in (*combinations(table.devices, 1), *combinations(table.devices, 2)):
        yield msgspec.structs.replace(table, devices=tuple(each for each in table.devices if each not in lost))
    if any(MARKER in device.events for device in table.devices):
        yield msgspec.structs.replace(
            table, devices=tuple(msgspec.structs.replace(each, events=each.events - {MARKER}) for each in table.devices)
        )


def reported(game: Game, table: TableFacts, stream: list[Observation]) -> list[str]:
    shows = {device.id: MARKER in device.events for device in table.devices}
    seen = (each for each in stream if each.device in shows and (each.event != MARKER or shows[each.device]))
    engine = Engine(game, table)
    records = [record for seq, each in enumerate(seen, start=1) for record in engine.feed(seq, each)]
    return [each.rule for each in [*records, *engine.finish()] if isinstance(each, Irregularity)]


@pytest.mark.parametrize("game", GAMES)
def test_clean_play_is_silent_whatever_the_table_lacks(game: str) -> None:
    bench = cases(game)[0].bench
    whole = facts(bench.devices, bench.options, bench.people, bench.seats)
    stream = bench.run(ROUNDS, SEED).observations
    for table in lacking(whole):
        there = [device.id for device in table.devices]
        assert reported(bench.game, table, stream) == [], f"with {', '.join(there)}"
