"""What is fuzzed, and what must hold whatever comes: one list, for the guided fuzzer and for the suite alike.

A target is called with bytes. It raises (AssertionError or whatever the code under it raised) if something is wrong.
Besides a fresh object for each input, each target has a lasting one that hears every input: it may not grow.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib.util
import json
import pickle
import shutil
import struct
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import sim_hw
from daemon import capture, config
from daemon.chain import Record
from daemon.errors import UsageError
from daemon.requests import VERBS, Requests
from devices import registry, vocabulary
from devices.base import Device
from devices.node_host import Heard as NodeHeard
from devices.node_host import NodeHost
from devices.osdp_panel import Panel
from devices.protocols import angel_eye, card_lines, cobs, line_framer, node_link, osdp, shape, slingshot2, wiegand
from firmware.node import Node
from floor import config as floor_config
from floor.message import read_message
from hal import hid_keys, machine_lines, rfc2217
from hal.address import parse
from hal.line import LineSpec
from hal.sim import SimClock
from hal.tick_clock import TickClock
from rules.book import load_game
from rules.book_file import BookError
from rules.bookcheck import check_path
from tests.fuzz.altered import altered, keys, toml

MS = 1_000_000
SECOND = 1_000_000_000
MOST_STATE = 256 * 1024
"""Bytes that a lasting object and all it refers to may take, whatever it has heard."""

SIZED_EVERY = 5_000

PROJECT = Path(__file__).parents[2]


class Target(NamedTuple):
    """`seeds`: inputs as they should be; `once`: one input; `lasting`: what has heard all of them."""

    seeds: list[bytes]
    once: Callable[[bytes], None]
    lasting: Callable[[], object]


def size(thing: object) -> int:
    """Bytes of an object and of everything that it alone keeps, classes and modules left out."""
    seen: set[int] = set()
    total, waiting = 0, [thing]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type | type(sys)) or callable(each):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        waiting += gc.get_referents(each)
    return total


def held(name: str, target: Target, heard: int) -> None:
    """After every so many inputs: the lasting object has not grown."""
    if heard % SIZED_EVERY == 0:
        grown = size(target.lasting())
        assert grown < MOST_STATE, f"{name} holds {grown} bytes after {heard} inputs"


def checked(device: Device, seen: list[Any], since: int, until: int) -> None:
    """Every observation is one that the device may make, in order of time, and can be journalled."""
    for observation in seen:
        right = (
            vocabulary.known(device.TYPE, observation.event)
            and not vocabulary.problem(device.TYPE, observation.event, observation.data)
            and observation.device == device.id
            and 0 <= observation.t <= until
        )
        assert right, f"{observation!r} at {since} to {until}"
        msgspec.json.encode(observation.data)


def pieces(data: bytes, cut: int) -> Iterator[bytes]:
    """The bytes in pieces of 1 to 8, which `cut` decides."""
    at = 0
    while at < len(data):
        cut = cut * 5 + 3 & 0xFF
        step = 1 + cut % 8
        yield data[at : at + step]
        at += step


def byte_device(kind: str, protocol: str, seeds: list[bytes], **settings: Any) -> Target:
    """A device that is fed bytes. The first byte of an input says how the rest is cut, and whether a fresh device must
    understand it cut up as it does at once, or the lasting one hears it, in time."""
    cls = registry.find(kind, protocol)
    lasting = cls("dev", settings)
    now = [SECOND]

    def once(data: bytes) -> None:
        cut, body = (data[0], data[1:]) if data else (0, b"")
        if cut & 1:
            whole, cut_up = cls("dev", settings), cls("dev", settings)
            at_once = whole.feed(body, SECOND)
            in_pieces = [seen for piece in pieces(body, cut) for seen in cut_up.feed(piece, SECOND)]
            # A second-long count of what was thrown away may be cut differently; what was understood may not.
            understood = [seen for seen in at_once if seen.event != "bytes_discarded"]
            assert understood == [seen for seen in in_pieces if seen.event != "bytes_discarded"]
            checked(whole, at_once, 0, SECOND)
            return
        for piece in pieces(body, cut):
            began, now[0] = now[0], now[0] + (cut + len(piece)) * 3 * MS
            seen = lasting.tick(now[0]) if lasting.deadline is not None and lasting.deadline <= now[0] else []
            checked(lasting, seen + lasting.feed(piece, now[0]), began, now[0])
        if cut % 16 == 0:
            checked(lasting, lasting.interrupted(now[0]), 0, now[0])

    return Target([bytes([first]) + seed for seed in seeds for first in (17, 18)], once, lambda: lasting)


def line_device(kind: str, protocol: str = "lines", **settings: Any) -> Target:
    """A device of lines: each two bytes of an input are an edge: line and level, then the time until it."""
    cls = registry.find(kind, protocol)
    lines = sorted(name.replace("*", number) for name in cls.LINES for number in ("1", "2", "9") if "*" in name) + [
        name for name in cls.LINES if "*" not in name
    ]
    lasting = cls("dev", settings)
    clock = [SECOND]

    def play(device: Device, data: bytes, t: int) -> int:
        for line, pause in zip(data[::2], data[1::2], strict=False):
            t += pause * pause * 100_000  # up to 6.5 s, most of them short
            while device.deadline is not None and device.deadline <= t:
                due = device.deadline
                checked(device, device.tick(due), 0, due)
                assert device.deadline is None or device.deadline > due, "a deadline that does not pass"
            if line == 0xFF:
                checked(device, device.interrupted(t), 0, t)
                continue
            checked(device, device.edge(lines[(line >> 1) % len(lines)], line & 1, t), 0, t)
        return t

    def once(data: bytes) -> None:
        device = cls("dev", settings)
        levels = {line: data[0] >> number % 8 & 1 for number, line in enumerate(lines)} if data else {}
        checked(device, device.initial(levels, SECOND), 0, SECOND)
        play(device, data[1:], SECOND)
        clock[0] = play(lasting, data[1:], clock[0])

    each = [bytes([0]) + b"".join(bytes([n << 1 | 1, 12, n << 1, 12]) for n in range(len(lines)))]
    return Target(each, once, lambda: lasting)


def wires(table: str, device: str) -> list[bytes]:
    """What a simulated table's device sends in a few rounds, in pieces of about a hundred bytes."""
    loaded = config.load(PROJECT / "sim_hw" / "tables" / f"{table}.toml")
    specs = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in loaded.devices
    ]
    people = {credential: person.role for credential, person in loaded.people.items()}
    events = sim_hw.simulate(loaded.game, specs, dict(loaded.table.options), rounds=2, seed=1, plan=[], people=people)
    text = b"".join(event.rx for event in events if event.device == device and event.rx is not None)
    return [text[at : at + 100] for at in range(0, min(len(text), 2000), 100)]


