"""What the lines of two makes of Cammegh wheel have in common: Slingshot 2 and Mercury 360. MicroPython subset.

9600 8N1, ASCII lines. Every packet starts with `*`, except the winning number, which stands alone. There is no
checksum, so a line counts only if every field has its width and range. Must not know what a field means for a game.
"""

from pitwatch.devices.protocols.line_framer import LineFramer

DIGITS = b"0123456789"
HEX = b"0123456789ABCDEF"
STATUS_LENGTH = 19

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Status:
    """`*X;state;spin;win;warn;speed;dir`: the wheel's levels at one moment.

    state 1..7; spin 0..999; win two characters as sent ("  " before the first result); warn a sum of bits; speed in
    tenths of a revolution a minute; direction of the rotor, 0 clockwise. track: what the wheel's ball sensors show, or
    None where the line does not say.
    """

    __slots__ = ("state", "spin", "win", "warn", "speed", "direction", "track")

    def __init__(self, state: int, spin: int, win: str, warn: int, speed: int, direction: int, track: "Any" = None):
        self.state = state
        self.spin = spin
        self.win = win
        self.warn = warn
        self.speed = speed
        self.direction = direction
        self.track = track


class Result:
    """The bare winning-number line: `win` is its two characters."""

    __slots__ = ("win",)

    def __init__(self, win: str):
        self.win = win


class Foreign:
    """A line that only the maker's other wheel sends. sure: no noise makes one of it."""

    __slots__ = ("sure",)

    def __init__(self, sure: bool = False):
        self.sure = sure


def all_in(text: bytes, alphabet: bytes) -> bool:
    return all(byte in alphabet for byte in text)


def is_number_field(text: bytes) -> bool:
    """Whether two characters are a number, blank or zero before a single digit, or two blanks."""
    return text == b"  " or (text[1] in DIGITS and (text[0] in b" " or text[0] in DIGITS))


def parse_status(line: bytes) -> "Status | None":
    """The status line, or None if a field has another width or range."""
    if len(line) != STATUS_LENGTH or line[:3] != b"*X;":
        return None
    if line[4:5] + line[8:9] + line[11:12] + line[13:14] + line[17:18] != b";;;;;":
        return None
    if not (49 <= line[3] <= 55 and 48 <= line[18] <= 49 and line[12] in HEX):
        return None
    if not (all_in(line[5:8] + line[14:17], DIGITS) and is_number_field(line[9:11])):
        return None
    win = str(line[9:11], "ascii")
    return Status(line[3] - 48, int(line[5:8]), win, int(line[12:13], 16), int(line[14:17]), line[18] - 48)


class PacketFramer:
    """Messages out of bytes that come in any split, damaged or run together.

    A line that holds several packets yields those that are whole and strictly well formed, so that a good packet after
    a cut one is kept. Every other byte is counted in `discarded`, those of a Foreign line too.
    """

    def __init__(self, cap: int) -> None:
        self._lines = LineFramer(cap)
        self._last_line = b""  # the same line is sent twice a second: parse it once
        self._last: Any = None

    def strict(self, line: bytes) -> "Any":
        """A packet whose form can be checked to the last character, or None."""
        raise NotImplementedError

    def bare(self, line: bytes) -> "Any":
        """What a line without a `*` says, or None."""
        raise NotImplementedError

    def loose(self, line: bytes) -> "Any":
        """What any other packet says that has a line of its own, or None."""
        raise NotImplementedError

    def feed(self, data: bytes) -> "list[Any]":
        """The messages that `data` completes, in order."""
        messages: list[Any] = []
        for line in self._lines.feed(data):
            if line != self._last_line:
                self._last_line, self._last = line, self.strict(line)
            if self._last is not None:
                self._add(self._last, line, messages)
            else:
                self._other(line, messages)
        return messages

    def _add(self, message: "Any", line: bytes, messages: "list[Any]") -> None:
        if message is None or isinstance(message, Foreign):
            self._lines.discarded += len(line)
        if message is not None:
            messages.append(message)

    def _other(self, line: bytes, messages: "list[Any]") -> None:
        start = line.find(b"*")
        if start < 0:
            self._add(self.bare(line), line, messages)
        elif start == 0 and line.find(b"*", 1) < 0:
            self._add(self.loose(line), line, messages)
        else:
            self._lines.discarded += start
            for packet in line[start + 1 :].split(b"*"):
                self._add(self.strict(b"*" + packet), b"*" + packet, messages)

    def interrupt(self) -> None:
        """The link was lost: what is half received must not be joined to what comes next."""
        self._lines.interrupt()

    def take_discarded(self) -> int:
        """Bytes thrown away since the last call."""
        return self._lines.take_discarded()


def win_field(pocket_name: "str | None") -> str:
    """The two-character number field of a pocket: " 5", "31", "00", or two blanks for None."""
    if pocket_name is None:
        return "  "
    return pocket_name if len(pocket_name) == 2 else " " + pocket_name


def status_line(state: int, spin: int, pocket_name: "str | None", warn: int, speed: int, direction: int) -> bytes:
    """The status line of a simulated wheel; units as in Status."""
    return f"*X;{state};{spin:03d};{win_field(pocket_name)};{warn:X};{speed:03d};{direction}\r\n".encode()


def result_line(pocket_name: str) -> bytes:
    """The bare winning-number line of a simulated wheel."""
    return (win_field(pocket_name) + "\r\n").encode()
