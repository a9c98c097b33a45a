"""What the frames between a sensor node and the board contain: each body written and read.

MicroPython subset; both ends use it. Knows bytes, no delivery, no clock, no pins, no port. Integers are little-endian,
times are microseconds since the node started. Docs: docs/hardware.md, "Sensor node".
"""

import struct

from pitwatch.devices.protocols.node_link import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.hal.line import LineSpec

VERSION = 1
"""Of this wire. Both ends must speak the same."""
LINES = 30
"""Most lines of one node: a Pico has 30 GPIOs."""

BIASES = ("as-is", "pull-up", "pull-down", "disabled")
_LINE = "<BBI"
_HELLO = "<BIHB"
_OPENED = "<HIQI"
_PONG = "<HIQQ"
_DATA = "<QI"
CAUSES = ("unknown", "power", "watchdog", "reset", "sleep")
"""Why a node started. "power" is power-on or brown-out: a Pico and an ESP32 under MicroPython do not distinguish
them."""


def open_body(session: int, lines: "list[LineSpec]") -> bytes:
    """Raises ValueError if the lines are too many."""
    if len(lines) > LINES:
        raise ValueError("%d lines on one node; %d are possible" % (len(lines), LINES))
    body = struct.pack("<HB", session, len(lines))
    for spec in lines:
        flags = int(spec.active_low) | BIASES.index(spec.bias) << 1
        body += struct.pack(_LINE, spec.line, flags, spec.debounce_us)
    return body


def read_open(body: bytes) -> "tuple[int, list[tuple[int, bool, str, int]]] | None":
    """(session, [(pin, active low, bias, debounce in microseconds)]) of 1 to LINES lines, or None if it is none."""
    if len(body) < 3 or not 1 <= body[2] <= LINES or len(body) != 3 + body[2] * 6:
        return None
    lines = []
    for at in range(3, len(body), 6):
        pin, flags, debounce = struct.unpack_from(_LINE, body, at)
        lines.append((pin, bool(flags & 1), BIASES[flags >> 1 & 3], debounce))
    return struct.unpack_from("<H", body)[0], lines


def hello_body(boot: int, session: int, cause: str, texts: "list[str]") -> bytes:
    """texts: firmware version, MicroPython version, kind of board, unique id."""
    return struct.pack(_HELLO, VERSION, boot, session, CAUSES.index(cause)) + "\n".join(texts).encode()[:160]


class Hello:
    """Who a node is: version of the wire, boot (a number drawn when it started), session open there (0: none), cause
    of its start, firmware and MicroPython version, board, unique id."""

    def __init__(self, body: bytes) -> None:
        """Raises ValueError if it is no such body."""
        if len(body) < 8:
            raise ValueError("too short")
        self.version, self.boot, self.session, cause = struct.unpack_from(_HELLO, body)
        self.cause = CAUSES[cause] if cause < len(CAUSES) else CAUSES[0]
        try:
            str(body[8:], "utf-8")
        except UnicodeError:
            raise ValueError("no text") from None
        texts = [text(each) for each in body[8:].split(b"\n")] + ["", "", "", ""]
        self.firmware, self.micropython, self.board, self.unique_id = texts[:4]


def opened_body(session: int, boot: int, t: int, levels: int, refusal: str) -> bytes:
    """levels: bit n is line n of the OPEN; refusal: why it cannot be, or ""."""
    return struct.pack(_OPENED, session, boot, t, levels) + refusal.encode()[:160]


def read_opened(body: bytes) -> "tuple[int, int, int, int, str] | None":
    """(session, boot, time, levels, refusal), or None if it is no such body."""
    if len(body) < 18:
        return None
    session, boot, t, levels = struct.unpack_from(_OPENED, body)
    return session, boot, t, levels, text(body[18:])


def ping_body(number: int) -> bytes:
    """As long as its answer, so that both take the same time on a slow line."""
    return struct.pack(_PONG, number, 0, 0, 0)


def pong_body(number: int, boot: int, came: int, sent: int) -> bytes:
    return struct.pack(_PONG, number, boot, came, sent)


def read_pong(body: bytes) -> "tuple[int, int, int, int] | None":
    """(number, boot, when the ping came, when the answer was sent), or None if it is no such body."""
    return struct.unpack(_PONG, body) if len(body) == 22 else None