def slingshot_seeds() -> list[bytes]:
    status = [slingshot2.status_line(state, 7, "17", warn, 150, 1) for state in range(1, 7) for warn in (0, 1, 4)]
    return [*status, slingshot2.result_line("00"), b"*X;3;007; 9;0;150;1\r\n", b"*U 01\r\n", b"".join(status)]


def angel_eye_seeds() -> list[bytes]:
    data = [
        angel_eye.card_data(1, 1, "TD"),
        angel_eye.result_data("banker", ("player",)),
        *(angel_eye.error_data(kind) for kind in angel_eye.ERRORS.values()),
    ]
    return [angel_eye.frame(str(number), body) for number, body in enumerate(data, 1)]


def osdp_seeds() -> list[bytes]:
    replies = [(0x40, b""), (0x45, bytes(12)), (0x50, osdp.raw_data(wiegand.bits(12, 34567, 26))), (0x41, b"\x03")]
    packets = [osdp.encode(0x80, number % 4, code, body) for number, (code, body) in enumerate(replies)]
    return [*packets, b"".join(packets)]


def node_seeds() -> list[bytes]:
    hello = node_link.hello_body(7, 1, "power", ["e660", "1.0", "1.28", "Pico"])
    batch = node_link.Batch()
    batch.edge(0, 1, 5_000)
    batch.edge(1, 0, 6_000)
    bodies = [
        (node_link.HELLO, hello),
        (node_link.OPENED, node_link.opened_body(1, 7, 5, 3, "")),
        (node_link.PONG, node_link.pong_body(1, 7, 100, 200)),
    ]
    frames = [node_link.frame(kind, body) for kind, body in bodies]
    frames.append(node_link.Sender().push(1, batch.take(9), 0))
    frames.append(node_link.frame(node_link.OPEN, node_link.open_body(1, [LineSpec("a", "c", 1)])))
    return [*frames, b"".join(frames)]


