"""Clean play at a table whose reader under the felt loses a card for a moment, reads it only the second time, tells a
lift unread or misses it: nobody is accused."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Irregularity
from pitwatch.rules.table import TableFacts
from pitwatch.sim_hw.table import facts
from tests.conformance.cases import cases

ROUNDS, SPOTS = 4, 10
GAMES = (
    "toledo-2020/three-card-poker", "toledo-2020/let-it-ride", "toledo-2020/ultimate-texas-holdem",
    "california/mississippi-stud", "toledo-2020/pai-gow-poker", "california/pai-gow-poker",
    "columbus-2016/texas-holdem", "columbus-2016/razz", "california/mexican-poker", "california/badugi",
    "toledo-2020/blackjack", "toledo-2020/zappit-blackjack", "columbus-2016/blackjack-switch", "california/matched-em",
)  # fmt: skip
PLACED, REMOVED = "card_placed", "card_removed"
A_MOMENT = 30_000_000
MISSED = "misses that it was lifted"

Stream = list[Observation]


def again(seen: Observation, event: str, moments: int = 0, read: bool = True) -> Observation:
    data = seen.data if read else {**seen.data, "card": None}
    return Observation(seen.t + moments * A_MOMENT, seen.device, event, data)


FLAWS: dict[str, tuple[str, Callable[[Observation], Stream]]] = {
    "loses it for a moment": (PLACED, lambda seen: [seen, again(seen, REMOVED, 1), again(seen, PLACED, 2)]),
    "loses it unread": (PLACED, lambda seen: [seen, again(seen, REMOVED, 1, read=False), again(seen, PLACED, 2)]),
    "reads it the second time": (
        PLACED,
        lambda seen: [again(seen, PLACED, 0, read=False), again(seen, REMOVED, 1, read=False), again(seen, PLACED, 2)],
    ),
    "lifted unread": (REMOVED, lambda seen: [again(seen, REMOVED, 0, read=False)]),
    MISSED: (REMOVED, lambda seen: []),
}


def reported(game: str, table: TableFacts, stream: Stream) -> list[str]:
    engine = Engine(cases(game)[0].bench.game, table)
    t, records = 0, []
    for seq, seen in enumerate(stream, start=1):
        t = max(t, seen.t)
        records += engine.feed(seq, Observation(t, seen.device, seen.event, seen.data))
    return [each.rule for each in [*records, *engine.finish()] if isinstance(each, Irregularity)]


@pytest.mark.parametrize("game", GAMES)
def test_a_reader_with_flaws_accuses_nobody(game: str) -> None:
    bench = cases(game)[0].bench
    table = facts(bench.devices, bench.options, bench.people, bench.seats)
    stream = bench.run(ROUNDS, 7).observations
    assert reported(game, table, stream) == []
    tried = set()
    for flaw, (event, made) in FLAWS.items():
        if flaw == MISSED and "draw-count-mismatch" in bench.game.rules:
            continue  # a discard that was not seen to go is a card too many
        found = [at for at, each in enumerate(stream) if each.event == event and each.data.get("card") is not None]
        for at in random.Random(flaw).sample(found, min(SPOTS, len(found))):
            flawed = [*stream[:at], *made(stream[at]), *stream[at + 1 :]]
            assert reported(game, table, flawed) == [], f"{flaw}, observation {at + 1}: {stream[at]}"
            tried.add(flaw)
    assert tried >= set(FLAWS) - {MISSED}
