"""What the monitors of shoes and machines have in common: an epoch, a level, what is put out and kept of them.

What is published has no counts and names no suspicion: it may come while the next shoe is open.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence

from pitwatch.rules.fairness.ledger import LEVELS, level_of, packed
from pitwatch.rules.records import Statistic, StatisticState

LOWEST = -1e9
"""ln E of bets that are all lost."""


class Levelled:
    """`changed`: there is something to put out; `rose`: the level rose with the last outcome."""

    monitor = ""
    rule = ""

    def __init__(self, c: float, key: str = ""):
        self.c = c
        self.key = key
        self.epoch, self.since, self.upto, self.level = 1, 0, 0, 0
        self.changed = False
        self.rose = False

    def reached(self, r: float, number: int) -> None:
        """One more outcome is counted; `number` of the round in which it ended."""
        self.since = self.since or number
        self.upto = number
        level = level_of(r, self.c)
        self.rose, self.level = level > self.level, max(level, self.level)
        self.changed = True

    def reset(self) -> None:
        self.epoch += 1
        self.since = self.level = 0
        self.changed = True

    def statistic(self, n: int, ln_e: float, r: float) -> Statistic:
        return Statistic(
            monitor=self.monitor,
            key=self.key,
            epoch=self.epoch,
            since=self.since,
            n=n,
            ln_e=round(ln_e, 9) if math.isfinite(ln_e) else LOWEST,
            r=r,
            c=self.c,
            level=LEVELS[self.level],
            told=None,
        )

    def state(self, equipment: str, counts: Sequence[int], numbers: Sequence[float], recent: bytes) -> StatisticState:
        return StatisticState(
            monitor=self.monitor,
            key=self.key,
            equipment=equipment,
            epoch=self.epoch,
            since=self.since,
            upto=self.upto,
            level=self.level,
            counts=tuple(counts),
            numbers=packed(numbers),
            recent=b64encode(recent).decode(),
        )

    def take_over(self, state: StatisticState) -> None:
        if not 0 <= state.level < len(LEVELS):
            raise ValueError("a state with a level that does not exist")
        self.epoch, self.since, self.upto, self.level = state.epoch, state.since, state.upto, state.level