class _Aes:
    """Not AES: the channel's course is what is tried here, and every key fits it the sooner."""

    def __init__(self, key: bytes):
        self._key = key

    def encrypt(self, block: bytes) -> bytes:
        return bytes(a ^ b for a, b in zip(block, self._key, strict=True))

    decrypt = encrypt


LINES = [LineSpec("a", "c", 1), LineSpec("b", "c", 2)]


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The input as messages: a byte that says what, one for the length, so many bytes."""
    at = 0
    while at + 2 <= len(data):
        end = at + 2 + data[at + 1] % 64
        yield data[at], data[at + 2 : end]
        at = end


def message(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


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

    def node_down(self, reason: str, mend: str, t: int) -> None:
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
        self.play(message(node_link.HELLO, node_link.hello_body(7, 0, "power", ["e660", "1.0", "1.28", "Pico"])))
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
                number = node_link.read_pong(body)[0]
                us = self.ears.now // 1000
                self.host.feed(node_link.frame(node_link.PONG, node_link.pong_body(number, 7, us, us)), self.ears.now)
            elif kind == node_link.OPEN:
                session = node_link.read_open(body)[0]
                opened = node_link.opened_body(session, 7, self.ears.now // 1000, 1, "")
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

    batch = node_link.Batch()
    batch.edge(0, 1, SECOND // 1000)
    batch.edge(1, 0, SECOND // 1000 + 50)
    batch.lost(2, SECOND // 1000 + 60)
    edges = message(node_link.DATA, batch.take(SECOND // 1000 + 99))
    hello = message(node_link.HELLO, node_link.hello_body(8, 0, "watchdog", ["e661", "1.0"]))
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

    open_ = message(node_link.OPEN, node_link.open_body(1, LINES))
    edges = message(192, bytes([1, 129, 1, 130, 2]))
    ack = message(node_link.ACK, struct.pack("<HHH", 1, 1, 0))
    rest = [message(node_link.PING, node_link.ping_body(3)), message(node_link.ASK, b""), message(node_link.CLOSE, b"")]
    return Target([open_ + edges + ack + edges, open_ + open_, *rest, open_ + rest[0] + rest[2]], once, lambda: lasting)


def node_frames() -> Target:
    """The node's end: every body that its firmware reads."""

    def once(data: bytes) -> None:
        at_once = node_link.Framer().feed(data)
        framer = node_link.Framer()
        assert [frame for piece in pieces(data, 7) for frame in framer.feed(piece)] == at_once
        for body in (data, *(body for _, body in at_once)):
            node_link.read_open(body)
            node_link.read_opened(body)
            node_link.read_pong(body)
            node_link.read_numbers(body, 3)
            for read in (node_link.read_batch, node_link.Hello):
                with contextlib.suppress(ValueError):
                    read(body)
        assert cobs.decode(cobs.encode(data)) == data

    return Target(node_seeds(), once, lambda: None)


