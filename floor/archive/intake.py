"""From the floor to the database: a message is acknowledged to its broker only when it is stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import msgspec

from daemon.messages import HealthData
from floor.archive.row import Row, row_of
from floor.archive.store import Latest, Store, StoreError
from floor.feed import Feed
from floor.message import Message

MOST_AT_ONCE = 1_000
"""Messages that go into one transaction."""

AGAIN_AFTER = (0.5, 10.0)
"""Seconds between attempts to reach a database that is away: the first wait, and the longest."""

RECORDS = ("round", "irregularity/#", "observation/#", "system", "checkpoint", "wire", "requested")
STANDING = ("status", "health", "device/#", "alert/#", "integrity", "retention", "response/#")
"""What a broker retains is heard by every instance of a group, since it is not given out by turns; so are answers."""

log = logging.getLogger("pitwatch.archive")


class Intake:
    """`take` for the feed, `run` beside it. `on_new` is told of each event that was not there before, once stored."""

    def __init__(self, store: Store, on_new: Callable[[Message], object] = lambda message: None):
        self._store = store
        self._on_new = on_new
        self._waiting: list[Message] = []
        self._came = asyncio.Event()
        self.feed: Feed | None = None
        """Whose messages these are: each is settled there."""
        self.stored = 0
        self.duplicates = 0
        self.unreadable = 0

    def take(self, message: Message) -> None:
        self._waiting.append(message)
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
        latest: dict[str, Latest] = {}
        for message in messages:
            try:
                row = row_of(message, received)
                if row is None:
                    continue
                if row.kind == "health":
                    latest[message.table] = _latest(row)
                else:
                    rows.setdefault((row.site, row.table_id, row.id), (row, message))
            except (ValueError, msgspec.DecodeError) as error:
                self.unreadable += 1
                log.warning("not stored: %s", error)
        new = await self._store.put([row for row, _ in rows.values()], list(latest.values()))
        del self._waiting[: len(messages)]
        self.stored += len(new)
        self.duplicates += len(rows) - len(new)
        if self.feed is not None:
            for message in messages:
                self.feed.settle(message)
        for row in new:
            self._on_new(rows[row.site, row.table_id, row.id][1])


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
    health = msgspec.json.decode(row.payload, type=_Health).data
    return Latest(row.site, row.table_id, row.at.isoformat(), health.delivered, row.payload)


class _Health(msgspec.Struct):
    data: HealthData
