"""One simulated table of a bench run: its plan, its hardware, its daemon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pitwatch import sim_hw
from pitwatch.daemon.bench.faults import roles, sim_devices
from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.bench.keeping import Keeping, Notes
from pitwatch.daemon.bench.player import play
from pitwatch.daemon.bench.scenario import Part
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import Config
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock


class BenchTable:
    """`asked`: rounds; `planned`: irregularities to be reported, by rule. `notes`: who writes down what the daemon
    hears. Raises UsageError for a table that nobody can play."""

    def __init__(self, table: Config, part: Part, seed: int, notes: Notes | None = None):
        self.config = table
        self.asked = part.rounds
        self.devices = sim_devices(table)
        self.options: dict[str, Any] = dict(table.table.options)
        self.people = roles(table)
        self.seed = seed
        self.plan: list[sim_hw.Planned] = []
        with self.playable():
            if part.rounds:
                self.plan = sim_hw.make_plan(
                    table.game, self.devices, part.rounds, seed, part.rules, self.options, self.people
                )
            self.prepare()
        self.clock = SimClock()
        self.hardware = BenchHardware(self.clock, table.devices)
        opener = Keeping(self.hardware, notes, self.clock.now) if notes is not None else self.hardware
        self.daemon = Daemon(table, self.clock, opener)
        self.planned = Counter(rule for each in self.plan for rule in each.expects)
        self.not_played = (
            sorted(sim_hw.judged(table.game, self.devices, self.options) - self.planned.keys())
            if part.rules is None
            else []
        )
        """Rules that its devices can judge and no simulated dealer breaks, or that the rounds had no room for."""

    @property
    def id(self) -> str:
        return self.config.table.id

    @contextmanager
    def playable(self) -> Iterator[None]:
        """Raises UsageError, with the file, for what the simulation says of a table that nobody can play."""
        try:
            yield
        except (ValueError, sim_hw.CannotSimulateError) as error:
            raise UsageError(f"{self.config.path}: {error}") from None

    def prepare(self) -> None:
        """What is simulated. Raises ValueError, CannotSimulateError."""
        self.events = sim_hw.simulate(
            self.config.game,
            self.devices,
            self.options,
            rounds=self.asked,
            seed=self.seed,
            plan=self.plan,
            people=self.people,
            seats=self.config.table.seats,
        )

    async def play(self, speed: float) -> int:
        """Play what was planned; returns how many wire events there were."""
        return await play(self.events, self.hardware, self.daemon.journal, speed)

    async def put_away(self) -> None:
        await self.daemon.stop()
        self.hardware.close()


def on_the_bench(table: Config, url: str, folder: Path, number: int) -> Config:
    """The table as configured, but publishing to the bench's broker, with simulated links and a journal of this run."""
    devices = tuple(msgspec.structs.replace(device, link="sim:") for device in table.devices)
    prefix = table.mqtt.prefix if table.mqtt else "pitwatch/1"
    return msgspec.structs.replace(
        table,
        mqtt=MqttSection(url=url, prefix=prefix, requests=list(VERBS)),
        journal=folder / f"{number}-{table.table.id}.db",
        devices=devices,
    )


def topic(tables: Sequence[BenchTable]) -> str:
    """The topic below which all tables publish."""
    prefixes = {table.config.topic.rsplit("/", 2)[0] for table in tables}
    return prefixes.pop() if len(prefixes) == 1 else "pitwatch"
