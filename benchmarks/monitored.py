"""From the ball's bytes on a serial port to the round's message, at a table with monitors, beside one without.

Both tables are at one broker. A spin of each in turn, so that whatever else the machine does falls on both alike.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.figure import Figure, median, percentile, say
from benchmarks.latency import PAUSE, WARM_UP, Ear, at_broker
from benchmarks.table import resident_mib, scratch, serial_port, table
from pitwatch.daemon.bench.broker import embedded_broker, mosquitto
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.devices.protocols import slingshot2
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO

STATISTICS = {
    "RL-01": "[statistics]\nwatch = false",
    "RL-02": "[statistics]\nrounds_an_hour = 1000",
}
"""Without monitors, and with pocket, signature and pace."""

BASELINE = "the same round of a table without monitors"
RESIDENT = "the same table without monitors"


class _Wheel:
    """Spins of one table, each from the bets to the pocket."""

    def __init__(self, master: int, name: str):
        self._master = master
        self.topic = f"pitwatch/1/bench/{name}/round"
        self._spin = 0
        self._last = "0"

    def before(self) -> None:
        """Everything of a spin but its end."""
        self._spin += 1
        for state in (2, 3, 4):
            self._say(state, self._last)

    def rest(self) -> None:
        self._last = random.choice(DOUBLE_ZERO)
        self._say(5, self._last)

    def _say(self, state: int, pocket: str) -> None:
        number, direction = self._spin % 256 + 1, self._spin % 2
        os.write(self._master, slingshot2.status_line(state, number, pocket, 0, 160, direction))


async def _run(ear: Ear, wheels: dict[str, _Wheel], trials: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {name: [] for name in wheels}
    order = list(wheels)
    for number in range(WARM_UP + trials):
        random.shuffle(order)
        for name in order:
            wheels[name].before()
            await asyncio.sleep(random.uniform(*PAUSE))
            began = time.perf_counter()
            wheels[name].rest()
            heard, _ = await ear.wait(wheels[name].topic, b'"round"')
            if number >= WARM_UP:
                took[name].append(heard - began)
    return took


async def _measure(trials: int, folder: Path) -> tuple[dict[str, list[float]], dict[str, float]]:
    async with embedded_broker() as (url, _), at_broker(parse_broker_url(url).port) as (ear, _):
        with ExitStack() as both:
            wheels, running = {}, {}
            for name, more in STATISTICS.items():
                master, port = both.enter_context(serial_port())
                (folder / name).mkdir()
                running[name], _ = both.enter_context(table(url, port, folder / name, name=name, more=more))
                wheels[name] = _Wheel(master, name)
            took = await _run(ear, wheels, trials)
            return took, {name: resident_mib(each.pid) for name, each in running.items()}


def figures(trials: int) -> list[Figure]:
    """Median and 99th percentile in ms of so many rounds of each table, and what is resident after them."""
    took: dict[str, list[float]] = {}
    resident: dict[str, float] = {}
    if mosquitto() is None:
        say("monitors: no figures: mosquitto is not installed")
    else:
        with scratch() as folder:
            took, resident = asyncio.run(_measure(trials, folder))
    without, name = STATISTICS
    found = []
    for what, of in (("median", median), ("p99", lambda values: percentile(values, 99))):
        values = [of(took[each]) * 1000 if took else None for each in (name, without)]
        found.append(Figure(f"monitors_latency_{what}", values[0], "ms", BASELINE, values[1]))
    return [*found, Figure("monitors_resident", resident.get(name), "MiB", RESIDENT, resident.get(without))]
