"""Requests the records from before this view started, from each table in portions, the newest first.

The broker retains states. This requests the rest: irregularities with their evidence, acknowledgements, rounds. It asks
one table after another, so that a floor is not flooded. Uses the model and sends requests; independent of the screen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from pitwatch.daemon.contract.asked import MOST_RECORDS
from pitwatch.daemon.contract.event import Event
from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.message import Message
from pitwatch.floor.watch.found import Found
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.times import Runs

Replay = Callable[[str, int, int], Awaitable[ResponseData]]
"""(table, first, last): `floor.asking.Asker.replay`."""

BETWEEN = 0.25
"""Seconds between two requests on the whole floor; one brings 500 records at most."""
PATIENCE = 1.0
"""Seconds after which others have their turn though a table has not answered."""
LEFT = 3
"""Of the requests that a table accepts at once, those left for the user of the view."""
MOST_PORTIONS = 100
"""Of one table."""
TRIES = 3
AGAIN_AFTER = 5.0
"""Seconds."""
HEARD_WITHIN = 10.0
"""Seconds in which a table's note of having been asked is heard; it is a record of now."""
SILENT = "no answer; its configuration may not allow replay"

Result = TypeVar("Result")


class Portion(NamedTuple):
    """What came again of the records asked for, by sequence; `whole` if the table still keeps all of them."""

    came: dict[int, tuple[Event, Message]]
    whole: bool


class RefusedError(Exception):
    """A table does not give its records; says why."""


class GoneError(Exception):
    """A table left or was lost meanwhile."""


class LookingBack:
    """`since`: seconds since 1970. `take` has to be called with every message."""

    def __init__(self, floor: Floor, replay: Replay, allowance: Allowance, since: float):
        self.since = since
        self.done: dict[str, str] = {}
        """Tables that have been asked, and why one has not given everything, if so."""
        self._floor = floor
        self._replay = replay
        self._allowance = allowance
        self._runs = Runs()
        self._begun: set[str] = set()
        self._answered: set[str] = set()
        self._wanted: dict[str, tuple[range, Portion]] = {}
        self._turn = asyncio.Lock()

    def take(self, message: Message, now: float) -> None:
        """Looks for what was asked for, and for what gives the time of a run."""
        event = message.event
        if event is None or event.sequence is None or message.retained:
            return
        if not message.subtopic.startswith("response/"):
            self._runs.hear(message.table, event, now)
        elif message.table in self._wanted:
            wanted, portion = self._wanted[message.table]
            if event.sequence in wanted:
                portion.came[event.sequence] = (event, message)

    async def run(self) -> None:
        """Every table once, as soon as it speaks, until cancelled."""
        async with asyncio.TaskGroup() as looking:
            while True:
                new = (each for each in self._floor.tables.values() if each.name not in self._begun)
                table = next(filter(_can_be_asked, new), None)
                if table is None:
                    await asyncio.sleep(BETWEEN)
                    continue
                await self._turn.acquire()  # one starts, and earlier ones go on
                self._begun.add(table.name)
                looking.create_task(self._have_turn(table.name))

    async def _have_turn(self, name: str) -> None:
        await self._look(name)
        self._turn.release()  # not if it is cancelled: nothing follows then

    async def _look(self, name: str) -> None:
        now = time.time()
        found, why = Found(name, self.since, now, self._runs), ""
        try:
            why = await self._search(name, found)
        except RefusedError as error:
            why = str(error)
        except GoneError:
            self._begun.discard(name)  # it is asked when it is back
            return
        finally:
            self._wanted.pop(name, None)
        if found.last > self._floor.tables[name].sequences.last:
            found, why = Found(name, self.since, now, self._runs), "its records began anew meanwhile"
        self.done[name] = why
        self._floor.recall(name, found, why, time.time())

    async def _search(self, name: str, found: Found) -> str:
        """Until what comes is older than wanted; returns why it ended before that, or nothing."""
        first = await self._first_heard(name)
        for _ in range(MOST_PORTIONS):
            if first == 1:
                return ""
            portion = await self._portion(name, max(first - MOST_RECORDS, 1), first - 1)
            dated = found.add(portion.came)
            first = min(portion.came, default=first)
            if found.reached:
                return ""
            if not portion.whole:
                return "it keeps nothing older"
            if not dated:
                return "its clock was not set then"
        return f"it has more than {MOST_PORTIONS * MOST_RECORDS} records of that time"

    async def _first_heard(self, name: str) -> int:
        """The sequence with which this view's own time begins. A quiet table is asked for one record, for to have been
        asked is a record of now."""
        table = self._floor.tables[name]
        if not table.sequences.first:
            last = max(table.health.delivered, 1) if table.health else 1
            await self._portion(name, last, last)
        for _ in range(int(HEARD_WITHIN / BETWEEN)):
            if table.sequences.first:
                return table.sequences.first
            await self._aside(asyncio.sleep(BETWEEN))
        raise RefusedError("it answers, but its records are not heard")

    async def _portion(self, name: str, first: int, last: int) -> Portion:
        """Ask, again if need be. Raises RefusedError, GoneError."""
        why = ""
        for attempt in range(TRIES):
            if attempt:
                await self._aside(asyncio.sleep(AGAIN_AFTER))
            while self._floor.stale_since is not None:
                await self._aside(asyncio.sleep(BETWEEN))  # however long the broker is away
            try:
                answer, portion = await self._ask(name, first, last)
            except ConnectionError as error:
                why = str(error)
                continue
            except TimeoutError:
                if not _can_be_asked(self._floor.tables[name]):
                    raise GoneError from None
                if name not in self._answered and self._floor.stale_since is None:
                    raise RefusedError(SILENT) from None
                why = SILENT
                continue
            self._answered.add(name)
            if answer.ok or "no longer kept" in answer.reason:
                if len(portion.came) == answer.count:
                    return portion
                why = "not all of its records came"
            elif "another replay" in answer.reason:
                why = answer.reason
            else:
                raise RefusedError(answer.reason)
        raise RefusedError(why)

    async def _ask(self, name: str, first: int, last: int) -> tuple[ResponseData, Portion]:
        """Once, when the table takes it. Raises ConnectionError, TimeoutError."""
        if wait := self._allowance.wait(name, LEFT):
            await self._aside(asyncio.sleep(wait))
        portion = Portion({}, True)
        self._wanted[name] = range(first, last + 1), portion
        asking = asyncio.ensure_future(self._replay(name, first, last))
        await asyncio.wait({asking}, timeout=PATIENCE)
        answer = asking.result() if asking.done() else await self._aside(asking)
        await asyncio.sleep(BETWEEN)
        return answer, portion._replace(whole=answer.ok)

    async def _aside(self, waiting: Awaitable[Result]) -> Result:
        """Others have their turn meanwhile."""
        self._turn.release()
        try:
            result = await waiting
        except (ConnectionError, TimeoutError):
            await self._turn.acquire()
            raise
        await self._turn.acquire()
        return result


def _can_be_asked(table: Table) -> bool:
    """Whether it is there and has reported how far its records go."""
    there = table.status is not None and table.status.state not in ("lost", "stopping")
    return there and (table.health is not None or table.sequences.first > 0)
