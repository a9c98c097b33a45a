"""Rounds of roulette and craps for the tests of the monitors: outcomes in, records out, through the engine."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from pitwatch.devices.observation import Observation
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import NOTHING_KEPT, Irregularity, Kept, Record, Round, Statistic, StatisticState
from pitwatch.rules.table import TableFacts
from tests.rules.table import facts

SECOND = 1_000_000_000


class Table:
    """A table that plays on: `records` holds what came out of it and of the run before, `after`; `left()` what the next
    run starts with. `kept`: what it starts with instead."""

    def __init__(
        self, game: str, *devices: str, after: Table | None = None, kept: Kept = NOTHING_KEPT, **table: object
    ):
        told: TableFacts = facts(*devices, **table)  # type: ignore[arg-type]
        self.records: list[Record] = list(after.records) if after is not None else []
        last = self.rounds[-1].round if self.rounds else max((number for number, _ in kept.counted), default=0)
        self.engine = Engine(load_game(game), told, last, after.left() if after is not None else kept)
        self.t = after.t if after is not None else 0
        self.seq = 0

    def see(self, device: str, event: str, **data: object) -> None:
        self.t += SECOND
        self.seq += 1
        self.records += self.engine.feed(self.seq, Observation(self.t, device, event, data))

    def of(self, kind: type[Record]) -> list:
        return [record for record in self.records if isinstance(record, kind)]

    @property
    def rounds(self) -> list[Round]:
        return self.of(Round)

    @property
    def suspected(self) -> list[str]:
        return [each.rule.rpartition("/")[2] for each in self.of(Irregularity) if each.rule.endswith("-suspected")]

    def newest(self, name: str) -> Statistic:
        """Of a monitor, after a clean stop."""
        return [each for each in self.of(Statistic) if name in (each.monitor, f"{each.monitor}-{each.key}")][-1]

    def stop(self) -> None:
        self.records += self.engine.finish()

    def left(self) -> Kept:
        """What the journal holds at the end, whether or not the run was stopped."""
        states = {(each.monitor, each.key): each for each in self.of(StatisticState)}
        newest = {each.monitor: at for at, each in enumerate(self.records) if isinstance(each, StatisticState)}
        since = min(newest.values(), default=-1)
        rounds = [each for each in self.records[since + 1 :] if isinstance(each, Round) and each.counted]
        return Kept(tuple(states.values()), tuple((each.round, each.counted) for each in rounds))  # type: ignore[misc]


class RouletteTable(Table):
    def __init__(self, after: Table | None = None, kept: Kept = NOTHING_KEPT, **table: object):
        super().__init__("toledo-2020/roulette", "wheel", "panel", "key_reader", after=after, kept=kept, **table)

    def spin(
        self, place: int, *, rotor: str = "ccw", before_rest: str = "", after_rest: str = "", **launch: object
    ) -> None:
        """The ball comes to rest at a place on the rotor."""
        self.see("wheel", "rotor", rpm=16.0, direction=rotor)
        self.see("wheel", "ball_launched", direction="cw" if rotor == "ccw" else "ccw", **launch)
        self.see("panel", "key_pressed", key="no_more_bets")
        if before_rest:
            self.see("panel", "key_pressed", key=before_rest)
        self.see("wheel", "ball_settled", pocket=DOUBLE_ZERO[place])
        if after_rest:
            self.see("panel", "key_pressed", key=after_rest)
        self.t += 40 * SECOND


class CrapsTable(Table):
    def __init__(self, **table: object):
        super().__init__("toledo-2020/craps", "dice", "panel", **table)  # type: ignore[arg-type]

    def roll(self, *faces: int | None, before_rest: str = "", after_rest: str = "") -> None:
        self.see("dice", "throw_started", dice=2)
        self.see("dice", "end_wall_struck", dice=2)
        if before_rest:
            self.see("panel", "key_pressed", key=before_rest)
        self.see("dice", "dice_settled", faces=list(faces), at=["layout", "layout"])
        if after_rest:
            self.see("panel", "key_pressed", key=after_rest)
        self.t += 20 * SECOND


def spins(seed: int, many: int, weights: Iterable[float] = (1.0,) * 38) -> Iterator[int]:
    yield from random.Random(seed).choices(range(38), list(weights), k=many)
