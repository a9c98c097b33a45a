"""From the floor to the database: acknowledges a message to its broker only when it is stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from pitwatch.floor.archive.aside import CONFLICT, IMPOSSIBLE, REFUSED, UNREADABLE, Aside
from pitwatch.floor.archive.row import MOST_SEQUENCE, Row, row_of
from pitwatch.floor.archive.store import Latest, RefusedError, Store, StoreError
from pitwatch.floor.archive.troubles import Troubles
from pitwatch.floor.cases.opening import Opening
from pitwatch.floor.conflicts import differences
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message, Unreadable
from pitwatch.floor.witness.arriving import Arriving

MOST_AT_ONCE = 1_000
"""Messages that go into one transaction."""

MOST_HEARD = 10_000

AGAIN_AFTER = (0.5, 10.0)
"""Seconds between attempts to reach a database that is away: the first wait, and the longest."""

RECORDS = (
    "round",
    "irregularity/#",
    "observation/#",
    "system",
    "checkpoint",
    "cosignature",
    "wire",
    "requested",
    "hold",
    "statistic_state/#",
)
STANDING = ("status", "health", "device/#", "alert/#", "integrity", "retention", "statistic/#", "response/#")
"""What a broker retains is heard by every instance of a group, since it is not given out by turns; so are answers."""

STORED = """
    SELECT payload FROM events
    WHERE site = :site AND table_id = :table_id AND boot = :boot AND sequence = :sequence
"""

log = logging.getLogger("pitwatch.archive")


class Intake:
    """`take` for the feed, `run` beside it. `on_new` is called for each new event, once stored.
    `prefix` of the topics."""

    def __init__(self, store: Store, prefix: str, on_new: Callable[[Message], object] = lambda message: None):
        self._store = store
        self._on_new = on_new
        self._prefix = prefix
        self._aside = Aside(store)
        self._waiting: list[Message | Unreadable] = []
        self._came = asyncio.Event()
        self.troubles: Troubles | None = None
        """Holds what is stored against what was there before."""
        self.heads: Arriving | None = None
        """Keeps the signed heads that come."""
        self.cases: Opening | None = None
        """Opens cases for what is stored."""
        self.feed: Feed | None = None
        """Whose messages these are: each is settled there."""
        self.stored = 0
        self.duplicates = 0
        self.lag: float | None = None
        """Seconds from the newest event of the last batch to its storage; a board's wrong clock shows here too."""
        self.heard: dict[str, float] = {}
        """When each table was heard last, in seconds since 1970; the first MOST_HEARD of them."""

    @property
    def queue(self) -> int:
        """Messages that wait."""
        return len(self._waiting)

    @property
    def put_aside(self) -> int:
        """Messages that are not a row of `events`."""
        return self._aside.count

    def take(self, message: Message | Unreadable) -> None:
        self._waiting.append(message)
        if message.table in self.heard or len(self.heard) < MOST_HEARD:
            self.heard[message.table] = time.time()
        self._came.set()

    def forget(self) -> None:
        """The connection is gone: what was not stored comes again by the next one."""
        self._waiting.clear()

    async def run(self) -> None:
        """Store what comes until cancelled. Raises StoreError; nothing of what it failed at is settled."""
        while True:
            await self._came.wait()
            self._came.clear()
            while self._waiting:
                await self._store_some()

    async def _store_some(self) -> None:
        messages = self._waiting[:MOST_AT_ONCE]
        received = datetime.now(UTC)
        rows: dict[tuple[str, str, str], tuple[Row, Message]] = {}
        latest: dict[str, tuple[Latest, Message]] = {}
        again: list[tuple[Row, Message]] = []
        told: list[Message] = []
        states: list[Row] = []
        for message in messages:
            if isinstance(message, Unreadable):
                await self._aside.put(message.table, message.topic, message.payload, UNREADABLE, message.reason)
                continue
            try:
                row = row_of(message, received)
                if row is None:
                    continue
                told.append(message)
                if row.kind == "status":
                    states.append(row)
                if row.kind == "health":
                    latest[message.table] = _latest(row), message
                else:
                    first = rows.setdefault((row.site, row.table_id, row.id), (row, message))
                    if first[1].payload != message.payload:
                        again.append((row, message))
            except (ValueError, msgspec.DecodeError, RecursionError) as error:
                await self._put_aside(message, IMPOSSIBLE, error)
        new = await self._put([*rows.values(), *latest.values()])
        fresh = {(row.site, row.table_id, row.id) for row in new}
        there = [row for row in new if row.kind != "status"]
        for row, message in [*(rows[key] for key in rows if key not in fresh), *again]:
            if await self._compare(row, message):
                there.append(row)
        if self.troubles is not None:
            await self.troubles.take(told)
        if self.heads is not None:
            await self.heads.take(told)
        if self.cases is not None:
            await self.cases.take([*there, *states])  # states as they came: the last of a table holds
        del self._waiting[: len(messages)]
        self.stored += len(new)
        if new:
            self.lag = (datetime.now(UTC) - max(row.at for row in new)).total_seconds()
        self.duplicates += len(rows) - len(new)
        if self.feed is not None:
            for message in messages:
                self.feed.settle(message)
        for row in new:
            self._on_new(rows[row.site, row.table_id, row.id][1])

    async def _put(self, taken: Sequence[tuple[Row | Latest, Message]]) -> list[Row]:
        """Store all of it; what the database refuses is halved until the message that is at fault is alone."""
        try:
            return await self._store.put(
                [each for each, _ in taken if isinstance(each, Row)],
                [each for each, _ in taken if isinstance(each, Latest)],
            )
        except RefusedError as error:
            if len(taken) == 1:
                await self._put_aside(taken[0][1], REFUSED, error)
                return []
            half = len(taken) // 2
            return await self._put(taken[:half]) + await self._put(taken[half:])

    async def _compare(self, row: Row, message: Message) -> bool:
        """Keep beside the first what comes under its id but is another record. Whether it is the same."""
        if row.sequence is None:
            return False  # states of a process count from one again when it starts anew
        same = False
        for kept in await self._store.ask(
            STORED, site=row.site, table_id=row.table_id, boot=row.boot, sequence=row.sequence
        ):
            try:
                found = differences(kept["payload"].encode(), message.payload)
            except ValueError as error:  # an archive of an older Pitwatch may hold such a one
                found = [str(error)]
            if found:
                told = f"{row.site}/{row.table_id}: {row.id} is known with other content: {', '.join(found)}"
                await self._put_aside(message, CONFLICT, ValueError(told))
            same = not found
        return same

    async def _put_aside(self, message: Message, trouble: str, error: Exception) -> None:
        topic = f"{self._prefix}/{message.table}/{message.subtopic}"
        await self._aside.put(message.table, topic, message.payload, trouble, str(error))


@contextlib.asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Runs for the length of the block."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, StoreError):
            await task


def _latest(row: Row) -> Latest:
    """Raises ValueError."""
    health = msgspec.json.decode(row.payload, type=_Health).data
    if not 0 <= health.delivered <= MOST_SEQUENCE:
        raise ValueError(f"{row.site}/{row.table_id}: delivered {health.delivered} is not 0 to {MOST_SEQUENCE}")
    return Latest(row.site, row.table_id, row.at.isoformat(), health.delivered, row.payload)


class _Delivered(msgspec.Struct):
    delivered: int


class _Health(msgspec.Struct):
    """What the archive needs of it; a table of another version may say more, or less."""

    data: _Delivered
