"""A floor of tables in one process: what devices said and rules found, made beforehand, through the real outbox.

    python -m benchmarks.floor_tables FOLDER TABLES SCRIPTS URL…         journal, envelope and publisher of each table
    python -m benchmarks.floor_tables --bare FOLDER TABLES SCRIPTS URL…  the same messages by clients that only publish

Says `{"connected": …}` on standard output once every table is. Each line `PACE SECONDS` on standard input is then
played (PACE times as fast as at a table; 0: as fast as they are taken) and answered by what was published and what that
cost.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks import captures
from benchmarks.table import ROOT
from pitwatch.daemon.config import Config, config
from pitwatch.daemon.contract.messages import HealthData
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.broker_client import client
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.daemon.publishing.publisher import Publisher
from pitwatch.daemon.service.health import disk_free_mib, memory_kib
from pitwatch.daemon.service.status import Status
from pitwatch.hal.system_clock import SystemClock

GAMES = ("roulette", "blackjack-shoe", "baccarat", "craps", "three-card-poker")
"""Simulated tables of which the floor is made, in equal parts."""

SITE = "floor"
HEALTH_EVERY = 30.0
DRAIN = 60.0
"""Seconds for what is under way at the end of a play."""

START_WITHIN = 5.0
"""Seconds of play within which all tables begin."""

MOST_PENDING = 20
"""Records of a table that may wait when it plays as fast as they are taken."""


class Step(NamedTuple):
    """A record, and the seconds of play before it."""

    wait: float
    kind: str
    subtopic: str
    body: msgspec.Raw
    retained: bool


def write_script(game: str, rounds: int, folder: Path) -> Path:
    """Play so many rounds of a simulated table and write down every record that came of it, one a line."""
    wire, path = folder / f"{game}.wire", folder / f"{game}.jsonl"
    captures.write_wire(game, rounds, wire)
    told = subprocess.run([*captures.replay_command(wire, game), "--all"], cwd=ROOT, check=True, capture_output=True)
    path.write_bytes(told.stdout)
    return path


def read_script(path: Path) -> list[Step]:
    """What `write_script` wrote."""
    steps = []
    before = None
    for line in path.read_bytes().splitlines():
        record = json.loads(line)
        kind, data = record["type"].split(".")[1], record["data"]
        t = data["t"] if kind == "observation" else before
        steps.append(
            Step(
                t - before if t is not None and before is not None else 0.0,
                kind,
                _subtopic(kind, data),
                msgspec.Raw(msgspec.json.encode(data)),
                kind in ("alert", "device"),
            )
        )
        before = t
    return steps


FIELDS = {
    "observation": "device",
    "irregularity": "severity",
    "alert": "key",
    "device": "device",
    "statistic": "monitor",
}
"""The field of a kind's data that ends its topic."""


def _subtopic(kind: str, data: dict[str, Any]) -> str:
    last = FIELDS.get(kind)
    return f"{kind}/{data[last]}" if last else kind


TABLE = """\
[table]
site = "{site}"
id = "T-000"
game = "toledo-2020/roulette"
[mqtt]
url = {urls}
"""


def table_configs(folder: Path, count: int, urls: Sequence[str]) -> list[Config]:
    """Configurations of so many tables. Each has another of the addresses first."""
    found = []
    path = folder / "table.toml"
    for turn in range(len(urls)):
        path.write_text(TABLE.format(site=SITE, urls=json.dumps([*urls[turn:], *urls[:turn]])))
        found.append(config.load(path))
    return [
        msgspec.structs.replace(
            found[number % len(urls)],
            table=msgspec.structs.replace(found[number % len(urls)].table, id=f"T-{number:03d}"),
            journal=folder / f"T-{number:03d}.db",
        )
        for number in range(count)
    ]


class Table:
    """A table's journal and outbox without the devices. `boot` names this run in every id."""

    def __init__(self, settings: Config, clock: SystemClock):
        self.name = settings.table.id
        self.boot = os.urandom(6).hex()
        self.journal = Journal(settings.journal, clock, self.boot)
        self._folder = settings.journal.parent
        self._clock = clock
        self._envelope = Envelope(SITE, self.name, settings.topic, self.boot, settings.table.live_cards)
        self.publisher = Publisher(settings, self.journal, self._envelope)
        self._running: asyncio.Task[None] | None = None
        self._states = 0

    async def start(self, status: Status) -> None:
        """Begin; the broker is reached later."""
        self.publisher.set_will(lambda: self._envelope.state("status", status.data("lost"), self._now()))
        self.publisher.put_state("status", self._envelope.state("status", status.data("ready"), self._now()))
        self.journal.start()
        self._running = asyncio.create_task(self.publisher.run())

    @property
    def connected(self) -> bool:
        return self.publisher.trouble is None

    @property
    def pending(self) -> int:
        return self.journal.last - self.journal.delivered

    def append(self, step: Step) -> None:
        self.journal.append(step.kind, step.subtopic, self._clock.now(), step.body, step.retained)

    def health(self) -> None:
        """What a table says of itself every 30 seconds."""
        self._states += 1
        data = HealthData(
            uptime_s=time.monotonic(), sequence=self.journal.last, committed=self.journal.committed,
            delivered=self.journal.delivered, queue=self.pending, loop_lag_ms=0.0, memory_kib=memory_kib(),
            disk_free_mib=disk_free_mib(self._folder), clock_synced=self._clock.wall()[1],
            connections=self.publisher.connections, dropped={}, errors=0, journal="ok",
        )  # fmt: skip
        self.publisher.put_state("health", self._envelope.state("health", data, self._now()))

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
        await self.journal.close()

    def _now(self) -> tuple[int, int, bool]:
        wall, synced = self._clock.wall()
        return self._clock.now(), wall, synced


