"""Captures: JSON Lines of observations and wire data, read and written line by line.

One file may contain both. Defines the format only: the devices decode wire lines.

    {"t": 1.25, "device": "wheel", "event": "ball_settled", "data": {"pocket": "17"}}
    {"t": 1.25, "device": "wheel", "rx": "*X;3;007; 9;0;150;1\r\n"}        bytes as characters U+0000 to U+00FF
    {"t": 1.25, "device": "shoe", "rx_hex": "0531..."}
    {"t": 1.25, "device": "dice", "line": "rail-left", "level": 1}
    {"t": 1.25, "device": "dice", "levels": {"rail-left": 0}}                the levels as the lines were opened
"""

from __future__ import annotations

import contextlib
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.streams import OUTPUT
from pitwatch.daemon.config.sections import shown

STANDARD_INPUT = "-"

MOST_T = 9_000_000_000.0
"""Seconds, either way: what nanoseconds in 64 bits hold."""

BACKWARDS = 1.0
"""Seconds a line may lie before the one above it: edges carry the kernel's stamps and may be read late."""


class CaptureError(UsageError):
    """A line that cannot be read; one line with file and line number."""

    def __init__(self, path: str, number: int, what: str):
        super().__init__(f"{path}:{number}: {what}")


class Line(msgspec.Struct, gc=False):
    """One line; exactly one of `event`, `rx`, `rx_hex`, `line` (with `level`), `levels` is given. `t` in seconds."""

    t: float
    device: str
    event: str | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET
    rx: str | UnsetType = UNSET
    rx_hex: str | UnsetType = UNSET
    line: str | UnsetType = UNSET
    level: int | UnsetType = UNSET
    levels: dict[str, int] | UnsetType = UNSET

    @property
    def t_ns(self) -> int:
        whole = int(self.t)  # apart, for a time since 1970 times a thousand million is more than a float holds
        return whole * 1_000_000_000 + round((self.t - whole) * 1_000_000_000)

    def received(self) -> bytes:
        """The bytes of `rx` or `rx_hex`. Raises ValueError."""
        if self.rx is not UNSET:
            return self.rx.encode("latin-1")
        assert self.rx_hex is not UNSET
        return bytes.fromhex(self.rx_hex)


RIGHT = 'a line is {"t": seconds, "device": id} with "event" and "data", or "rx", "rx_hex", "line" and "level"'


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file at `path` ("-": standard input), which need not be one that can be read twice. Raises UsageError, of
    what goes wrong while it is read too."""
    try:
        if path == STANDARD_INPUT:
            yield sys.stdin.buffer
            return
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        if error.filename == OUTPUT:  # met by who printed what was read
            raise
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def lines(path: str, raws: Iterable[bytes]) -> Iterator[tuple[int, Line]]:
    """(line number, line) of the raw lines of the capture at `path`, blank ones skipped. Raises CaptureError."""
    decode = msgspec.json.Decoder(Line).decode
    last = float("-inf")
    for number, raw in enumerate(raws, 1):
        if number == 1:
            raw = raw.removeprefix(BOM_UTF8)
        try:
            line = decode(raw)
        except msgspec.DecodeError as error:
            if not raw.strip():
                continue
            raise CaptureError(path, number, f"{_plain(error)}; {RIGHT}") from None
        except UnicodeDecodeError:
            raise CaptureError(path, number, f"not UTF-8; {RIGHT}") from None
        if line.event is UNSET or line.data is UNSET:
            fault = _fault(line)
            if fault:
                raise CaptureError(path, number, fault)
        if not -MOST_T <= line.t <= MOST_T:
            raise CaptureError(path, number, f"t {line.t} is no time; seconds are right, such as 1.25")
        if line.t < last:
            if line.t < last - BACKWARDS:
                raise CaptureError(
                    path, number, f"t goes back from {last} to {line.t}; the lines of one capture are in order of time"
                )
            line.t = last
        last = line.t
        yield number, line


def _fault(line: Line) -> str | None:
    """What is wrong with a line that is not a complete observation."""
    given = [key for key in ("event", "rx", "rx_hex", "line", "levels") if getattr(line, key) is not UNSET]
    if len(given) != 1:
        return f"{' and '.join(given) or 'nothing'} is given; {RIGHT}"
    if line.event is not UNSET:
        line.data = {}
    if line.line is not UNSET and line.level not in (0, 1):
        told = "no level" if line.level is UNSET else f"level {line.level}"
        return f"line {shown(line.line)} has {told}; 0 or 1 is right"
    if line.levels is not UNSET and not set(line.levels.values()) <= {0, 1}:
        return "levels are 0 or 1"
    try:
        if line.rx is not UNSET or line.rx_hex is not UNSET:
            line.received()
    except UnicodeEncodeError:
        return "rx holds a character beyond U+00FF, which is no byte; write such bytes as rx_hex"
    except ValueError:
        return f"rx_hex {shown(line.rx_hex)} is not hexadecimal; two digits a byte are right"
    return None


def _plain(error: Exception) -> str:
    text = str(error)
    return f"not readable: {text[0].lower() if text[1:2].islower() else text[0]}{text[1:]}"


class Writer:
    """Writes the lines of a capture to an open binary file."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._encode = msgspec.json.Encoder().encode
        self.lines = 0

    def _write(self, t_ns: int, device: str, fields: dict[str, Any]) -> None:
        self._file.write(self._encode({"t": t_ns / 1_000_000_000, "device": device, **fields}) + b"\n")
        self.lines += 1

    def received(self, device: str, data: bytes, t_ns: int) -> None:
        """Bytes as they came: as text if they are, else in hexadecimal."""
        if all(32 <= byte < 127 or byte in b"\r\n\t" for byte in data):
            self._write(t_ns, device, {"rx": data.decode("ascii")})
        else:
            self._write(t_ns, device, {"rx_hex": data.hex()})

    def edge(self, device: str, line: str, level: int, t_ns: int) -> None:
        self._write(t_ns, device, {"line": line, "level": level})

    def levels(self, device: str, levels: dict[str, int], t_ns: int) -> None:
        self._write(t_ns, device, {"levels": levels})

    def observation(self, device: str, event: str, data: dict[str, Any], t_ns: int) -> None:
        self._write(t_ns, device, {"event": event, "data": data})
