"""How warm the board is and whether its firmware slows it down. Independent of tables and of the event loop.

The files belong to the kernel: `/sys/class/thermal` (Documentation/driver-api/thermal/sysfs-api.rst) and, on a
Raspberry Pi, `get_throttled` of its firmware driver, which asks the firmware and may take milliseconds.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from pitwatch.daemon.common.background import Background

SYS = Path("/sys")
LOOK_EVERY = 30.0
"""Seconds between looks."""

PLAUSIBLE = range(-60, 200)
"""Degrees Celsius; a sensor that is not connected reports others."""


BITS = range(1 << 32)


class Sensed(NamedTuple):
    """`temperature_c`: of the warmest sensor, degrees Celsius. `throttled`: the firmware's bits. None where the board
    has no such file, or it cannot be read."""

    temperature_c: float | None = None
    throttled: int | None = None


class BoardSensors(Background):
    """`now` is what was read last. A file that answers slowly keeps nobody else waiting: a thread reads it."""

    def __init__(self, sys: Path | None = None):
        self._sys = sys
        self.now = Sensed()

    async def _run(self) -> None:
        while True:
            self.now = await asyncio.to_thread(sense, self._sys or SYS)
            await asyncio.sleep(LOOK_EVERY)


def sense(sys: Path) -> Sensed:
    """Read the files below `sys`. Never raises."""
    return Sensed(_warmest(sys), _throttled(sys))


def _warmest(sys: Path) -> float | None:
    found = []
    for file in sorted(sys.glob("class/thermal/thermal_zone*/temp")):
        try:
            degrees = int(file.read_text()) / 1000  # the kernel gives thousandths
        except (OSError, ValueError):
            continue
        if int(degrees) in PLAUSIBLE:
            found.append(round(degrees, 1))
    return max(found, default=None)


def _throttled(sys: Path) -> int | None:
    for file in sorted(sys.glob("devices/platform/soc*/soc*:firmware/get_throttled")):
        try:
            bits = int(file.read_text(), 16)
        except (OSError, ValueError):
            continue
        if bits in BITS:
            return bits
    return None
