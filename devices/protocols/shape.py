"""Detects the protocol of a stream of bytes. MicroPython subset. Must not know any device or port.

Each protocol's own framer decides: a stream has a protocol's shape if the framer finds complete messages in it and
leaves few bytes over. Noise and a wrong speed have no shape.
"""

import json

from pitwatch.devices.protocols import angel_eye, card_lines, em4100, mercury360, node_link, osdp, slingshot2
from pitwatch.devices.protocols.cammegh import Status
from pitwatch.devices.protocols.line_framer import LineFramer

MESSAGES = 3  # whole ones, before a stream is believed to be anything
SHARE = 0.7  # of the bytes that must belong to messages


def looks_like(data: bytes, expected: str = "") -> str:
    """The protocol whose shape `data` has, or "" for none: "slingshot2", "mercury360", "angel_eye", "card_lines",
    "ndjson", "osdp", "em4100", or "node" for a sensor node's wire. Of two that it fits alike it is the expected one."""
    best, name = SHARE * len(data), ""
    for protocol in sorted(_FITS):
        messages, fitting = _FITS[protocol](data)
        if messages >= MESSAGES and (fitting > best or (fitting == best and name != expected)):
            best, name = fitting, protocol
    return name


def _slingshot2(data: bytes) -> "tuple[int, int]":
    framer = slingshot2.Framer()
    messages = [message for message in framer.feed(data) if isinstance(message, Status)]
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()


def _mercury360(data: bytes) -> "tuple[int, int]":
    framer = mercury360.Framer()
    messages = [message for message in framer.feed(data) if isinstance(message, (Status, mercury360.Basic))]
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()


def _angel_eye(data: bytes) -> "tuple[int, int]":
    framer = angel_eye.Framer()
    frames = [frame for frame in framer.feed(data) if angel_eye.well_formed(frame)]
    framer.interrupt()
    return len(frames), len(data) - framer.take_discarded()


def _em4100(data: bytes) -> "tuple[int, int]":
    framer = em4100.Framer()
    tags = framer.feed(data)
    framer.interrupt()
    return len(tags), len(data) - framer.take_discarded()


def _osdp(data: bytes) -> "tuple[int, int]":
    framer = osdp.Framer()
    packets = framer.feed(data)
    framer.interrupt()
    return len(packets), len(data) - framer.take_discarded()


def _node(data: bytes) -> "tuple[int, int]":
    framer = node_link.Framer()
    frames = framer.feed(data)
    return len(frames), len(data) - framer.discarded if frames else 0


def _card_lines(data: bytes) -> "tuple[int, int]":
    codes = card_lines.plain()
    codes.update(card_lines.barcode4())
    return _lines(data, lambda text: len(text) <= 16 and text.strip().split(" ")[-1] in codes)


def _ndjson(data: bytes) -> "tuple[int, int]":
    return _lines(data, _is_report)


def _is_report(text: str) -> bool:
    try:
        report = json.loads(text) if text[0] == "{" else None
    except (ValueError, RuntimeError):  # RuntimeError: nested deeper than the interpreter goes
        return False
    return isinstance(report, dict) and isinstance(report.get("event"), str)


def _lines(data: bytes, fits: "Callable[[str], bool]") -> "tuple[int, int]":
    messages = fitting = 0
    for line in LineFramer(len(data)).feed(data):
        if all([32 <= byte < 127 for byte in line]) and fits(str(line, "ascii")):
            messages += 1
            fitting += len(line) + 2
    return messages, fitting


_FITS = {
    "angel_eye": _angel_eye,
    "card_lines": _card_lines,
    "em4100": _em4100,
    "mercury360": _mercury360,
    "ndjson": _ndjson,
    "node": _node,
    "osdp": _osdp,
    "slingshot2": _slingshot2,
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
