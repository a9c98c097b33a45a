"""What happens on a table's wires, one event at a time, and how to write it down as a capture.

Knows no device and no game. A line's level is logical (1 is active), whatever the wire does electrically.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple


class WireEvent(NamedTuple):
    """At `t_ns` (monotonic ns) the device sent the bytes `rx`, or its `line` went to `level`."""

    t_ns: int
    device: str
    rx: bytes | None
    line: str | None
    level: int


def capture_fields(event: WireEvent) -> dict[str, Any]:
    """An event as the object of one capture line: bytes as text where they are text, else in hexadecimal."""
    fields: dict[str, Any] = {"t": event.t_ns / 1_000_000_000, "device": event.device}
    if event.rx is None:
        fields["line"], fields["level"] = event.line, event.level
    elif all(32 <= byte < 127 or byte in b"\r\n\t" for byte in event.rx):
        fields["rx"] = event.rx.decode("ascii")
    else:
        fields["rx_hex"] = event.rx.hex()
    return fields


def write_capture(file: BinaryIO, events: Iterable[WireEvent], lines: Mapping[str, Iterable[str]]) -> int:
    """Write events as JSON Lines; returns how many. `lines`: device to its lines, all at rest at the start."""
    for device, names in lines.items():
        _write(file, {"t": 0, "device": device, "levels": dict.fromkeys(names, 0)})
    count = 0
    for event in events:
        _write(file, capture_fields(event))
        count += 1
    return count


def _write(file: BinaryIO, fields: dict[str, Any]) -> None:
    file.write(json.dumps(fields, separators=(",", ":")).encode() + b"\n")
