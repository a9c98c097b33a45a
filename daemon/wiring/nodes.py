"""Sensor nodes: one port for each node, shared by all devices with lines on it. Handles the session, no device."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pitwatch.daemon.wiring.answering import Answering, told
from pitwatch.daemon.wiring.osdp_bus import Bus
from pitwatch.daemon.wiring.tag_reader import TagReaderLink
from pitwatch.devices.node_host import Heard, NodeHost
from pitwatch.hal.address import parse
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import Missing
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink, DuplexLink


class NodeBank(LineBank):
    """The lines of one device on a node. `on_passed(t)`, if set, is called when all edges up to `t` have been
    reported."""

    def __init__(self, port: NodePort, specs: list[LineSpec], first: int):
        self.specs = specs
        self.first = first
        self.known: dict[str, int] = {}  # levels reported last; {} while off line
        self.on_passed: Callable[[int], object] = _nobody
        self.on_edge: Callable[[str, int, int], object] | None = None
        self.on_lost: Callable[[int, int], object] = _nobody
        self.on_state: Callable[[bool, str], object] = _nobody
        self._port = port

    def start(
        self,
        on_edge: Callable[[str, int, int], object],
        on_lost: Callable[[int, int], object],
        on_state: Callable[[bool, str], object],
    ) -> None:
        if self.on_edge is not None:
            raise RuntimeError("started twice")
        self.on_edge, self.on_lost, self.on_state = on_edge, on_lost, on_state
        self._port.start(self)

    def levels(self) -> dict[str, int]:
        """Levels as of the last edge that the node told. Raises HalError if off line."""
        if not self.known:
            raise Missing(self._port.where, "the lines are not held", "see that the sensor node is on line")
        return dict(self.known)

    def stop(self) -> None:
        if self.on_edge is not None:
            self.on_edge = None
            self.known = {}
            self._port.stop(self)

    @property
    def identity(self) -> dict[str, Any]:
        """What the node says of itself."""
        return self._port.identity


def _nobody(*told: object) -> None:
    pass


class NodePort(Heard):
    """The link and the session of one node. All its banks are made before the first is started."""

    def __init__(self, link: DuplexLink, clock: Clock, url: str):
        address = parse(url)
        self.url = url
        self.where = address.path
        self._link = link
        self._answering = Answering(link, clock)
        self._wanted = address.node
        self._banks: list[NodeBank] = []
        self._places: list[tuple[NodeBank, str]] = []  # of each line of the node
        self._host: NodeHost | None = None
        self._down: str | None = None

    @property
    def identity(self) -> dict[str, Any]:
        return self._host.identity if self._host is not None else {}

    def bank(self, specs: list[LineSpec]) -> NodeBank:
        """A bank of further lines. Raises ValueError for more lines than a node can have."""
        bank = NodeBank(self, specs, len(self._places))
        self._banks.append(bank)
        self._places += [(bank, spec.name) for spec in specs]
        self._new_host()
        return bank

    def start(self, bank: NodeBank) -> None:
        running = [other for other in self._banks if other.on_edge is not None]
        if len(running) == 1:
            self._down = None
            self._answering.start(self._new_host())
        elif bank.known:
            bank.on_state(True, "")
        elif self._down is not None:
            bank.on_state(False, self._down)

    def stop(self, bank: NodeBank) -> None:
        if any(other.on_edge is not None for other in self._banks):
            return
        if self._host is not None:
            self._host.close()
            self._link.write(self._host.take_output())
        self._answering.stop()

    def _new_host(self) -> NodeHost:
        lines = [spec for bank in self._banks for spec in bank.specs]
        self._host = NodeHost(lines, self, self._wanted, int.from_bytes(os.urandom(2), "big"))
        return self._host

    def node_up(self, levels: list[int], t: int) -> None:
        self._down = None
        self._link.understood()
        for (bank, name), level in zip(self._places, levels, strict=True):
            bank.known[name] = level
        for bank in self._banks:
            if bank.on_edge is not None:
                bank.on_state(True, "")
                bank.on_passed(t)

    def node_edge(self, line: int, level: int, t: int) -> None:
        bank, name = self._places[line]
        if bank.on_edge is not None:
            bank.known[name] = level
            bank.on_edge(name, level, t)

    def node_lost(self, count: int, t: int) -> None:
        """The node does not know of which line, so every device on it may have missed something."""
        for bank in self._banks:
            if bank.on_edge is not None:
                bank.on_lost(count, t)

    def node_passed(self, t: int) -> None:
        for bank in self._banks:
            if bank.on_edge is not None:
                bank.on_passed(t)

    def node_down(self, reason: str, fix: str, t: int) -> None:
        self._down = told(self.where, reason, fix)
        for bank in self._banks:
            bank.known = {}
            if bank.on_edge is not None:
                bank.on_state(False, self._down)


class Hardware(Factory):
    """Everything that `hal` opens, the lines of sensor nodes, and key-card readers on OSDP buses."""

    def __init__(self, clock: Clock):
        super().__init__(clock)
        self._nodes: dict[str, NodePort] = {}
        self._buses: dict[str, Bus] = {}

    def link(self, url: str, name: str, serial: tuple[int, str] = (9600, "8N1")) -> ByteLink:
        """As `Factory.link`, and osdp:…, pn532:… too. Raises ValueError also for a reader or a key that cannot be."""
        address = parse(url)
        if address.scheme == "pn532":
            return TagReaderLink(self.duplex(url), self._clock, address.path)
        if address.scheme != "osdp":
            return super().link(url, name, serial)
        bus = self._buses.get(address.path)
        if bus is None:
            bus = self._buses[address.path] = Bus(self.duplex(url), self._clock, address)
        try:
            return bus.reader(address)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    def lines(self, url: str, specs: list[LineSpec], name: str) -> LineBank:
        """As `Factory.lines`, and node:… too. Raises ValueError also where two devices write one port differently."""
        address = parse(url)
        if address.scheme != "node":
            return super().lines(url, specs, name)
        node = self._nodes.get(address.path)
        if node is None:
            node = self._nodes[address.path] = NodePort(self.duplex(url), self._clock, url)
        if node.url != url:
            raise ValueError(f"{name}: link {url!r}: another device writes {node.url!r} for this port; write it alike")
        try:
            return node.bank(specs)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
