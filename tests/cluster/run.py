"""Tables publish to a cluster, an archive listens, a node is killed and revived again and again: what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.brokers import Brokers
from benchmarks.floor_tables import Floor, Table, connect, read_script, table_configs, write_script
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.service.status import Status
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.config import ArchiveSection, FloorConfig
from pitwatch.floor.message import Message
from pitwatch.hal.system_clock import SystemClock

FIRST = 2.0
"""Seconds of play before the first node is killed."""

CAUGHT_UP_WITHIN = 60.0

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where journals and the archive lie: it is the brokers that are tried here, not the disk."""


class Outcome(NamedTuple):
    """`lost`: ids published and not archived; `strange`: archived and never published; `disorder`: records that came
    first after a later one of their table; `silence`: the longest time in seconds in which nothing new came; `latest`:
    in seconds, from its happening to its arrival, the record that was longest on its way."""

    kills: int
    published: int
    lost: list[str]
    strange: list[str]
    twice: int
    disorder: int
    silence: float
    latest: float
    connections: int
    unordered: list[str]
    """Tables whose archived records are not 1, 2, 3 … in the order of the archive."""


class Arrivals:
    """What the archive had for the first time, in the order in which it came."""

    def __init__(self) -> None:
        self.disorder = 0
        self.silence = 0.0
        self.latest = 0.0
        self._last: dict[str, int] = {}
        self._at = time.monotonic()

    def take(self, message: Message) -> None:
        event = message.event
        if event is None or event.sequence is None:
            return
        now = time.monotonic()
        self.silence, self._at = max(self.silence, now - self._at), now
        self.latest = max(self.latest, now - event.monotonicns / 1e9)
        last = self._last.get(message.table, 0)
        self.disorder += event.sequence < last
        self._last[message.table] = max(last, event.sequence)


async def outcome(
    brokers: Brokers, tables: int, pace: float, seconds: float, every: float, games: Sequence[str] = ("roulette",)
) -> Outcome:
    """Play for so many seconds; each `every` seconds the next node is killed, and started again half of that later."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        scripts = [read_script(write_script(game, 5, folder)) for game in games]
        settings = table_configs(folder, tables, brokers.urls)
        clock = SystemClock()
        floor = [Table(table, clock) for table in settings]
        arrivals = Arrivals()
        store = store_at(f"sqlite:{folder}/archive.db")
        config = FloorConfig(mqtt=MqttSection(url=brokers.urls), archive=ArchiveSection())
        archive = Archiver(config, store, "archive", arrivals.take)
        async with _beside(archive.run()):
            await _until(lambda: archive.intake.feed is not None and archive.intake.feed.connections, "the archive")
            await asyncio.sleep(1.0)  # its subscriptions; nothing is missed that was published before them
            await connect(floor, Status(settings[0], ""))
            killing = asyncio.create_task(_kill(brokers, seconds, every))
            await Floor(floor, scripts).play(pace, seconds)
            kills = await killing
            await _until(lambda: not any(table.pending for table in floor), "the tables")
            published = {
                f"{table.name}/{table.boot}/{number}" for table in floor for number in range(1, table.journal.last + 1)
            }
            reader = store_at(f"sqlite:{folder}/archive.db")
            await reader.open()
            deadline = time.monotonic() + CAUGHT_UP_WITHIN
            while True:
                rows = await reader.ask(
                    "SELECT table_id, id, sequence FROM events WHERE sequence IS NOT NULL ORDER BY table_id, sequence"
                )
                if len(rows) >= len(published) or time.monotonic() > deadline:
                    break
                await asyncio.sleep(0.2)
            await reader.close()
            for table in floor:
                await table.stop()
    archived = [row["id"] for row in rows]
    by_table: dict[str, list[int]] = {}
    for row in rows:
        by_table.setdefault(row["table_id"], []).append(row["sequence"])
    return Outcome(
        kills=kills,
        published=len(published),
        lost=sorted(published - set(archived)),
        strange=sorted(set(archived) - published),
        twice=len(archived) - len(set(archived)),
        disorder=arrivals.disorder,
        silence=arrivals.silence,
        latest=arrivals.latest,
        connections=sum(table.publisher.connections for table in floor),
        unordered=[table for table, found in by_table.items() if found != list(range(1, len(found) + 1))],
    )


async def _kill(brokers: Brokers, seconds: float, every: float) -> int:
    """One node at a time: the next is killed when the one before is back."""
    until = time.monotonic() + seconds - every / 2
    await asyncio.sleep(FIRST)
    kills = 0
    while time.monotonic() < until:
        node = brokers.nodes[kills % len(brokers.nodes)]
        due = time.monotonic() + every
        await asyncio.to_thread(node.kill)
        kills += 1
        await asyncio.sleep(every / 2)
        node.start()
        await asyncio.to_thread(node.wait)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    return kills


@contextlib.asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _until(condition: Any, who: str, within: float = CAUGHT_UP_WITHIN) -> None:
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {who}")
        await asyncio.sleep(0.05)