class _Bus:
    """A panel and two readers that answer as they should; `say` is what they tell when they are asked what is new.

    key: of the reader at address 0, b"" for none; the one at address 1 has none."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.now = SECOND
        self.panel = Panel({0: key, 1: b""}, self, _Aes, bytes, 9600)
        self.panel.connected(self.now)
        self.up: set[int] = set()
        self.said = 0
        self._channel: osdp.SecureChannel | None = None
        self._mac = b""
        for _ in range(24):
            self.answer(0, b"")
        assert self.up == {0, 1}, "good readers do not come up"

    def reader_up(self, address: int, t: int) -> None:
        self.up.add(address)

    def reader_said(self, address: int, packet: bytes, t: int) -> None:
        assert address in self.up
        assert osdp.Framer().feed(packet)[0].address == address
        self.said += 1

    def reader_down(self, address: int, reason: str, mend: str, t: int) -> None:
        in_one_line(Exception(reason))
        self.up.discard(address)

    def answer(self, what: int, body: bytes) -> None:
        """The panel's next question, answered: 0 rightly; 1 to 3 with this code and data, sealed, plain, or as bytes
        that are no packet; 4 not at all."""
        if self.panel.deadline is not None:
            self.now = max(self.now + MS, self.panel.deadline)
            self.panel.tick(self.now)
        asked = osdp.Framer().feed(self.panel.take_output())
        if not asked:
            return
        self.now += 10 * MS
        code, data = (body[0], body[1:]) if body else (osdp.ACK, b"")
        question = asked[0]
        reply = body if what == 3 else self._reply(question, what, code, data)
        for piece in pieces(reply, what) if what < 4 else ():
            self.panel.feed(piece, self.now)

    def _reply(self, question: osdp.Packet, what: int, code: int, data: bytes) -> bytes:
        address, sequence = question.address | osdp.REPLY, question.sequence
        secure = bool(self.key) and question.address == 0
        if what == 2:
            return osdp.encode(address, sequence, code, data)
        if question.code == osdp.ID:
            return osdp.encode(address, sequence, osdp.PDID, (data + bytes(12))[:12])
        if question.code == osdp.CHLNG:
            self._channel = osdp.SecureChannel(self.key, _Aes, question.data)
            proof = self._channel._secret.encrypt(question.data + b"otherway")
            return osdp.encode(address, sequence, osdp.CCRYPT, bytes(8) + b"otherway" + proof, b"\x12\x01")
        channel = self._channel
        if channel is None or not secure:
            return osdp.encode(address, sequence, code, data)
        if question.code == osdp.SCRYPT:
            self._mac = channel._mac2.encrypt(channel._mac1.encrypt(question.data))
            return osdp.encode(address, sequence, osdp.RMAC_I, self._mac, b"\x14\x01")
        if not question.mac:
            return osdp.encode(address, sequence, code, data)
        before = channel._mac(question.head, self._mac)

        def mac(head: bytes) -> bytes:
            self._mac = channel._mac(head, before)
            return self._mac[:4]

        if not data:
            return osdp.encode(address, sequence, code, b"", b"\x16", mac)
        plain, secret, last = data + b"\x80" + bytes(-(len(data) + 1) % 16), b"", bytes(b ^ 0xFF for b in before)
        if what == 1 and len(data) % 7 == 3:
            plain = (data + bytes(16))[: len(data) // 16 * 16 + 16]  # without the mark where the data ends
        for at in range(0, len(plain), 16):
            last = channel._secret.encrypt(bytes(a ^ b for a, b in zip(plain[at : at + 16], last, strict=True)))
            secret += last
        return osdp.encode(address, sequence, code, secret, b"\x18", mac)


def osdp_panel(key: bytes) -> Target:
    """The panel of a bus of key-card readers that are up, with and without a secure channel."""
    lasting = _Bus(key)
    fresh = pickle.dumps(lasting)
    card = bytes([osdp.RAW]) + osdp.raw_data(wiegand.bits(12, 34567, 26))
    good = _Bus(key)
    for _ in range(4):
        good.answer(0, card)
    assert good.said >= 2, "a good card is not told"

    def once(data: bytes) -> None:
        for bus in (pickle.loads(fresh), lasting):
            for what, body in messages(data):
                bus.answer(what % 5, body)
            json.dumps([bus.panel.identity(0), bus.panel.identity(1)])

    said = [card, bytes([osdp.NAK, 3]), bytes([osdp.LSTATR, 1, 0]), bytes([osdp.BUSY]), bytes([osdp.NAK, 6])]
    each = [message(what, body) for body in said for what in (0, 1, 2)]
    noise = [message(3, packet[:60]) for packet in osdp_seeds()]
    return Target([*each, b"".join(each), message(4, b"") * 4, *noise], once, lambda: lasting)


def serial_box() -> Target:
    """An RFC 2217 box's end of a telnet session."""
    address = parse("rfc2217:box:2000?baud=9600")
    lasting = rfc2217.Session(address)

    def once(data: bytes) -> None:
        session, cut = rfc2217.Session(address), rfc2217.Session(address)
        plain = session.feed(data)
        assert b"".join(cut.feed(piece) for piece in pieces(data, 9)) == plain
        assert len(plain) <= len(data)
        lasting.feed(data)
        lasting.out.clear()

    greeting = bytes([255, 251, 0, 255, 253, 0, 255, 251, 44, 255, 253, 44, 255, 250, 44, 101, 0, 0, 37, 128, 255, 240])
    return Target([greeting, b"data\xff\xff\r\0", greeting + b"text"], once, lambda: lasting)


