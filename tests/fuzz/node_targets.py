"""A sensor node's wire, from both its ends."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import pickle
import struct
import sys
from typing import Any

from pitwatch.devices.node_host import Heard as NodeHeard
from pitwatch.devices.node_host import NodeHost
from pitwatch.devices.protocols import cobs, node_bodies, node_link
from pitwatch.firmware.node import Node
from pitwatch.hal import machine_lines
from pitwatch.hal.line import LineSpec
from pitwatch.hal.tick_clock import TickClock
from tests.fuzz.seeds import node_seeds
from tests.fuzz.target import MS, PROJECT, SECOND, Target, in_one_line, message, messages, pieces

LINES = [LineSpec("a", "c", 1), LineSpec("b", "c", 2)]


class _Ears(NodeHeard):
    """Times of a node never go back nor come before they are heard; its lines are those that were asked for."""

    now = SECOND
    told = 0
    up = 0

    def _at(self, t: int) -> None:
        assert self.told <= t <= self.now, f"{self.told}, {t}, {self.now}"
        self.told = t

    def node_up(self, levels: list[int], t: int) -> None:
        assert len(levels) == len(LINES)
        assert set(levels) <= {0, 1}
        self.up += 1
        self._at(t)

    def node_edge(self, line: int, level: int, t: int) -> None:
        assert 0 <= line < len(LINES)
        assert level in (0, 1)
        self._at(t)

    def node_lost(self, count: int, t: int) -> None:
        assert count >= 0
        self._at(t)

    def node_passed(self, t: int) -> None:
        self._at(t)

    def node_down(self, reason: str, fix: str, t: int) -> None:
        in_one_line(Exception(reason))
        self._at(t)


class _NodeWire:
    """The board's end of a sensor node's wire, and a node that does as it should until an input plays it."""

    def __init__(self) -> None:
        self.ears = _Ears()
        self.host = NodeHost(LINES, self.ears, "", 1)
        self.host.connected(self.ears.now)
        self._asked = node_link.Framer()
        self._sequence = 0
        self.play(message(node_link.HELLO, node_bodies.hello_body(7, 0, "power", ["e660", "1.0", "1.28", "Pico"])))
        for _ in range(8):
            self.play(b"", 60 * MS)
        assert self.ears.up == 1, "the good node does not come up"

    def play(self, data: bytes, pause: int = 5 * MS) -> None:
        for kind, body in messages(data):
            if kind == node_link.DATA and len(body) % 2:  # in order, in the session that is open
                body = struct.pack("<HH", self.host._session, self.host._receiver._next) + body
            self._hear(node_link.frame(kind, body) if kind < 128 else body, pause)
        self._hear(b"", pause)

    def _hear(self, wire: bytes, pause: int) -> None:
        for piece in pieces(wire, len(wire)) if wire else (b"",):
            self.ears.now += pause
            if self.host.deadline is not None and self.host.deadline <= self.ears.now:
                self.host.tick(self.ears.now)
            self.host.feed(piece, self.ears.now)
        for kind, body in self._asked.feed(self.host.take_output()):
            self.ears.now += MS
            if kind == node_link.PING:
                number = node_bodies.read_pong(body)[0]
                us = self.ears.now // 1000
                self.host.feed(node_link.frame(node_link.PONG, node_bodies.pong_body(number, 7, us, us)), self.ears.now)
            elif kind == node_link.OPEN:
                session = node_bodies.read_open(body)[0]
                opened = node_bodies.opened_body(session, 7, self.ears.now // 1000, 1, "")
                self.host.feed(node_link.frame(node_link.OPENED, opened), self.ears.now)
        assert not self._asked.discarded


def node_host() -> Target:
    """The board's end of a sensor node's wire, with a session open: whole messages, and bytes that are none."""
    lasting = _NodeWire()
    fresh = pickle.dumps(lasting)

    def once(data: bytes) -> None:
        for wire in (pickle.loads(fresh), lasting):
            wire.play(data)
        json.dumps(lasting.host.identity)

    batch = node_bodies.Batch()
    batch.edge(0, 1, SECOND // 1000)
    batch.edge(1, 0, SECOND // 1000 + 50)
    batch.lost(2, SECOND // 1000 + 60)
    edges = message(node_link.DATA, batch.take(SECOND // 1000 + 99))
    hello = message(node_link.HELLO, node_bodies.hello_body(8, 0, "watchdog", ["e661", "1.0"]))
    fault = message(node_link.FAULT, b"MemoryError")
    noise = [message(255, wire[:60]) for wire in node_seeds()]
    return Target([edges, hello, fault, edges + hello + edges + fault, *noise], once, lambda: lasting)


def node_firmware() -> Target:
    """The sensor node's own program, told anything by its wire, on stand-in pins that follow the input too."""
    spec = importlib.util.spec_from_file_location("machine", PROJECT / "tests" / "firmware" / "stand_in" / "machine.py")
    assert spec is not None
    assert spec.loader is not None
    stand_in = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stand_in)

    class Port:
        def __init__(self) -> None:
            self.now_us, self.heard, self.said = 1_000_000, b"", node_link.Framer()

        def read(self) -> bytes:
            heard, self.heard = self.heard, b""
            return heard

        def write(self, data: bytes) -> None:
            self.said.feed(data)
            assert not self.said.discarded, "sends what is no frame"

        def wait(self, ms: int) -> None:
            self.now_us += 500

    def node() -> Any:
        port = Port()
        clock = TickClock(lambda: port.now_us % 2**30, lambda one, other: (one - other + 2**29) % 2**30 - 2**29)
        made = Node(port, clock, 7, "power", ["1.0", "1.28", "Pico", "e6"])
        made._tidy_at = 1 << 62  # collecting memory is what takes its time, and it is not the firmware's
        return made

    def turn(node: Any, wire: bytes) -> None:
        node._port.heard = wire
        with contextlib.suppress(KeyboardInterrupt):
            node.turn()

    def play(node: Any, data: bytes) -> None:
        for kind, body in messages(data):
            if kind >= 192:
                for byte in body:
                    stand_in.Pin.drive(byte % 30, byte >> 7)
            for piece in pieces(node_link.frame(kind, body) if kind < 128 else body, kind):
                turn(node, piece)
        turn(node, b"")

    lasting = node()

    def once(data: bytes) -> None:
        sys.modules["machine"] = stand_in
        try:
            for each in (node(), lasting):
                play(each, data)
                each._close()
                assert not machine_lines._held, "pins are kept"
        finally:
            del sys.modules["machine"]

    open_ = message(node_link.OPEN, node_bodies.open_body(1, LINES))
    edges = message(192, bytes([1, 129, 1, 130, 2]))
    ack = message(node_link.ACK, struct.pack("<HHH", 1, 1, 0))
    ping = message(node_link.PING, node_bodies.ping_body(3))
    rest = [ping, message(node_link.ASK, b""), message(node_link.CLOSE, b"")]
    return Target([open_ + edges + ack + edges, open_ + open_, *rest, open_ + rest[0] + rest[2]], once, lambda: lasting)


def node_frames() -> Target:
    """The node's end: every body that its firmware reads."""

    def once(data: bytes) -> None:
        at_once = node_link.Framer().feed(data)
        framer = node_link.Framer()
        assert [frame for piece in pieces(data, 7) for frame in framer.feed(piece)] == at_once
        for body in (data, *(body for _, body in at_once)):
            node_bodies.read_open(body)
            node_bodies.read_opened(body)
            node_bodies.read_pong(body)
            node_bodies.read_numbers(body, 3)
            for read in (node_bodies.read_batch, node_bodies.Hello):
                with contextlib.suppress(ValueError):
                    read(body)
        assert cobs.decode(cobs.encode(data)) == data

    return Target(node_seeds(), once, lambda: None)
