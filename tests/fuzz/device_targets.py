"""Devices and decoders, fed bytes, edges or strokes."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.devices import registry, vocabulary
from pitwatch.devices.base import Device
from pitwatch.devices.protocols import magstripe, shape, wiegand
from pitwatch.hal import hid_keys, modbus, rfc2217
from pitwatch.hal.address import parse
from tests.fuzz.seeds import angel_eye_seeds, mercury_seeds, node_seeds, osdp_seeds, slingshot_seeds, stripe_seeds
from tests.fuzz.target import MS, SECOND, Target, in_one_line, pieces


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


def stripe_screen() -> Target:
    """Nothing that passes the screen holds a payment card, or changes if it is screened again."""
    lasting = magstripe.Screen()

    def once(data: bytes) -> None:
        screen, cut = magstripe.Screen(), magstripe.Screen()
        out = screen.feed(data)
        assert b"".join(cut.feed(piece) for piece in pieces(data, 9)) == out
        for line in out.split(b"\n"):
            digits = bytes(byte for byte in line[:-1] if byte in b"0123456789").decode()
            assert len(digits) <= 19
            assert len(digits) < 13 or not magstripe.luhn(digits)
            assert magstripe.screened(line) == line
        lasting.feed(data)

    return Target(stripe_seeds(), once, lambda: lasting)


def modbus_answers() -> Target:
    """The first byte of an input is how many inputs were asked for."""

    def once(data: bytes) -> None:
        count, answer = (data[0] + 1, data[1:]) if data else (1, b"")
        try:
            whole = len(answer) >= modbus.HEADER and len(answer) == modbus.HEADER + modbus.length(answer)
            found = modbus.levels(1, 1, count, answer) if whole else None
        except (modbus.Refused, modbus.Garbled) as error:
            in_one_line(error)
            return
        assert found is None or (len(found) == count and set(found) <= {0, 1})

    seeds = ["07000100000004010201" + "05", "0700010000000301820" + "2", "0f00010000000501020255aa"]
    return Target([bytes.fromhex(seed) for seed in seeds], once, lambda: None)


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


def port_shape() -> Target:
    def once(data: bytes) -> None:
        assert isinstance(shape.looks_like(data), str)

    return Target(
        [*slingshot_seeds(), *mercury_seeds(), *angel_eye_seeds(), *osdp_seeds(), *node_seeds()], once, lambda: None
    )
