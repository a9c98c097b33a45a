"""Node and board on one bench in simulated time: the firmware and the board's host as they are, on CPython, with a wire
between them that loses, spoils and delays bytes. Pins are the stand-in's; they interrupt whenever the bench says so.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwatch.devices.node_host import Heard, NodeHost
from pitwatch.hal.line import LineSpec
from pitwatch.hal.tick_clock import TickClock

STAND_IN = Path(__file__).parent / "stand_in"
WRAP = 1 << 30


@contextmanager
def machine() -> Iterator[type]:
    """The stand-in as the module `machine`, with wires that nothing drives; gives its Pin."""
    sys.path.insert(0, str(STAND_IN))
    try:
        sys.modules.pop("machine", None)
        import machine as stand_in

        yield stand_in.Pin
    finally:
        sys.path.remove(str(STAND_IN))
        sys.modules.pop("machine", None)
        from pitwatch.hal import machine_lines

        machine_lines._held.clear()


def wrapping_clock(now_ns) -> TickClock:
    """A board's ticks, which wrap two seconds after time 0."""
    return TickClock(
        lambda: (now_ns() // 1000 + WRAP - 2_000_000) % WRAP,
        lambda one, other: (one - other + WRAP // 2) % WRAP - WRAP // 2,
    )


class Ear(Heard):
    """Writes down what the host says, as tuples that begin with its kind."""

    def __init__(self) -> None:
        self.said: list[tuple] = []

    def node_up(self, levels: list[int], t: int) -> None:
        self.said.append(("up", levels, t))

    def node_edge(self, line: int, level: int, t: int) -> None:
        self.said.append(("edge", line, level, t))

    def node_lost(self, count: int, t: int) -> None:
        self.said.append(("lost", count, t))

    def node_passed(self, t: int) -> None:
        self.said.append(("passed", t))

    def node_down(self, reason: str, fix: str, t: int) -> None:
        self.said.append(("down", reason, t))

    def of(self, kind: str) -> list[tuple]:
        return [said[1:] for said in self.said if said[0] == kind]


class Bench:
    """`step` nanoseconds at a time."""

    def __init__(
        self,
        pin: type,
        specs: list[LineSpec],
        seed: int,
        drop: float,
        flip: float,
        late_ms: int,
        ear: Ear | None = None,
        step: int = 500_000,
    ):
        from pitwatch.firmware.node import Node

        self.now = 1_000_000_000
        self.step = step
        self.pin = pin
        self.ear = ear or Ear()
        self.host = NodeHost(specs, self.ear, "", seed)
        self._chance = random.Random(seed)
        self._drop, self._flip, self._late = drop, flip, late_ms * 1_000_000
        self._to_node: list[tuple[int, bytes]] = []
        self._to_board: list[tuple[int, bytes]] = []
        self._node_class = Node
        self.power_on()
        self.host.connected(self.now)

    def power_on(self, cause: str = "power") -> None:
        clock = wrapping_clock(lambda: self.now)
        self.node = self._node_class(self, clock, self._chance.getrandbits(32), cause, ["1.0.0", "1.22.0", "rp2", "e6"])

    # --- the node's port

    def read(self) -> bytes:
        return self._arrived(self._to_node)

    def write(self, data: bytes) -> None:
        self._send(self._to_board, data)

    def wait(self, ms: int) -> None:
        pass

    # --- the wire

    def _send(self, wire: list[tuple[int, bytes]], data: bytes) -> None:
        due = wire[-1][0] if wire else 0
        out = bytearray()
        for byte in data:
            if self._chance.random() >= self._drop:
                out.append(byte ^ (1 << self._chance.randrange(8)) if self._chance.random() < self._flip else byte)
        while out:
            cut = self._chance.randint(1, 30)
            due = max(due, self.now + int(self._chance.random() * self._late))
            wire.append((due, bytes(out[:cut])))
            del out[:cut]

    def _arrived(self, wire: list[tuple[int, bytes]]) -> bytes:
        come = bytearray()
        while wire and wire[0][0] <= self.now:
            come += wire.pop(0)[1]
        return bytes(come)

    # --- time

    def run(self, ms: float, until=lambda: False) -> None:
        end = self.now + int(ms * 1_000_000)
        while self.now < end and not until():
            self.now += self.step
            if self._chance.random() < 0.5:
                self.node.turn()
            data = self._arrived(self._to_board)
            if data:
                self.host.feed(data, self.now)
            if self.host.deadline is not None and self.host.deadline <= self.now:
                self.host.tick(self.now)
            self._send(self._to_node, self.host.take_output())

    def drive_at(self, t: int, number: int, level: int) -> None:
        """Let time pass until just `t`, when the wire of a pin goes to `level`."""
        self.run((t - self.now) / 1_000_000 - self.step / 1_000_000)
        self.now = max(self.now, t)
        self.pin.drive(number, level)

    def up(self) -> bool:
        return bool(self.ear.said) and [said[0] for said in self.ear.said if said[0] in ("up", "down")][-1:] == ["up"]
