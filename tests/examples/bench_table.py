"""A simulated craps table under the real daemon, publishing to a broker, played part by part. For tests only."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.config import config
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock

ROUNDS, SEED = 36, 3


class BenchTable:
    """`planned` counts rule ids of all parts together; `play` plays the next of `parts` equal parts."""

    name = "bench/CR-01"

    def __init__(self, url: str, folder: Path, parts: int, camera: str):
        table = config.load(Path(sim_hw.__file__).parent / "tables" / "craps.toml")
        mqtt = MqttSection(url=url, requests=["replay", "acknowledge", "snapshot"])
        self.config = msgspec.structs.replace(
            table, mqtt=mqtt, journal=folder / "journal.db", video=config.VideoSection(camera=camera)
        )
        specs = [
            sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
            for d in table.devices
        ]
        people = {credential: person.role for credential, person in table.people.items()}
        options = dict(table.table.options)
        plan = sim_hw.make_plan(table.game, specs, ROUNDS, SEED, None, options, people)
        self.planned = Counter(rule for each in plan for rule in each.expects)
        events = list(sim_hw.simulate(table.game, specs, options, rounds=ROUNDS, seed=SEED, plan=plan, people=people))
        cut = [len(events) * part // parts for part in range(parts + 1)]
        self._parts = iter([events[begin:end] for begin, end in pairwise(cut)])
        clock = SimClock()
        self._hardware = BenchHardware(clock, table.devices)
        self.daemon = Daemon(self.config, clock, self._hardware)

    @property
    def journal(self) -> Journal:
        return self.daemon.journal

    async def play(self) -> None:
        """The next part, until the broker has taken all of it."""
        await play(next(self._parts), self._hardware, self.journal)
        assert await self.daemon.publisher.drain(30)

    async def close(self) -> None:
        await self.daemon.stop()
        self._hardware.close()


@contextlib.asynccontextmanager
async def bench_table(url: str, folder: Path, parts: int = 1, camera: str = "") -> AsyncIterator[BenchTable]:
    """The table, for the length of the block."""
    table = BenchTable(url, folder, parts, camera)
    await table.daemon.start()
    try:
        yield table
    finally:
        await table.close()


async def until(condition: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Waits without holding up the table."""
    try:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110  what is waited for is another process
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(what) from None
