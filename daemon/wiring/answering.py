"""A port that must be answered or asked: a sans-I/O machine hears it, and what the machine wants sent goes out.

Knows neither sensor nodes nor OSDP; their machines are in `devices`.
"""

from __future__ import annotations

from typing import Protocol

from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.link import DuplexLink


class Machine(Protocol):
    """As `devices.node_host.NodeHost` and `devices.osdp_panel.Panel` are. Times are monotonic ns."""

    deadline: int | None

    def feed(self, data: bytes, t: int) -> None: ...
    def connected(self, t: int) -> None: ...
    def disconnected(self, reason: str, t: int) -> None: ...
    def tick(self, t: int) -> None: ...
    def take_output(self) -> bytes: ...


class Answering:
    """Drives the machine of one link, from `start` to `stop`."""

    def __init__(self, link: DuplexLink, clock: Clock):
        self._link = link
        self._clock = clock
        self._machine: Machine | None = None
        self._timer: Timer | None = None

    def start(self, machine: Machine) -> None:
        self._machine = machine
        self._link.start(self._received, self._state)

    def stop(self) -> None:
        """May be called by what the machine calls: nothing is sent any more."""
        self._machine = None
        self._link.stop()
        self._cancel()

    def _received(self, data: bytes, t: int) -> None:
        if self._machine is not None:
            self._machine.feed(data, t)
            self._go_on()

    def _state(self, online: bool, reason: str) -> None:
        if self._machine is None:
            return
        if online:
            self._machine.connected(self._clock.now())
        else:
            self._machine.disconnected(reason, self._clock.now())
        self._go_on()

    def _tick(self) -> None:
        self._timer = None
        if self._machine is not None:
            self._machine.tick(self._clock.now())
            self._go_on()

    def _go_on(self) -> None:
        machine = self._machine
        if machine is None:
            return
        out = machine.take_output()
        if out:
            self._link.write(out)
        self._cancel()
        if machine.deadline is not None:
            self._timer = self._clock.call_at(machine.deadline, self._tick)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def told(where: str, reason: str, fix: str) -> str:
    """Why nothing is heard, in one line that names the port once."""
    what = reason if reason.startswith(where) else f"{where}: {reason}"
    return f"{what}; {fix}" if fix else what
