"""A clean simulated round of which one card's face was not read: whatever it was, nobody is accused.

With every device of the table, and without its panel, where only the cards tell one round from the next.
"""

from __future__ import annotations

import random

import pytest

from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Irregularity
from pitwatch.rules.table import TableFacts
from pitwatch.sim_hw.table import facts
from tests.conformance.cases import cases

ROUNDS, BLOTS = 8, 10
CARD = ("card_drawn", "card_placed")
GAMES = (
    "toledo-2020/mini-midi-baccarat", "california/pan-9-dragon-9-bonus", "california/party-craps",
    "toledo-2020/blackjack", "california/2-way-winner", "toledo-2020/three-card-poker", "toledo-2020/let-it-ride",
    "toledo-2020/pai-gow-poker", "california/casino-war", "columbus-2016/casino-war",
    "toledo-poker-guide/texas-holdem",
)  # fmt: skip


def reported(game: str, table: TableFacts, stream: list[Observation]) -> list[str]:
    engine = Engine(cases(game)[0].bench.game, table)
    records = [record for seq, each in enumerate(stream, start=1) for record in engine.feed(seq, each)]
    return [each.rule for each in [*records, *engine.finish()] if isinstance(each, Irregularity)]


def unread(seen: Observation) -> Observation:
    return Observation(seen.t, seen.device, seen.event, {**seen.data, "card": None})


@pytest.mark.parametrize("panel", [True, False], ids=["panel", "no panel"])
@pytest.mark.parametrize("game", GAMES)
def test_a_face_that_was_not_read_accuses_nobody(game: str, panel: bool) -> None:
    bench = cases(game)[0].bench
    whole = facts(bench.devices, bench.options, bench.people, bench.seats)
    kept = tuple(device for device in whole.devices if panel or device.type != "panel")
    table = TableFacts(devices=kept, options=whole.options, seats=whole.seats, people=whole.people)
    names = {device.id for device in kept}
    stream = [each for each in bench.run(ROUNDS, 3).observations if each.device in names]
    assert reported(game, table, stream) == []
    cards = [at for at, each in enumerate(stream) if each.event in CARD and each.data.get("card") is not None]
    for at in random.Random(game).sample(cards, min(BLOTS, len(cards))):
        blotted = [*stream[:at], unread(stream[at]), *stream[at + 1 :]]
        assert reported(game, table, blotted) == [], f"observation {at}: {stream[at]}"
