"""One monitor as a table keeps it: its counts, its R, its level, and what it says when the level rises."""

from __future__ import annotations

import math
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pitwatch.rules.records import Statistic, StatisticLevel, StatisticState
from pitwatch.rules.statistics.categorical import Bet, Bets, Categorical, ratios

LEVELS: tuple[StatisticLevel, ...] = ("record", "notice", "alert", "critical")
NOTICE, ALERT, CRITICAL = 0.01, 1.0, 100.0
"""Parts of `c` at which R passes to the next level."""

REMEMBERED = 8192
"""Newest outcomes kept, so that an alarm can say over which stretch it counted."""


class Kind(NamedTuple):
    """What a monitor is. `c`: on fair equipment R passes it once in so many outcomes at most; `rule`: the suspicion, ""
    if none follows from it; `unit`: what is counted, in the plural; `subject`: the bet in words."""

    monitor: str
    bets: Bets
    c: float
    rule: str
    unit: str
    subject: Callable[[Bet], str]


def name_of(monitor: str, key: str) -> str:
    """By what a ledger is known: `pocket`, `signature-cw-unknown`."""
    return f"{monitor}-{key}" if key else monitor


def level_of(r: float, c: float) -> int:
    """The number of the level that R has reached."""
    return (r >= NOTICE * c) + (r >= ALERT * c) + (r >= CRITICAL * c)


def packed(numbers: Sequence[float]) -> str:
    """Doubles, little-endian, in base64: the same bits when they are read again."""
    return b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()


def unpacked(text: str) -> tuple[float, ...]:
    """Raises ValueError for what `packed` has not made."""
    raw = b64decode(text, validate=True)
    if len(raw) % 8:
        raise ValueError("a state whose numbers are cut short")
    return struct.unpack(f"<{len(raw) // 8}d", raw)


class Ledger:
    """`upto`: the last round it has counted; `changed`: since its state was last put out; `unreported`: since its
    statistic was. The level only rises, until the equipment is another."""

    def __init__(self, kind: Kind, key: str, scale: float):
        self.kind, self.key = kind, key
        self.c = kind.c * scale
        self.monitor = Categorical(kind.bets)
        self.epoch, self.since, self.upto, self.level = 1, 0, 0, 0
        self.changed = self.unreported = False
        self._recent = bytearray()

    def take(self, cells: Sequence[int], number: int) -> bool:
        """Count the outcomes of round `number`; returns whether the level rose."""
        for cell in cells:
            r = self.monitor.draw(cell)
            self._recent.append(cell)
        if len(self._recent) > 2 * REMEMBERED:
            del self._recent[:-REMEMBERED]
        self.since = self.since or number
        self.upto = number
        self.changed = self.unreported = True
        reached = level_of(r, self.c)
        rose, self.level = reached > self.level, max(self.level, reached)
        return rose

    def begin_again(self, *, keep_r: bool = False) -> None:
        """The equipment is another: a new epoch."""
        self.monitor.begin_again(keep_r=keep_r)
        self.epoch += 1
        self.since = 0
        self.level = level_of(self.monitor.r, self.c) if keep_r else 0
        self.changed = self.unreported = True
        self._recent.clear()

    def statistic(self) -> Statistic:
        """What is published of it."""
        bet = self.monitor.told()
        return Statistic(
            monitor=self.kind.monitor,
            key=self.key,
            epoch=self.epoch,
            since=self.since,
            n=self.monitor.n,
            ln_e=round(self.monitor.ln_e(), 9),
            r=self.monitor.r,
            c=self.c,
            level=LEVELS[self.level],
            told={"kind": bet.kind, "cells": list(bet.cells), "lift": bet.lift},
            counts=tuple(self.monitor.counts),
        )

    def state(self, equipment: str) -> StatisticState:
        """All that a later run needs to go on with the same bits."""
        return StatisticState(
            monitor=self.kind.monitor,
            key=self.key,
            equipment=equipment,
            epoch=self.epoch,
            since=self.since,
            upto=self.upto,
            level=self.level,
            counts=tuple(self.monitor.counts),
            numbers=packed(self.monitor.rs),
            recent=b64encode(self._recent[-REMEMBERED:]).decode(),
        )

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError for a state that is not one of this monitor."""
        recent = b64decode(state.recent, validate=True)
        if not 0 <= state.level < len(LEVELS) or any(cell >= len(self.kind.bets.null) for cell in recent):
            raise ValueError("a state with a level or an outcome that does not exist")
        self.monitor.restore(state.counts, unpacked(state.numbers))
        self.epoch, self.since, self.upto, self.level = state.epoch, state.since, state.upto, state.level
        self._recent = bytearray(recent)

    def finding(self) -> dict[str, Any]:
        """What the alarm is about, with the counts of the stretch up to now that speaks most for it."""
        bet, null = self.monitor.told(), self.kind.bets.null
        inside, outside = (math.log(each) for each in ratios(null, bet))
        cells, gain, best, hits, times, length = frozenset(bet.cells), 0.0, 0.0, 0, 0, 0
        for back, cell in enumerate(reversed(self._recent[-REMEMBERED:]), start=1):
            hit = cell in cells
            hits += hit
            gain += inside if hit else outside
            if gain > best:
                best, times, length = gain, hits, back
        expected = round(length * math.fsum(null[cell] for cell in bet.cells), 1)
        came = f"came {times:,} times in the last {length:,} {self.kind.unit}, {expected:,} expected"
        return {
            "finding": f"{self.kind.subject(bet)} {came}",
            "statistic": name_of(self.kind.monitor, self.key),
            "times": times,
            "of": length,
            "expected": expected,
            "ln_e": round(self.monitor.ln_e(), 9),
        }