def read_numbers(body: bytes, count: int) -> "tuple[int, ...] | None":
    """So many 16-bit numbers that make up the whole body, or None."""
    return struct.unpack("<" + "H" * count, body) if len(body) == 2 * count else None


def begin_body(size: int, digest: bytes, older: bool) -> bytes:
    """`digest`: SHA-256 of the image."""
    return struct.pack("<IB", size, int(older)) + digest


def read_begin(body: bytes) -> "tuple[int, bytes, bool] | None":
    """(size, SHA-256, whether it may be older), or None if it is no such body."""
    return (struct.unpack_from("<I", body)[0], body[5:], bool(body[4])) if len(body) == 37 else None


def piece_body(offset: int, data: bytes) -> bytes:
    return struct.pack("<I", offset) + data


def read_piece(body: bytes) -> "tuple[int, bytes] | None":
    """(offset, bytes), or None if it is no such body."""
    return (struct.unpack_from("<I", body)[0], body[4:]) if len(body) > 4 else None


TAKING, TAKEN, REFUSED, NOT_BEGUN = 0, 1, 2, 3


def got_body(offset: int, state: int, reason: str) -> bytes:
    """`state`: TAKING, TAKEN (the node starts with it now), REFUSED for `reason`, NOT_BEGUN: it waits for BEGIN."""
    return struct.pack("<IB", offset, state) + reason.encode()[:160]


def read_got(body: bytes) -> "tuple[int, int, str] | None":
    """(offset, state, reason), or None if it is no such body."""
    if len(body) < 5:
        return None
    offset, state = struct.unpack_from("<IB", body)
    return offset, state, text(body[5:])


class Batch:
    """Gathers edges and losses for one DATA body. Edges come in order of their times, in microseconds."""

    FULL = LONGEST - 40  # bytes after which no more should be added

    def __init__(self) -> None:
        self.size = 0
        self._records = bytearray()
        self._start = 0
        self._last = 0

    def edge(self, line: int, level: int, t: int) -> None:
        if not self.size:
            self._start = self._last = t
        self._records.append(line | level << 5)
        self._number(max(0, t - self._last))
        self._last = max(t, self._last)

    def lost(self, count: int, t: int) -> None:
        if not self.size:
            self._start = self._last = t
        self._records.append(0x40)
        self._number(count)

    def oldest(self) -> int:
        """Time of the first record."""
        return self._start

    def take(self, complete: int) -> bytes:
        """The body; everything up to the time `complete` is in it or in an earlier one. Begins a new batch."""
        start = self._start if self.size else complete
        body = struct.pack(_DATA, start, max(0, complete - start)) + bytes(self._records)
        self._records = bytearray()
        self.size = 0
        return body

    def _number(self, value: int) -> None:
        while value > 0x7F:
            self._records.append(value & 0x7F | 0x80)
            value >>= 7
        self._records.append(value)
        self.size = len(self._records)


def read_batch(body: bytes) -> "tuple[int, list[tuple[int, int, int]]]":
    """(complete up to, [(line, level, time) or (-1, edges lost, time)]). Raises ValueError if it is no such body."""
    if len(body) < 12:
        raise ValueError("too short")
    t, ahead = struct.unpack_from(_DATA, body)
    complete = t + ahead
    records = []
    at, end = 12, len(body)
    while at < end:
        head = body[at]
        value = shift = 0
        while True:
            at += 1
            if at >= end or shift > 35:
                raise ValueError("a record is cut off")
            value |= (body[at] & 0x7F) << shift
            shift += 7
            if body[at] < 0x80:
                break
        at += 1
        if head & 0x40:
            records.append((-1, value, t))
        else:
            t += value
            records.append((head & 0x1F, head >> 5 & 1, t))
    return complete, records


def text(data: bytes) -> str:
    """What a node says in words, in one line; what ends a line or moves a terminal's cursor becomes a blank."""
    try:
        return "".join([char if _shows(char) else " " for char in str(data, "utf-8")])
    except UnicodeError:
        return "no readable text"


def _shows(char: str) -> bool:
    return " " <= char < "\x7f" or "\xa0" <= char < "\u2028" or char > "\u202e"
