"""Faults that take hours or months, in virtual time: the daemon in this process, a real broker and a real disk.

Each gives the row of one fault. For tests only."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.ports import free_port
from pitwatch import sim_hw
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.config import config
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.journal import writing
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.service.health import memory_kib
from pitwatch.hal.sim import SimClock, SimFactory
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.table_process import spin
from tests.faults.ear import Ear
from tests.faults.proxy import Proxy
from tests.faults.row import Row
from tests.roulette import roulette

SECOND = 1_000_000_000
HOUR = 3600 * SECOND
SPIN_EVERY = 45 * SECOND
MOST_GROWTH_MIB = 24
"""Memory that the daemon may take more after a week than after its first hour: its tail of newest records, and what
the allocator keeps."""

TABLES = Path(sim_hw.__file__).parent / "tables"


class Table:
    """A roulette table in virtual time."""

    def __init__(self, folder: Path, port: int, **clock: Any):
        path = folder / "table.toml"
        path.write_text(roulette("sim:", f"mqtt://127.0.0.1:{port}", "journal.db"))
        self.clock = SimClock(now=SECOND, **clock)
        self.factory = SimFactory(self.clock)
        self.daemon = Daemon(config.load(path), self.clock, self.factory)
        self.spins = 0

    async def play(self, spins: int) -> None:
        for _ in range(spins):
            self.spins += 1
            lines = spin((self.spins - 1) % 256 + 1, self.spins % 2).splitlines(keepends=True)
            for line in lines:
                self.clock.advance_to(self.clock.now() + SPIN_EVERY // len(lines))
                self.factory.links["wheel"].inject(line.encode())
            if not self.spins % 20:
                await self.written()

    async def written(self) -> None:
        journal = self.daemon.journal
        await asyncio.sleep(0)
        while journal.last - journal.committed > 1_000:  # noqa: ASYNC110  the journal has one listener already
            await asyncio.sleep(0.001)

    async def delivered(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            journal = self.daemon.journal
            while journal.delivered < journal.last:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


def _broker(folder: Path) -> Mosquitto:
    broker = Mosquitto(folder, "allow_anonymous true\nset_tcp_nodelay true")
    broker.start()
    return broker


def _broker_at(folder: Path, port: int) -> tuple[Mosquitto, Ear, Proxy]:
    """A broker that the daemon finds at `port` once somebody has subscribed: a live subscriber has no claim to what was
    published before."""
    broker = _broker(folder)
    return broker, Ear(broker.port), Proxy(broker.port, port)


def _row(fault: str, times: int, ear: Ear, journal: Path, lag: float = -1.0) -> Row:
    """Compare the journal with what the subscriber got."""
    store = Store(journal, read_only=True)
    fault_found = store.fault()
    assert fault_found is None, fault_found
    expected = {r.seq for r in store.read(0, 10_000_000)}
    store.close()
    got = Counter(e.event["sequence"] for e in ear.records())
    return Row(fault, times, len(expected), len(expected - set(got)), sum(got.values()) - len(got), lag=lag)


async def _heard(ear: Ear, last: int, seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not any(e.event["sequence"] == last for e in ear.records()[-200:]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def brokerless(folder: Path, times: int) -> Row:
    """So many hours of full play without a broker: memory stays flat, and everything arrives when it is back."""
    return asyncio.run(_brokerless(folder, times))


async def _brokerless(folder: Path, hours: int) -> Row:
    table = Table(folder, free_port())
    port = table.daemon.publisher._address.port
    await table.daemon.start()
    per_hour = HOUR // SPIN_EVERY
    await table.play(per_hour)
    gc.collect()
    first = memory_kib()
    await table.play(per_hour * (hours - 1))
    gc.collect()
    growth = (memory_kib() - first) / 1024
    assert growth < MOST_GROWTH_MIB, f"{growth:.0f} MiB more after {hours} hours"
    assert table.daemon.journal.delivered == 0
    assert table.daemon.journal.dropped == 0
    broker, ear, proxy = await asyncio.to_thread(_broker_at, folder, port)
    await table.delivered(600)
    await table.daemon.stop()
    await _heard(ear, table.daemon.journal.last)
    rounds = {e.event["data"]["round"] for e in ear.records() if e.event["type"] == "pitwatch.round.v1"}
    assert rounds == set(range(1, table.spins + 1))
    size = (folder / "journal.db").stat().st_size / (1 << 20)
    row = _row(f"no broker for {hours} h at full play (journal {size:.0f} MiB)", 1, ear, folder / "journal.db")
    ear.close()
    proxy.close()
    broker.close()
    return row


def no_room(folder: Path, times: int) -> Row:
    """No broker, and the journal has reached the room it may take: the oldest are kept, what is dropped is counted."""
    return asyncio.run(_no_room(folder, times))


async def _no_room(folder: Path, times: int) -> Row:
    most, mark = writing.MOST_BYTES, writing.MARK_AFTER
    writing.MOST_BYTES, writing.MARK_AFTER = 300_000, 0.05
    try:
        table = Table(folder, free_port())
        port = table.daemon.publisher._address.port
        await table.daemon.start()
        for _ in range(60 * times):
            await table.play(5)
            await asyncio.sleep(0.01)
        dropped = table.daemon.journal.dropped
        assert dropped > 0
        broker, ear, proxy = await asyncio.to_thread(_broker_at, folder, port)
        await table.delivered(60)
        writing.MOST_BYTES = most
        await asyncio.sleep(0.3)
        await table.play(2)
        await asyncio.sleep(0.3)
        await table.play(2)
        await table.daemon.stop()
        await _heard(ear, table.daemon.journal.last)
    finally:
        writing.MOST_BYTES, writing.MARK_AFTER = most, mark
    counted = sum(each["count"] for each in ear.systems("records_dropped"))
    assert counted == table.daemon.journal.dropped, (counted, table.daemon.journal.dropped)
    rounds = [e.event["data"]["round"] for e in ear.records() if e.event["type"] == "pitwatch.round.v1"]
    assert rounds == list(range(1, table.spins + 1))  # these are never dropped
    row = _row(
        f"no broker and no more room ({counted} observations dropped and counted)", 1, ear, folder / "journal.db"
    )
    ear.close()
    proxy.close()
    broker.close()
    return row


def clock_steps(folder: Path, times: int) -> Row:
    """The wall clock is wrong at the start, is set, and is moved by hours in the middle of rounds: durations stay
    right, and a correction gives the right time of everything."""
    return asyncio.run(_clock_steps(folder, times))


async def _clock_steps(folder: Path, times: int) -> Row:
    broker = await asyncio.to_thread(_broker, folder)
    ear = await asyncio.to_thread(Ear, broker.port)
    table = Table(folder, broker.port, wall=0, synced=False)  # 1970: no network, no battery
    await table.daemon.start()
    await table.play(2)
    right = 1_800_000_000 * SECOND
    table.clock.set_wall(right, True)
    truth = right - table.clock.now()
    for n in range(times):
        lines = spin(table.spins % 256 + 1, (table.spins + 1) % 2).splitlines(keepends=True)
        table.spins += 1
        for at, line in enumerate(lines):
            table.clock.advance_to(table.clock.now() + 5 * SECOND)
            if at == 3:
                table.clock.step_wall((6, -1)[n % 2] * HOUR)
            table.factory.links["wheel"].inject(line.encode())
    await table.delivered(30)
    await table.daemon.stop()
    await _heard(ear, table.daemon.journal.last)
    events = list({e.event["id"]: e.event for e in ear.records()}.values())
    before = [e for e in events if e["time"].startswith("1970")]
    assert before
    assert not any(e["clocksynced"] for e in before)
    (set_,) = ear.systems("clock_set")
    assert set_["wall_minus_monotonic_ns"] == truth
    assert set_["step_s"] == (truth + SECOND) / 1e9
    steps = [each["step_s"] for each in ear.systems("clock_stepped")]
    assert steps == [(6, -1)[n % 2] * 3600.0 for n in range(times)], steps
    rounds = [e["data"] for e in events if e["type"] == "pitwatch.round.v1"]
    assert len(rounds) == table.spins
    assert all(0 < r["closed"] - r["opened"] < 60 for r in rounds), "a round's duration follows the wall clock"
    row = _row("wall clock moved by hours in a round; 1970 at the start", times, ear, folder / "journal.db")
    ear.close()
    broker.close()
    return row


def half_frames(folder: Path, times: int) -> Row:
    """A device babbles half frames for so many minutes: told at once, few records, and play is heard afterwards."""
    return asyncio.run(_half_frames(folder, times))


async def _half_frames(folder: Path, minutes: int) -> Row:
    broker = await asyncio.to_thread(_broker, folder)
    ear = await asyncio.to_thread(Ear, broker.port)
    table = Table(folder, broker.port)
    await table.daemon.start()
    await table.play(2)
    before = table.daemon.journal.last
    for n in range(minutes * 60 * 4):
        table.clock.advance_to(table.clock.now() + SECOND // 4)
        table.factory.links["wheel"].inject((b"*X;3;0", b"07; 9;0", b"\r\n*X;", b";;;\r\n")[n % 4])
        if not n % 400:
            await table.written()
    made = table.daemon.journal.last - before
    assert made < minutes * 60 * 2 + 20, f"{made} records of {minutes} minutes of half frames"
    table.factory.links["wheel"].inject(b"\r\n")
    await table.play(2)
    await table.delivered(60)
    await table.daemon.stop()
    await _heard(ear, table.daemon.journal.last)
    discarded = [
        e for e in ear.records() if e.topic.endswith("/wheel") and e.event["data"].get("event") == "bytes_discarded"
    ]
    assert len(discarded) > 10
    rounds = [e.event["data"] for e in ear.records() if e.event["type"] == "pitwatch.round.v1"]
    assert len(rounds) == table.spins  # none invented, none missed
    row = _row(f"half frames for {minutes} minutes", 1, ear, folder / "journal.db")
    ear.close()
    broker.close()
    return row


def soak(folder: Path, times: int) -> Row:
    """So many rounds at a table of every family: memory, open files, tasks and threads stay flat, no gap."""
    return asyncio.run(_soak(folder, times))


async def _soak(folder: Path, rounds: int) -> Row:
    names = ("roulette", "craps", "baccarat", "blackjack", "three-card-poker", "pai-gow")
    rows, days = [], 0.0
    for name in names if rounds > 100 else names[1:2]:
        place = folder / name
        place.mkdir()
        row, virtual = await _soak_one(place, name, rounds)
        rows.append(row)
        days += virtual
    return Row(
        f"soak: {days:.1f} days of play in virtual time, {len(rows)} families",
        sum(row.times for row in rows),
        sum(row.expected for row in rows),
        sum(row.lost for row in rows),
        sum(row.duplicates for row in rows),
        lag=max(row.lag for row in rows),
    )


async def _soak_one(folder: Path, name: str, rounds: int) -> tuple[Row, float]:
    broker = await asyncio.to_thread(_broker, folder)
    ear = await asyncio.to_thread(Ear, broker.port)
    table = config.load(TABLES / f"{name}.toml")
    specs = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in table.devices
    ]
    options, seats = dict(table.table.options), table.table.seats
    people = {credential: person.role for credential, person in table.people.items()}
    table = msgspec.structs.replace(table, mqtt=MqttSection(url=broker.url), journal=folder / "journal.db")
    events = iter(
        sim_hw.simulate(table.game, specs, options, rounds=rounds, seed=5, plan=[], people=people, seats=seats)
    )
    clock = SimClock()
    hardware = BenchHardware(clock, table.devices)
    daemon = Daemon(table, clock, hardware)
    await daemon.start()
    prints: list[tuple[int, int, int, int]] = []
    lag = 0.0
    done = False
    while not done:
        portion = [event for _, event in zip(range(20_000), events, strict=False)]
        done = len(portion) < 20_000
        await play(portion, hardware, daemon.journal)
        async with asyncio.timeout(120):
            while daemon.journal.delivered < daemon.journal.last:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for e in ear.heard[:-50]:  # the subscriber is in this process too: its store is not the daemon's growth
            if len(e.event) > 2:
                kept = {k: e.event[k] for k in ("id", "sequence", "type") if k in e.event}
                e.event.clear()
                e.event.update(kept)
        gc.collect()
        prints.append(
            (memory_kib(), len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()), threading.active_count())
        )
        lag = max(lag, daemon._health().loop_lag_ms)
    await daemon.stop()
    hardware.close()
    await _heard(ear, daemon.journal.last)
    settled = prints[len(prints) // 3 :]
    for column, what in ((1, "open files"), (2, "tasks"), (3, "threads")):
        values = [each[column] for each in settled]
        assert values[-1] <= values[0] + 1, f"{name}: {what} grow: {values}"
    row = _row(name, rounds, ear, folder / "journal.db", -1.0)
    per_record = len(ear.heard) * 0.9 / 1024  # KiB of the subscriber's own store, see above
    growth = (settled[-1][0] - settled[0][0]) / 1024 - per_record
    assert growth < MOST_GROWTH_MIB, f"{name}: {growth:.0f} MiB more at the end"
    ear.close()
    broker.close()
    return row, clock.now() / 1e9 / 86_400


FAULTS = {
    brokerless: (3, 168),
    no_room: (1, 3),
    clock_steps: (4, 200),
    half_frames: (2, 60),
    soak: (60, 500),
}
"""Fault to how often it is done, or how long, in `make test` (0: it takes too long) and in `make faults`."""
