"""An upgrade of many boards in rings: it stops by itself when a table of a ring is worse than before.

The board puts its old version back by itself if a table is not watched again. What shows only later, or only in what
tables publish, is judged here, before the next ring.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from pitwatch.daemon.upkeep.answer import Answer
from pitwatch.floor.fleet.clean_text import clean
from pitwatch.floor.fleet.config import Board, Fleet
from pitwatch.floor.fleet.heard import Heard
from pitwatch.floor.fleet.judging import Before, before, worse
from pitwatch.floor.fleet.rings import split
from pitwatch.floor.fleet.ssh import UnreachableError, order

AT_ONCE = 8
"""Boards that are given an order at the same time."""
STATE_S = 60.0
APT_S = 1_800.0
"""Seconds that a board has for apt, beside its patience."""
LASTS_S = 15.0
"""What is worse counts when it has lasted so long: a device may be away for a moment."""
LOOK_S = 0.5

Say = Callable[[dict[str, Any], str], None]
"""One event of the upgrade: for scripts, and in words."""
Give = Callable[[Board, Sequence[str], float], Awaitable[Answer]]


class Told(NamedTuple):
    """What became of a board; `answer` is None if it was not reached."""

    board: Board
    answer: Answer | None
    reason: str

    @property
    def done(self) -> bool:
        return self.answer is not None and self.answer.result == "done"


def giving(fleet: Fleet) -> Give:
    """Orders over ssh."""
    return lambda board, words, limit_s: order(fleet, board, words, limit_s)


async def ask_all(boards: Sequence[Board], words: Sequence[str], limit_s: float, give: Give) -> list[Told]:
    """One order to many boards, so many at once."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(board: Board) -> Told:
        async with free:
            try:
                answer = await give(board, words, limit_s)
            except UnreachableError as error:
                return Told(board, None, str(error))
            return Told(board, answer, answer.reason)

    return list(await asyncio.gather(*(one(board) for board in boards)))


class Upgrade:
    """`run` returns whether every board has the version now. `heard` is filled meanwhile by a feed, whose state
    `connected` gives."""

    def __init__(
        self,
        fleet: Fleet,
        heard: Heard,
        say: Say,
        connected: Callable[[], bool],
        give: Give | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._fleet = fleet
        self._heard = heard
        self._say = say
        self._connected = connected
        self._give = give or giving(fleet)
        self._clock = clock

    async def run(
        self, boards: Sequence[Board], version: str, rings: Sequence[int | None], soak_s: float, plan_only: bool = False
    ) -> bool:
        states = await ask_all(boards, ("state",), STATE_S, self._give)
        missed = [told for told in states if not told.done]
        for told in missed:
            self._tell("not_reached", told.board, f"not reached: {told.reason}")
        due = [told.board for told in states if told.done and told.answer and told.answer.package != version]
        was = {table: before(self._heard.tables.get(table)) for board in due for table in board.tables}
        due.sort(key=lambda board: not all(was[table].watched for table in board.tables))  # a ring must show something
        ways = split(due, rings)
        left = due[sum(map(len, ways)) :]
        for number, ring in enumerate(ways, 1):
            names = ", ".join(board.name for board in ring)
            self._say({"event": "ring", "ring": number, "boards": [b.name for b in ring]}, f"ring {number}: {names}")
            if plan_only:
                continue
            if fault := await self._ring(ring, version, soak_s, was):
                rest = [board.name for later in (*ways[number:], left) for board in later]
                untouched = f"{len(rest)} boards were not touched" if rest else "no board is left"
                self._say(
                    {"event": "stopped", "ring": number, "reason": fault, "untouched": rest},
                    f"STOPPED in ring {number}: {fault}; {untouched}. `pitwatch fleet rollback` puts the version "
                    "before it back",
                )
                return False
        if left:
            self._say({"event": "left", "boards": [board.name for board in left]}, f"{len(left)} boards are in no ring")
        return not missed and not left and not plan_only

    async def _ring(self, ring: Sequence[Board], version: str, soak_s: float, was: dict[str, Before]) -> str:
        """Why it is worse; empty if it is not."""
        patience = self._fleet.patience_s
        words = ("upgrade", version, str(patience))
        told = await ask_all(ring, words, APT_S + 2 * patience, self._give)
        for each in told:
            outcome = each.answer.result if each.answer is not None else "not_reached"
            named = {"done": f"has {version}", "put_back": "has put its old version back"}.get(outcome, outcome)
            self._tell(outcome, each.board, f"{named}{': ' if each.reason else ''}{each.reason}")
        if failed := [each for each in told if not each.done]:
            return "; ".join(f"{each.board.name}: {each.reason or 'failed'}" for each in failed[:3])
        tables = [table for board in ring for table in board.tables]
        end = self._clock() + patience
        while fault := self._worse(tables, version, was, {}):
            if self._clock() > end:
                return fault
            await asyncio.sleep(LOOK_S)
        runs = {table: said.status.boot for table in tables if (said := self._heard.tables.get(table)) and said.status}
        return await self._soak(tables, version, soak_s, was, runs)

    async def _soak(
        self, tables: Sequence[str], version: str, soak_s: float, was: dict[str, Before], runs: dict[str, str]
    ) -> str:
        """Look for so many seconds, in which the broker was there."""
        self._say({"event": "soak", "seconds": soak_s}, f"looking at its tables for {soak_s:.0f} s")
        left, at, since = soak_s, self._clock(), -1.0
        while True:
            now = self._clock()
            if self._connected():
                left -= now - at
                fault = self._worse(tables, version, was, runs)
                since = -1.0 if not fault else now if since < 0 else since
                if fault and (now - since >= LASTS_S or left <= 0):
                    return fault
                if left <= 0:
                    return ""
            at = now
            await asyncio.sleep(min(LOOK_S, max(left, 0.01)))

    def _worse(self, tables: Sequence[str], version: str, was: dict[str, Before], runs: dict[str, str]) -> str:
        judged = {
            table: worse(was[table], self._heard.tables.get(table), version, runs.get(table, "")) for table in tables
        }
        return clean("; ".join(f"{table}: {fault}" for table, fault in judged.items() if fault))

    def _tell(self, event: str, board: Board, text: str) -> None:
        self._say({"event": event, "board": board.name, "reason": text}, f"  {board.name}: {text}")