class Bare:
    """The baseline: the same messages by a client of the same library that does nothing but publish."""

    def __init__(self, settings: Config, clock: SystemClock):
        self.name = settings.table.id
        self.boot = os.urandom(6).hex()
        self._clock = clock
        self._settings = settings
        self._envelope = Envelope(SITE, self.name, settings.topic, self.boot, settings.table.live_cards)
        self._queue: asyncio.Queue[Step] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None
        self._last = 0
        self._states = 0
        self.pending = 0
        self.connected = False

    async def start(self, status: Status) -> None:
        self._running = asyncio.create_task(self._publish())

    def append(self, step: Step) -> None:
        self.pending += 1
        self._queue.put_nowait(step)

    def health(self) -> None:
        pass

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def _publish(self) -> None:
        assert self._settings.mqtt is not None
        async with await client(self._settings.mqtt, self._settings.brokers[0], f"bare-{self.name}") as connected:
            self.connected = True
            while True:
                step = await self._queue.get()
                self._last += 1
                t, (wall, synced) = self._clock.now(), self._clock.wall()
                record = Record(
                    self._last, self.boot, t, wall, synced, step.kind, step.subtopic, step.retained, bytes(step.body)
                )
                for message in self._envelope.messages(record):
                    await connected.publish(message.topic, message.payload, qos=1, retain=message.retain)
                self.pending -= 1


class Floor:
    """So many tables, and what they play."""

    def __init__(self, tables: Sequence[Table | Bare], scripts: Sequence[Sequence[Step]]):
        self.tables = tables
        self._scripts = scripts
        self.steps = 0

    async def play(self, pace: float, seconds: float) -> None:
        """All tables at once, each from somewhere in its script, for so long; then what is under way is awaited, for
        `DRAIN` seconds at most."""
        until = time.monotonic() + seconds
        await asyncio.gather(*(self._table(number, pace, until) for number in range(len(self.tables))))
        deadline = time.monotonic() + DRAIN
        while any(table.pending for table in self.tables) and time.monotonic() < deadline:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.02)

    async def _table(self, number: int, pace: float, until: float) -> None:
        table, script = self.tables[number], self._scripts[number % len(self._scripts)]
        steps = itertools.islice(itertools.cycle(script), random.randrange(len(script)), None)
        first = next(steps)
        now = time.monotonic()
        due = now + random.uniform(0, min(START_WITHIN / pace if pace else 0, (until - now) / 2))
        healthy = time.monotonic() + random.uniform(0, HEALTH_EVERY)
        for step in itertools.chain((first._replace(wait=0.0),), steps):
            if pace:
                due += step.wait / pace
                if (now := time.monotonic()) < due:
                    await asyncio.sleep(min(due, until) - now)
            while not pace and table.pending >= MOST_PENDING and time.monotonic() < until:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.002)
            if (now := time.monotonic()) >= until:
                return
            table.append(step)
            self.steps += 1
            if now >= healthy:
                healthy = now + HEALTH_EVERY
                table.health()


async def connect(tables: Sequence[Table | Bare], status: Status, at_once: int = 20) -> None:
    """Start all tables, some at a time."""
    for begin in range(0, len(tables), at_once):
        some = tables[begin : begin + at_once]
        for table in some:
            await table.start(status)
        while not all(table.connected for table in some):  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)


async def _serve(
    folder: Path, count: int, scripts: Sequence[Path], urls: Sequence[str], kind: type[Table | Bare]
) -> None:
    clock = SystemClock()
    settings = table_configs(folder, count, urls)
    tables = [kind(table, clock) for table in settings]
    floor = Floor(tables, [read_script(path) for path in scripts])
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    began = time.monotonic()
    await connect(tables, Status(settings[0], ""))
    _say({"connected": time.monotonic() - began})
    while order := (await orders.readline()).split():
        began, cpu, steps = time.monotonic(), time.process_time(), floor.steps
        await floor.play(float(order[0]), float(order[1]))
        _say(
            {
                "published": floor.steps - steps,
                "seconds": time.monotonic() - began,
                "cpu": time.process_time() - cpu,
                "pending": sum(table.pending for table in tables),
                "memory_kib": memory_kib(),
            }
        )
    await asyncio.gather(*(table.stop() for table in tables))


def _say(data: dict[str, Any]) -> None:
    print(json.dumps(data), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("tables", type=int)
    parser.add_argument("scripts", type=Path)
    parser.add_argument("urls", nargs="+")
    given = parser.parse_args()
    asyncio.run(
        _serve(
            given.folder, given.tables, sorted(given.scripts.glob("*.jsonl")), given.urls, Bare if given.bare else Table
        )
    )
