"""What is fuzzed, and what must hold whatever comes: one list, for the guided fuzzer and for the suite alike.

A target is called with bytes. It raises (AssertionError or whatever the code under it raised) if something is wrong.
Besides a fresh object for each input, each target has a lasting one that hears every input: it may not grow.
"""

from __future__ import annotations

import contextlib
import gc
import json
import sys
import tempfile
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
from devices.osdp_panel import Heard as ReaderHeard
from devices.osdp_panel import Panel
from devices.protocols import angel_eye, card_lines, cobs, node_link, osdp, shape, slingshot2, wiegand
from floor import config as floor_config
from floor.message import read_message
from hal import hid_keys, rfc2217
from hal.address import parse
from hal.line import LineSpec
from hal.sim import SimClock
from rules.bookcheck import check_path

MS = 1_000_000
SECOND = 1_000_000_000
MOST_STATE = 256 * 1024
"""Bytes that a lasting object and all it refers to may take, whatever it has heard."""

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


def checked(device: Device, seen: list[Any], since: int, until: int) -> None:
    """Every observation is one that the device may make, in order of time, and can be journalled."""
    for observation in seen:
        what = f"{observation!r} at {since} to {until}"
        assert vocabulary.known(device.TYPE, observation.event), what
        assert not vocabulary.problem(device.TYPE, observation.event, observation.data), what
        assert observation.device == device.id, what
        assert 0 <= observation.t <= until, what
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


class _Ears(NodeHeard, ReaderHeard):
    def node_up(self, levels: list[int], t: int) -> None: ...
    def node_edge(self, line: int, level: int, t: int) -> None: ...
    def node_lost(self, count: int, t: int) -> None: ...
    def node_passed(self, t: int) -> None: ...
    def node_down(self, reason: str, mend: str, t: int) -> None: ...
    def reader_up(self, address: int, t: int) -> None: ...
    def reader_said(self, address: int, packet: bytes, t: int) -> None: ...
    def reader_down(self, address: int, reason: str, mend: str, t: int) -> None: ...


def node_host() -> Target:
    """The board's end of a sensor node's wire."""

    def host() -> NodeHost:
        made = NodeHost([LineSpec("a", "c", 1), LineSpec("b", "c", 2)], _Ears(), "", 1)
        made.connected(SECOND)
        return made

    lasting, now = host(), [SECOND]

    def once(data: bytes) -> None:
        fresh = host()
        fresh.feed(data, 2 * SECOND)
        fresh.tick(3 * SECOND)
        for piece in pieces(data, len(data) & 0xFF):
            now[0] += 40 * MS
            lasting.feed(piece, now[0])
            lasting.tick(now[0])
            lasting.take_output()
        json.dumps(lasting.identity)

    return Target(node_seeds(), once, lambda: lasting)


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


def osdp_panel(key: bytes) -> Target:
    """The panel of a bus of key-card readers, with and without a secure channel."""

    def panel() -> Panel:
        made = Panel({0: key, 1: b""}, _Ears(), _Aes, bytes, 9600)
        made.connected(SECOND)
        return made

    lasting, now = panel(), [SECOND]

    def once(data: bytes) -> None:
        fresh = panel()
        fresh.take_output()
        fresh.feed(data, SECOND + MS)
        fresh.tick(2 * SECOND)
        for piece in pieces(data, 3):
            now[0] += 20 * MS
            lasting.tick(now[0])
            lasting.take_output()
            lasting.feed(piece, now[0])
        json.dumps(lasting.identity(0))

    return Target(osdp_seeds(), once, lambda: lasting)


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
    return Path(tempfile.mkdtemp(prefix="pitwatch-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))


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


def capture_file() -> Target:
    """A capture: lines, or one line that says which is wrong."""

    def once(data: bytes) -> None:
        last = -(10.0**300)
        try:
            for number, line in capture._lines("capture.jsonl", BytesIO(data)):
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
    "floor-configuration": floor_file,
    "rule-book": rule_book,
    "capture": capture_file,
    "requests": requests,
    "floor-message": floor_message,
}
"""Name to what makes the target: each driver makes only those that it runs."""
