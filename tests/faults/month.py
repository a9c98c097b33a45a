"""A month of clean play at a table of each family, in virtual time, under the real daemon, journal and broker.

    python -m tests.faults month [TABLE …] [--days 30]

Prints a line a table, and the error of one where something was not as it should be. What is held: a gapless sequence at
the subscriber, no irregularity, no error, and no growth of memory, open files, tasks and threads from the third day on.
One process a table, so that each stands alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.config import config
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.service.health import memory_kib
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message
from pitwatch.floor.sequences import Sequences
from pitwatch.hal.link import ByteLink
from pitwatch.hal.sim import SimClock
from tests.faults.virtual import TABLES, _broker

FAMILIES = (
    "roulette", "craps", "baccarat", "blackjack", "three-card-poker", "pai-gow", "poker-room", "casino-war",
    "party-craps", "matched-em",
)  # fmt: skip
DAY = 86_400_000_000_000
PORTION = 20_000
"""Wire events between two looks at the process."""

MOST_GROWTH_MIB = 8
HEAD = "| table | days | rounds | records | lost | irregularities | MiB from day 3 to the end | minutes |"


class Wires(BenchHardware):
    """The bench's wiring with links in memory: a terminal's bytes are carried by the kernel, in its own time."""

    def link(self, url: str, name: str, serial: tuple[int, str] = (9600, "8N1")) -> ByteLink:
        return self._lines.link(url, name, serial)

    async def send(self, device: str, data: bytes) -> None:
        self._lines.links[device].inject(data)


class Look(NamedTuple):
    """At the process: when (virtual ns), and what it holds."""

    t: int
    kib: int
    files: int
    tasks: int
    threads: int


class Ear:
    """Counts what a subscriber gets; keeps none of it."""

    def __init__(self) -> None:
        self.sequences = Sequences()
        self.kinds: Counter[str] = Counter()
        self.irregular: Counter[str] = Counter()

    def take(self, message: Message) -> None:
        event = message.event
        if event is None or event.sequence is None or not self.sequences.take(event.sequence):
            return
        self.kinds[event.kind] += 1
        if event.kind == "irregularity":
            self.irregular[event.payload()["rule"]] += 1


async def month(name: str, days: float, folder: Path) -> str:
    """Play, and the line of the result. Raises AssertionError if something is not as it should be."""
    began = time.monotonic()
    broker = await asyncio.to_thread(_broker, folder)
    table = config.load(TABLES / f"{name}.toml")
    specs = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in table.devices
    ]
    people = {credential: person.role for credential, person in table.people.items()}
    mqtt = MqttSection(url=broker.url)
    table = msgspec.structs.replace(table, mqtt=mqtt, journal=folder / "journal.db")
    events = iter(
        sim_hw.simulate(
            table.game, specs, dict(table.table.options), rounds=10_000_000, seed=11, plan=[], people=people,
            seats=table.table.seats,
        )
    )  # fmt: skip
    clock = SimClock(wall=1_800_000_000_000_000_000, synced=True)
    hardware = Wires(clock, table.devices)
    daemon = Daemon(table, clock, hardware)
    ear = Ear()
    feed = Feed(mqtt.addresses, mqtt, mqtt.prefix, ear.take)
    hearing = asyncio.create_task(feed.run())
    while feed.trouble is not None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await daemon.start()
    looks: list[Look] = []
    while clock.now() < days * DAY:
        await play(islice(events, PORTION), hardware, daemon.journal)
        async with asyncio.timeout(300):
            while ear.sequences.last < daemon.journal.last:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        gc.collect()
        files, tasks = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())
        looks.append(Look(clock.now(), memory_kib(), files, tasks, threading.active_count()))
    errors = daemon._health().errors
    await daemon.stop()
    hardware.close()
    async with asyncio.timeout(60):
        while ear.sequences.last < daemon.journal.last:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    hearing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await hearing
    broker.close()
    settled = [look for look in looks if look.t > min(3.0, days / 2) * DAY]
    growth = (settled[-1].kib - settled[0].kib) / 1024
    store = Store(folder / "journal.db", read_only=True)
    fault = store.fault()
    store.close()
    assert fault is None, fault
    assert not errors, f"{errors} errors survived"
    assert not ear.sequences.missing, f"{ear.sequences.missing} records lost"
    assert not ear.irregular, f"irregular in clean play: {dict(ear.irregular)}"
    assert growth < MOST_GROWTH_MIB, f"{growth:.1f} MiB more: {[look.kib for look in settled]}"
    for what in ("files", "tasks", "threads"):
        values = [getattr(look, what) for look in settled]
        assert values[-1] <= values[0] + 1, f"{what} grow: {values}"
    lost, wrong, took = ear.sequences.missing, sum(ear.irregular.values()), (time.monotonic() - began) / 60
    return (
        f"| {name} | {clock.now() / DAY:.1f} | {ear.kinds['round']:,} | {daemon.journal.last:,} | {lost} | {wrong} | "
        f"{growth:+.1f} | {took:.0f} |"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults month", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", metavar="TABLE", nargs="*")
    parser.add_argument("--days", type=float, default=30.0)
    parser.add_argument("--here", action="store_true", help="one table in this process, without the table's head")
    args = parser.parse_args(arguments)
    if args.here:
        with tempfile.TemporaryDirectory(prefix="pitwatch-month-") as folder:
            print(asyncio.run(month(args.tables[0], args.days, Path(folder))), flush=True)
        return 0
    print(f"{HEAD}\n|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    command = [sys.executable, "-m", "tests.faults", "month", "--here", "--days", str(args.days)]
    failed = 0
    for table in args.tables or FAMILIES:
        code = subprocess.run([*command, table], check=False).returncode
        if code:
            failed += 1
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}, see its error"
            print(f"| {table}: FAILED: {how} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
