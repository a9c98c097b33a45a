"""Wire format of a Cammegh Slingshot 2 roulette wheel, for a listener. MicroPython subset.

9600 8N1, ASCII lines. Every packet starts with `*`, except the winning number, which is two bare characters.
There is no checksum, so a line counts only if every field has its width and range. Facts: the vendor's integration
guide (V2.07) and a public recording of a wheel. Must not know what a state means for a game.
"""

from pitwatch.devices.protocols.line_framer import LineFramer

SHAPE = {"slingshot2": "fits"}

STATES = {
    1: "before_game",
    2: "place_bets",
    3: "ball_in_rim",
    4: "no_more_bets",
    5: "result",
    6: "closed",
}
BALL_MISSING = 1
SAME_DIRECTION = 2
COMPONENT_FAULT = 4
LAUNCH_FAILED = 8

AUTO_STATUS = 128  # bit of the operating mode (`*o n`): a status line every 500 ms without being asked

SELF_TEST = {
    0: "passed", 1: "hardware", 2: "no ball", 3: "no ball position", 4: "ball direction", 5: "motor",
    6: "encoder or not calibrated", 7: "cannot play clockwise", 8: "cannot play counter-clockwise",
    11: "sensor 0 stuck on", 12: "sensor 1 stuck on", 13: "sensor 2 stuck on",
    21: "sensor 0 stuck off", 22: "sensor 1 stuck off", 23: "sensor 2 stuck off", 100: "timed out",
}  # fmt: skip

CLOCKWISE, COUNTER_CLOCKWISE = 0, 1

_STATUS_LENGTH = 19
_DIGITS = b"0123456789"
_HEX = b"0123456789ABCDEF"


class Status:
    """`*X;state;spin;win;warn;speed;dir`: the wheel's levels at one moment.

    state 1..6; spin 0..999, counted since power-on; win two characters as sent ("  " before the first result);
    warn a sum of bits; speed in tenths of a revolution a minute; direction of the rotor, 0 clockwise.
    """

    __slots__ = ("state", "spin", "win", "warn", "speed", "direction")

    def __init__(self, state: int, spin: int, win: str, warn: int, speed: int, direction: int):
        self.state = state
        self.spin = spin
        self.win = win
        self.warn = warn
        self.speed = speed
        self.direction = direction


class Result:
    """The bare winning-number line: `win` is its two characters."""

    __slots__ = ("win",)

    def __init__(self, win: str):
        self.win = win


class Bonus:
    """`*Y;n;nnn`: bonus number n 1..6, value 0..255, or 999 for an expired licence."""

    __slots__ = ("number", "value")

    def __init__(self, number: int, value: int):
        self.number = number
        self.value = value


class SelfTest:
    """`*F code`: a self-test verdict, or a component error during play."""

    __slots__ = ("code",)

    def __init__(self, code: int):
        self.code = code


class Reply:
    """The answer to a command somebody else gave: `*u OK` is command "u", text "OK"."""

    __slots__ = ("command", "text")

    def __init__(self, command: str, text: str):
        self.command = command
        self.text = text


TYPE_CHECKING = False
if TYPE_CHECKING:
    Message = Status | Result | Bonus | SelfTest | Reply


def pocket(win: str) -> "str | None":
    """The pocket that a two-character number field names, "0".."36" or "00"; None if it names none."""
    if win == "00":
        return win
    if len(win) == 2 and (win[0] == " " or "1" <= win[0] <= "3") and "0" <= win[1] <= "9":
        number = win.strip()
        if int(number) <= 36:
            return number
    return None


def _all_in(text: bytes, alphabet: bytes) -> bool:
    return all(byte in alphabet for byte in text)


def _number_field(text: bytes) -> bool:
    return text == b"  " or (text[1] in _DIGITS and (text[0] in b" " or text[0] in _DIGITS))


def _strict(line: bytes) -> "Status | Bonus | None":
    """A packet whose form can be checked to the last character, or None."""
    if len(line) == _STATUS_LENGTH and line[:3] == b"*X;":
        if line[4:5] + line[8:9] + line[11:12] + line[13:14] + line[17:18] != b";;;;;":
            return None
        if not (49 <= line[3] <= 54 and 48 <= line[18] <= 49 and line[12] in _HEX):
            return None
        if not (_all_in(line[5:8] + line[14:17], _DIGITS) and _number_field(line[9:11])):
            return None
        win = str(line[9:11], "ascii")
        return Status(line[3] - 48, int(line[5:8]), win, int(line[12:13], 16), int(line[14:17]), line[18] - 48)
    if len(line) == 8 and line[:3] == b"*Y;" and line[4:5] == b";" and _all_in(line[5:], _DIGITS):
        number, value = line[3] - 48, int(line[5:])
        if 1 <= number <= 6 and (value <= 255 or value == 999):
            return Bonus(number, value)
    return None


def _reply(line: bytes) -> "Reply | SelfTest | None":
    """`*`, one or two letters, a blank and printable text; or the letters alone."""
    if not _all_in(line, bytes(range(32, 127))):
        return None
    command, _, text = str(line[1:], "ascii").partition(" ")
    if not (1 <= len(command) <= 2 and command.isalpha()) or command in ("X", "Y"):
        return None
    text = text.strip()
    if command == "F" and text and _all_in(text.encode(), _DIGITS):
        return SelfTest(int(text))
    return Reply(command, text)


class Framer:
    """Messages out of bytes that come in any split, damaged or run together.

    A line that holds several packets yields those that are whole and strictly well formed, so that a good packet after
    a cut one is kept. Every other byte is counted in `discarded`.
    """

    def __init__(self) -> None:
        self._lines = LineFramer(300)  # a log page is 256 bytes and two hex digits
        self._last_line = b""  # the same line is sent twice a second: parse it once
        self._last: Status | Bonus | None = None

    def feed(self, data: bytes) -> "list[Message]":
        """The messages that `data` completes: Status, Result, Bonus, SelfTest and Reply objects, in order."""
        messages: list[Message] = []
        for line in self._lines.feed(data):
            if line != self._last_line:
                self._last_line, self._last = line, _strict(line)
            if self._last is not None:
                messages.append(self._last)
            else:
                self._other(line, messages)
        return messages

    def _other(self, line: bytes, messages: "list[Message]") -> None:
        if len(line) == 2 and line != b"  " and _number_field(line):
            messages.append(Result(str(line, "ascii")))
            return
        start = line.find(b"*")
        if start == 0 and line.find(b"*", 1) < 0:
            reply = _reply(line)
            if reply is None:
                self._lines.discarded += len(line)
            else:
                messages.append(reply)
            return
        if start < 0:
            self._lines.discarded += len(line)
            return
        self._lines.discarded += start
        for packet in line[start + 1 :].split(b"*"):
            message = _strict(b"*" + packet)
            if message is None:
                self._lines.discarded += len(packet) + 1
            else:
                messages.append(message)

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


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    messages = [message for message in framer.feed(data) if isinstance(message, Status)]
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()
