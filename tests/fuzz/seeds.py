"""Inputs as they should be: what devices send on their wires."""

from __future__ import annotations

from pitwatch.devices.protocols import (
    angel_eye,
    em4100,
    ibutton,
    magstripe,
    mercury360,
    node_bodies,
    node_link,
    osdp,
    slingshot2,
    wiegand,
)
from pitwatch.hal.line import LineSpec


def slingshot_seeds() -> list[bytes]:
    status = [slingshot2.status_line(state, 7, "17", warn, 150, 1) for state in range(1, 7) for warn in (0, 1, 4)]
    return [*status, slingshot2.result_line("00"), b"*X;3;007; 9;0;150;1\r\n", b"*U 01\r\n", b"".join(status)]


def mercury_seeds() -> list[bytes]:
    plain = [mercury360.advanced_line(state, 7, "17", warn, 150, 1) for state in range(1, 8) for warn in (0, 4, 8)]
    tracks = [
        mercury360.Track(0x12, 3, 1, 0x8000, None),
        mercury360.Track(0x92, 3, None, None, None),
        mercury360.Track(0x112, 4, None, None, "17"),
    ]
    game = [mercury360.extended_line(line, track) for line in plain[6:15] for track in tracks]
    return [*plain, b"*S\r\n*N\r\n*W 17\r\n", b"05\r\n*Y:P:3\r\n", b"".join(game), *game[:3]]


def angel_eye_seeds() -> list[bytes]:
    data = [
        angel_eye.card_data(1, 1, "TD"),
        angel_eye.result_data("banker", ("player",)),
        *(angel_eye.error_data(kind) for kind in angel_eye.ERRORS.values()),
    ]
    return [angel_eye.frame(str(number), body) for number, body in enumerate(data, 1)]


def badge_seeds() -> list[bytes]:
    frames = [em4100.frame(tag, crlf) for tag in ("0F0184F07A", "62E3086CED") for crlf in (False, True)]
    return [*frames, b"".join(frames * 2)]


def button_seeds() -> list[bytes]:
    lines = [ibutton.line(sign, name) for sign in "+-=" for name in ("01-000015d4c2f3", "28-0316a2795bff")]
    return [*lines, ibutton.line("+", "01-000015d4c2f3", with_number=False), b"".join(lines)]


def stripe_seeds() -> list[bytes]:
    numbers = ("0001234567", "4111111111111111", "1234567890123456", "378282246310005")
    lines = [
        magstripe.line(each, check=check, names=names)
        for each in numbers
        for check, names in ((True, ""), (False, "BA/B"))
    ]
    return [*lines, b"".join(lines)]


def osdp_seeds() -> list[bytes]:
    replies = [(0x40, b""), (0x45, bytes(12)), (0x50, osdp.raw_data(wiegand.bits(12, 34567, 26))), (0x41, b"\x03")]
    packets = [osdp.encode(0x80, number % 4, code, body) for number, (code, body) in enumerate(replies)]
    return [*packets, b"".join(packets)]


def node_seeds() -> list[bytes]:
    hello = node_bodies.hello_body(7, 1, "power", ["e660", "1.0", "1.28", "Pico"])
    batch = node_bodies.Batch()
    batch.edge(0, 1, 5_000)
    batch.edge(1, 0, 6_000)
    bodies = [
        (node_link.HELLO, hello),
        (node_link.OPENED, node_bodies.opened_body(1, 7, 5, 3, "")),
        (node_link.PONG, node_bodies.pong_body(1, 7, 100, 200)),
    ]
    frames = [node_link.frame(kind, body) for kind, body in bodies]
    frames.append(node_link.Sender().push(1, batch.take(9), 0))
    frames.append(node_link.frame(node_link.OPEN, node_bodies.open_body(1, [LineSpec("a", "c", 1)])))
    return [*frames, b"".join(frames)]
