"""The health of the process: delay of the event loop, memory, disk. Independent of tables."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

EVERY = 30_000_000_000
"""Nanoseconds between health messages."""

LAG_EVERY = 0.25


class LagMeter:
    """Measures the delay of scheduled calls on the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._worst = 0.0
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._arm()

    def take(self) -> float:
        """The longest lateness in seconds since the last call."""
        worst, self._worst = max(self._worst, self._loop.time() - self._due), 0.0
        return max(worst, 0.0)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self) -> None:
        self._due = self._loop.time() + LAG_EVERY
        self._timer = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        self._worst = max(self._worst, self._loop.time() - self._due)
        self._arm()


def memory_kib() -> int:
    """Resident memory of this process; 0 if the system does not give it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def disk_free_mib(folder: Path) -> int:
    """Space left for this process where the journal is; 0 if the folder cannot be asked."""
    try:
        usage = os.statvfs(folder)
    except OSError:
        return 0
    return usage.f_bavail * usage.f_frsize // (1 << 20)
