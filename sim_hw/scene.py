"""The time of a simulated table and what is still to happen on its wires.

Whoever acts lets time pass with `wait` and puts events now or later; `due` gives out, in order of time, what has
happened. Knows no device and no game. Everything random comes from one seeded generator.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from typing import Protocol

from pitwatch.sim_hw.wire import WireEvent

SECOND = 1_000_000_000
MS = 1_000_000


class Running(Protocol):
    """A device that goes on by itself while time passes."""

    def advance(self, t: int) -> None: ...


class Scene:
    """`t` is now, in ns; `rng` the only source of chance; `running` what goes on by itself. What whoever acts at a
    device must know of it, whoever acted before: `levels` of its lines, `laid` on the felt, and the device itself."""

    def __init__(self, seed: int):
        self.t = SECOND
        self.rng = random.Random(seed)
        self.running: list[Running] = []
        self.levels: dict[str, dict[str, int]] = {}
        self.laid: dict[str, list[str | None]] = {}
        self.devices: dict[str, object] = {}
        self._pending: list[tuple[int, int, WireEvent]] = []
        self._order = 0

    def put_bytes(self, device: str, data: bytes, at: int | None = None) -> None:
        """The device sends `data` at `at` (ns; default now)."""
        self._put(WireEvent(self.t if at is None else at, device, data, None, 0))

    def put_level(self, device: str, line: str, level: int, at: int | None = None) -> None:
        """The line goes to `level` at `at` (ns; default now)."""
        self._put(WireEvent(self.t if at is None else at, device, None, line, level))

    def _put(self, event: WireEvent) -> None:
        if event.t_ns < self.t:
            raise ValueError(f"{event.device}: an event {self.t - event.t_ns} ns in the past")
        self._order += 1
        heapq.heappush(self._pending, (event.t_ns, self._order, event))

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        until = self.t + int(seconds * SECOND)
        for device in self.running:
            device.advance(until)
        self.t = until

    def pause(self, low: float, high: float) -> None:
        """Let a time between `low` and `high` seconds pass, as people do."""
        self.wait(self.rng.uniform(low, high))

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def due(self, *, everything: bool = False) -> Iterator[WireEvent]:
        """What has happened up to now and was not given out before; `everything` also what is still to come."""
        pending = self._pending
        while pending and (everything or pending[0][0] <= self.t):
            yield heapq.heappop(pending)[2]