def typing_reader() -> Target:
    """A reader that types: each three bytes are an event."""
    lasting = hid_keys.Typed()

    def once(data: bytes) -> None:
        for kind, code, value in zip(data[::3], data[1::3], data[2::3], strict=False):
            typed = lasting.event(kind % 6, code, value % 4)
            assert typed is None or typed == hid_keys.LOST or 0 < typed < 128

    return Target([bytes(part for stroke in hid_keys.strokes("ab12\n") for part in stroke)], once, lambda: lasting)


def wiegand_bits() -> Target:
    def once(data: bytes) -> None:
        bits = [byte & 1 for byte in data]
        try:
            facility, card = wiegand.decode(bits)
        except wiegand.BadFrameError:
            return
        assert wiegand.bits(facility, card, len(bits)) == bits
        wiegand.credential(bits, "H10302")

    return Target([bytes(wiegand.bits(12, 345, length)) for length in wiegand.LENGTHS], once, lambda: None)


def in_one_line(error: Exception) -> None:
    assert str(error), "says nothing"
    assert len(str(error).splitlines()) == 1, f"more than one line: {error!r}"
    assert len(str(error)) < 1_000, f"no line for people: {len(str(error))} characters"


@cache
def scratch() -> Path:
    """A folder in memory, for what reads files by path."""
    folder = Path(tempfile.mkdtemp(prefix="pitwatch-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def table_file() -> Target:
    """A table's configuration: good, or one line that says why not."""
    path = scratch() / "table.toml"

    def once(data: bytes) -> None:
        path.write_bytes(data)
        try:
            config.load(path)
        except UsageError as error:
            in_one_line(error)

    tables = sorted((PROJECT / "sim_hw" / "tables").glob("*.toml"))
    return Target([table.read_bytes() for table in tables], once, lambda: None)


def table_values() -> Target:
    """A table's configuration that has something where it does not belong."""
    path = scratch() / "values.toml"
    tables = [tomllib.loads(each.read_text()) for each in sorted((PROJECT / "sim_hw" / "tables").glob("*.toml"))]
    words = keys()

    def once(data: bytes) -> None:
        try:
            read = config._Reader(path).config(altered(tables, words, data), "")
        except UsageError as error:
            in_one_line(error)
        else:
            for device in read.devices:
                device.decoder()

    return Target([bytes([table, *range(table, 250, 17)]) for table in range(len(tables))], once, lambda: None)


def floor_file() -> Target:
    path = scratch() / "floor.toml"

    def once(data: bytes) -> None:
        path.write_bytes(data)
        try:
            floor_config.load(path)
        except UsageError as error:
            in_one_line(error)

    return Target(
        [b'[mqtt]\nurl = ["mqtt://a", "mqtt://b"]\n[archive]\ndatabase = "sqlite:a.db"\n'], once, lambda: None
    )


def floor_values() -> Target:
    """A subscriber's configuration that has something where it does not belong."""
    mqtt = {"url": ["mqtt://a", "mqtts://b:1"], "username": "eye", "password_file": "p"}
    cameras = {"toledo/RL-07": "cam-1"}
    command = {"command": ["true", "$camera"], "cameras": cameras, "preroll_s": 5}
    post = {"url": "https://nvr/bookmark", "template": '{"camera": "$camera"}', "cameras": cameras}
    tables = [
        {"mqtt": mqtt, "archive": {"database": "sqlite:a.db", "group": "g"}, "video": each} for each in (command, post)
    ]
    words = sorted(
        {*tables[0], *mqtt, *command, *post, "ca", "headers_file", "$begin_ms", "$$", "$", "${x", "toledo/RL-07"}
    )

    def once(data: bytes) -> None:
        try:
            floor_config._Reader(scratch() / "floor.toml").config(altered(tables, words, data))
        except UsageError as error:
            in_one_line(error)

    return Target([bytes([table, *range(table, 250, 17)]) for table in range(4)], once, lambda: None)


def rule_book() -> Target:
    """A game's file in a book: what the checker says of it has a line number and one line."""
    folder = scratch() / "book"
    folder.mkdir(exist_ok=True)
    book = PROJECT / "rules" / "books" / "toledo-2020"
    for name in ("book.toml", "general.toml"):
        if (book / name).is_file():
            (folder / name).write_bytes((book / name).read_bytes())
    path = folder / "roulette.toml"

    def once(data: bytes) -> None:
        path.write_bytes(data)
        for problem in check_path(path):
            assert len(str(problem).splitlines()) == 1, f"{problem}"

    seeds = [(book / name).read_bytes()[:4000] for name in ("roulette.toml", "craps.toml")]
    return Target(seeds, once, lambda: None)


def rule_values() -> Target:
    """A game's file that is TOML and has something where it does not belong."""
    folder = scratch() / "values"
    folder.mkdir(exist_ok=True)
    book = PROJECT / "rules" / "books" / "toledo-2020"
    for name in ("book.toml", "general.toml"):
        (folder / name).write_bytes((book / name).read_bytes())
    path = folder / "roulette.toml"
    game = tomllib.loads((book / "roulette.toml").read_text())
    words = sorted({*game, *game["figures"], *(key for rule in game["irregularity"] for key in rule)})

    def once(data: bytes) -> None:
        path.write_text(toml(altered([game], words, data)))
        for problem in check_path(path):
            assert len(str(problem).splitlines()) == 1, f"{problem}"
        with contextlib.suppress(BookError):
            load_game(f"{folder}/roulette")

    return Target([bytes([0, *range(start, 250, 17)]) for start in range(4)], once, lambda: None)


def capture_file() -> Target:
    """A capture: lines, or one line that says which is wrong."""

    def once(data: bytes) -> None:
        last = -(10.0**300)
        try:
            for number, line in capture.lines("capture.jsonl", BytesIO(data)):
                assert number > 0
                assert line.t >= last
                last = line.t
                assert isinstance(line.t_ns, int)
                if line.rx is not msgspec.UNSET or line.rx_hex is not msgspec.UNSET:
                    line.received()
        except UsageError as error:
            in_one_line(error)

    seeds = [
        b'{"t":1.25,"device":"wheel","rx":"*X;3;007; 9;0;150;1\\r\\n"}\n{"t":1.5,"device":"shoe","rx_hex":"0531"}\n',
        b'{"t":1,"device":"dice","line":"rail-left","level":1}\n{"t":2,"device":"dice","levels":{"a":0,"b":1}}\n',
        b'{"t":1.25,"device":"wheel","event":"ball_settled","data":{"pocket":"17"}}\n\n',
    ]
    return Target(seeds, once, lambda: None)


def requests() -> Target:
    """The request handler: whatever comes is answered, journalled or counted, and never raises."""
    clock = SimClock(now=SECOND)
    notes: list[bytes] = []

    class Journal:
        last = committed = 1_000

        def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
            notes.append(msgspec.json.encode(data))
            assert len(notes[-1]) < 4_096, "a request writes more than it may be long"
            notes.clear()
            return self.last

        def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None:
            assert 0 <= after < 1_000
            assert 0 < limit <= 500
            done([])

    lasting = Requests(VERBS, Journal(), clock, lambda verb, data: None, lambda record: None, dict)

    def once(data: bytes) -> None:
        clock.advance_to(clock.now() + 7 * SECOND)
        lasting.take(("replay", "acknowledge", "snapshot", "other")[len(data) % 4], data, False)

    asked = [
        {"id": "r", "by": "eye", "first": 1, "last": 9},
        {"id": "a", "by": "eye", "sequence": 12, "note": "seen"},
        {"id": "s"},
    ]
    return Target([json.dumps(each).encode() for each in asked], once, lambda: lasting)


def floor_message() -> Target:
    """A message as a subscriber reads it: of a table, or one line that says why not."""

    def once(data: bytes) -> None:
        topic, _, payload = data.partition(b"\n")
        try:
            message = read_message("pitwatch/1", topic.decode("utf-8", "replace"), payload, False)
            if message.event is not None:
                assert message.event.kind
        except ValueError as error:
            in_one_line(error)

    event = (
        b'{"specversion":"1.0","id":"RL-07/b/1","source":"/toledo/RL-07","type":"pitwatch.round.v1",'
        b'"bootid":"b","sequence":1,"data":{"round":1}}'
    )
    return Target([b"pitwatch/1/toledo/RL-07/round\n" + event, b"pitwatch/1/a/b/status\n"], once, lambda: None)


def port_shape() -> Target:
    def once(data: bytes) -> None:
        assert isinstance(shape.looks_like(data), str)

    return Target([*slingshot_seeds(), *angel_eye_seeds(), *osdp_seeds(), *node_seeds()], once, lambda: None)


FEEDS: dict[str, Callable[[], Callable[[bytes], object]]] = {
    "line framer": lambda: line_framer.LineFramer().feed,
    "slingshot2": lambda: slingshot2.Framer().feed,
    "angel eye": lambda: angel_eye.Framer().feed,
    "osdp": lambda: osdp.Framer().feed,
    "node frames": lambda: node_link.Framer().feed,
    "rfc2217": lambda: rfc2217.Session(parse("rfc2217:box:2000?baud=9600")).feed,
}
"""What takes bytes first, each fresh."""

REPORT = b'{"event":"card_drawn","data":{"card":"TD","to":"player"}}\n{"event":"odd","data":{}}\n'

TARGETS: dict[str, Callable[[], Target]] = {
    "slingshot2": lambda: byte_device("wheel", "slingshot2", slingshot_seeds()),
    "angel-eye": lambda: byte_device("shoe", "angel_eye", angel_eye_seeds()),
    "card-line-shoe": lambda: byte_device("shoe", "card_lines", [card_lines.line("1H12"), b"AS\r\n"]),
    "card-positions": lambda: byte_device(
        "card_position", "card_lines", [b"1:AS\r\n", b"1-AS\r\n"], channels={"1": "seat-1", "2": "dealer"}
    ),
    "reporting-device": lambda: byte_device("shoe", "ndjson", [REPORT]),
    "osdp-reader": lambda: byte_device("key_reader", "osdp", osdp_seeds()),
    "osdp-panel": lambda: osdp_panel(b""),
    "osdp-secure-panel": lambda: osdp_panel(bytes(range(16))),
    "node-host": node_host,
    "node-frames": node_frames,
    "node-firmware": node_firmware,
    "rfc2217": serial_box,
    "typing-reader": typing_reader,
    "wiegand": wiegand_bits,
    "port-shape": port_shape,
    "wiegand-lines": lambda: line_device("key_reader", "wiegand"),
    "raw-wheel": lambda: line_device("wheel"),
    "dice": lambda: line_device("dice"),
    "shuffler": lambda: line_device("shuffler"),
    "discard-rack": lambda: line_device("discard_rack"),
    "peek": lambda: line_device("peek"),
    "panel": lambda: line_device("panel"),
    "seats": lambda: line_device("seats"),
    "progressive": lambda: line_device("progressive"),
    "enclosure": lambda: line_device("enclosure"),
    "configuration": table_file,
    "configuration-values": table_values,
    "floor-configuration": floor_file,
    "floor-values": floor_values,
    "rule-book": rule_book,
    "rule-book-values": rule_values,
    "capture": capture_file,
    "requests": requests,
    "floor-message": floor_message,
}
"""Name to what makes the target: each driver makes only those that it runs."""
