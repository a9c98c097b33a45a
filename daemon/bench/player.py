"""Plays wire events into a daemon at a chosen speed, or as fast as the daemon reads them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from math import inf
from typing import Protocol

from pitwatch.daemon.bench.hardware import BenchHardware
from pitwatch.daemon.journal import Journal

YIELD_EVERY = 64
"""Events between two turns of the event loop at full speed."""

MOST_BEHIND = 2000
"""Records the journal may be behind its file before the simulation waits for it."""


class Wire(Protocol):
    """One thing that happens on a wire: bytes, or a line going to a logical level."""

    @property
    def t_ns(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def rx(self) -> bytes | None: ...
    @property
    def line(self) -> str | None: ...
    @property
    def level(self) -> int: ...


async def play(events: Iterable[Wire], hardware: BenchHardware, journal: Journal, speed: float = inf) -> int:
    """Play all events, at `speed` times real time; returns how many there were."""
    began = asyncio.get_running_loop().time()
    count = 0
    for event in events:
        count += 1
        if speed != inf:
            await _until(began + event.t_ns / 1e9 / speed)
        elif count % YIELD_EVERY == 0:
            await asyncio.sleep(0)
            await disk(journal)
        await happen(event, hardware)
    return count


async def happen(event: Wire, hardware: BenchHardware) -> None:
    """Let time pass up to an event, and have it happen on its wire."""
    if event.t_ns > hardware.clock.now():
        hardware.clock.advance_to(event.t_ns)
    if event.rx is not None:
        await hardware.send(event.device, event.rx)
    elif event.line is not None:
        hardware.level(event.device, event.line, event.level)


async def disk(journal: Journal) -> None:
    """Wait while too many records wait for the disk."""
    while journal.last - journal.committed > MOST_BEHIND:  # noqa: ASYNC110  the journal has one listener already
        await asyncio.sleep(0.001)


async def _until(when: float) -> None:
    loop = asyncio.get_running_loop()
    delay = when - loop.time()
    await asyncio.sleep(delay if delay > 0.001 else 0)
