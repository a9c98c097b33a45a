"""A table that lacks a device, or two: clean play at it is silent. What cannot be seen is not judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import msgspec
import pytest

from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.game import Game
from pitwatch.rules.records import Irregularity
from pitwatch.rules.table import TableFacts
from pitwatch.sim_hw.table import facts
from tests.conformance.cases import cases

ROUNDS, SEED = 10, 11
GAMES = (
    "columbus-2016/texas-holdem", "columbus-2016/razz", "california/mexican-poker",
    "toledo-2020/three-card-poker", "toledo-2020/mississippi-stud",
    "california/three-card-poker", "california/ultimate-texas-holdem",
    "toledo-2020/pai-gow-poker", "california/fortune-pai-gow-poker", "california/pai-gow-tiles",
    "toledo-2020/roulette", "toledo-2020/craps", "california/party-craps",
    "toledo-2020/free-bet-blackjack", "columbus-2016/blackjack-switch",
    "california/pan-9-dragon-9-bonus", "california/matched-em",
)  # fmt: skip
FEW_CARDS = (
    "california/ez-baccarat-panda-8", "california/golden-frog-baccarat",
    "california/casino-war", "columbus-2016/casino-war",
)  # fmt: skip
"""Games of which many rounds are soon played."""
UNTOLD = frozenset(("bank_moved", "result_declared"))
"""Seats may tell who has a wager and not who banks; a shoe may tell no results."""


def lacking(table: TableFacts) -> Iterator[TableFacts]:
    """The table without each of its devices, without each two of them, and where nobody tells who banks or who won,
    with a panel and without."""
    keyless = tuple(each for each in table.devices if each.type != "panel")
    for lost in (*combinations(table.devices, 1), *combinations(table.devices, 2)):
        yield msgspec.structs.replace(table, devices=tuple(each for each in table.devices if each not in lost))
    for event in sorted(UNTOLD):
        for devices in (table.devices, keyless) if any(event in each.events for each in keyless) else ():
            mute = (msgspec.structs.replace(each, events=each.events - {event}) for each in devices)
            yield msgspec.structs.replace(table, devices=tuple(mute))


def reported(game: Game, table: TableFacts, stream: list[Observation]) -> list[str]:
    shows = {device.id: device.events for device in table.devices}
    seen = (each for each in stream if each.device in shows and each.event not in UNTOLD - shows[each.device])
    engine = Engine(game, table)
    records = [record for seq, each in enumerate(seen, start=1) for record in engine.feed(seq, each)]
    return [each.rule for each in [*records, *engine.finish()] if isinstance(each, Irregularity)]


@pytest.mark.parametrize(("game", "rounds"), [*((g, ROUNDS) for g in GAMES), *((g, 12 * ROUNDS) for g in FEW_CARDS)])
def test_clean_play_is_silent_whatever_the_table_lacks(game: str, rounds: int) -> None:
    bench = cases(game)[0].bench
    whole = facts(bench.devices, bench.options, bench.people, bench.seats)
    stream = bench.run(rounds, SEED).observations
    for table in lacking(whole):
        there = [device.id for device in table.devices]
        assert reported(bench.game, table, stream) == [], f"with {', '.join(there)}"
