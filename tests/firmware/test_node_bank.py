"""The lines of a sensor node keep the contract of every bank, as far as lines at the end of a wire can."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pitwatch.daemon.wiring.nodes import Hardware, NodeBank
from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineSpec
from pitwatch.hal.link import DuplexLink
from pitwatch.hal.machine_lines import RING
from pitwatch.hal.sim import SimClock
from tests.firmware.bench_top import machine, wrapping_clock
from tests.hal.contract_lines import LinesContract, Watcher

LINK = "node:serial:/dev/node"


class Cable(DuplexLink):
    """A wire without faults; the node is at the other end of it."""

    def __init__(self, clock: SimClock) -> None:
        self.to_node = bytearray()
        self.plugged = True
        self._clock = clock
        self._on_bytes: Callable[[bytes, int], object] | None = None
        self._on_state: Callable[[bool, str], object] | None = None

    def start(self, on_bytes, on_state) -> None:
        self._on_bytes, self._on_state = on_bytes, on_state
        on_state(self.plugged, "" if self.plugged else "no such port; plug it in")

    def stop(self) -> None:
        self._on_bytes = self._on_state = None

    def write(self, data: bytes) -> None:
        self.to_node += data

    def plug(self, plugged: bool) -> None:
        self.plugged = plugged
        if self._on_state is not None:
            self._on_state(plugged, "" if plugged else "unplugged; plug it in again")

    def deliver(self, data: bytes) -> None:
        if self._on_bytes is not None and self.plugged:
            self._on_bytes(data, self._clock.now())


class Bench(Hardware):
    """Every node link is the one cable."""

    def __init__(self, clock: SimClock, cable: Cable) -> None:
        super().__init__(clock)
        self._cable = cable

    def duplex(self, url: str) -> DuplexLink:
        return self._cable


class Port:
    """The node's end of the cable."""

    def __init__(self, cable: Cable) -> None:
        self.sent = bytearray()
        self._cable = cable

    def read(self) -> bytes:
        data = bytes(self._cable.to_node)
        self._cable.to_node.clear()
        return data

    def write(self, data: bytes) -> None:
        self.sent += data

    def wait(self, ms: int) -> None:
        """Nothing is waited for here."""


class NodeBankRig:
    """Virtual time, half a millisecond at a time: the node turns, its bytes are there at once."""

    def __init__(self, pin: type) -> None:
        from pitwatch.firmware.node import Node

        self.clock = SimClock(now=1_000_000_000)
        self.cable = Cable(self.clock)
        self.hardware = Bench(self.clock, self.cable)
        self._pin = pin
        self._numbers: dict[str, int] = {}
        self._port = Port(self.cable)
        self._node = Node(self._port, wrapping_clock(self.clock.now), 77, "power", ["1.0.0", "1.22.0", "rp2", "e6"])

    def bank(self, specs: list[LineSpec]) -> NodeBank:
        self._numbers |= {spec.name: spec.line for spec in specs}
        bank = self.hardware.lines(LINK, specs, "dice")
        assert isinstance(bank, NodeBank)
        return bank

    def wire(self, name: str, raw: int) -> None:
        self._pin.drive(self._numbers[name], raw)

    def overflow(self, name: str, edges: int) -> None:
        for number in range(RING - 1 + edges):
            self.wire(name, (number + 1) % 2)

    def unplug(self) -> None:
        self.cable.plug(False)

    def replug(self) -> None:
        self.cable.plug(True)

    async def wait(self, seconds: float) -> None:
        end = self.clock.now() + round(seconds * 1e9)
        while self.clock.now() < end:
            self.clock.advance_to(min(end, self.clock.now() + 500_000))
            self._node.turn()
            if self._port.sent:
                data = bytes(self._port.sent)
                self._port.sent.clear()
                self.cable.deliver(data)
        await asyncio.sleep(0)

    async def until(self, condition, seconds: float) -> None:
        deadline = self.clock.now() + round(seconds * 1e9)
        while not condition():
            assert self.clock.now() < deadline, f"did not happen within {seconds:g} s"
            await self.wait(0.001)


class TestNodeBank(LinesContract):
    @pytest.fixture
    def rig(self):
        with machine() as pin:
            yield NodeBankRig(pin)

    async def test_edges_come_with_level_and_the_time_they_happened(self, rig):
        """As the contract's, within the error that the node states."""
        watcher = await self._watch(rig, LineSpec("beam", "node", 17))
        happened = []
        for raw in (1, 0, 1):
            rig.wire("beam", raw)
            happened.append(rig.clock.now())
            await rig.wait(0.02)
        await rig.until(lambda: len(watcher.edges) == 3, 1)
        assert watcher.moves("beam") == [1, 0, 1]
        error = watcher.bank.identity["clock_error_us"] * 1000
        assert error < 2_000_000
        assert all(abs(t - true) <= error for (_, _, t), true in zip(watcher.edges, happened, strict=True))

    async def test_levels_are_read_back(self, rig):
        """As the contract's, once the node has told."""
        watcher = await self._watch(rig, LineSpec("a", "node", 1), LineSpec("b", "node", 2))
        assert watcher.bank.levels() == {"a": 0, "b": 0}
        rig.wire("b", 1)
        await rig.until(lambda: watcher.edges, 1)
        assert watcher.bank.levels() == {"a": 0, "b": 1}

    async def test_a_line_held_by_another_is_refused_until_it_is_let_go(self, rig):
        """Two devices that name one GPIO: the node refuses both, since it opens its lines together."""
        first, second = (Watcher(rig.bank([LineSpec(name, "node", 16)])) for name in ("a", "b"))
        first.start()
        second.start()
        await rig.until(lambda: second.states, 2)
        for watcher in (first, second):
            [(online, reason)] = watcher.states
            assert not online
            assert "line 16: held by another" in reason
            with pytest.raises(HalError, match="not held"):
                watcher.bank.levels()
