"""Wire format of a Cammegh Slingshot 2 roulette wheel, for a listener. MicroPython subset.

9600 8N1, ASCII lines. Every packet starts with `*`, except the winning number, which is two bare characters.
There is no checksum, so a line counts only if every field has its width and range. Facts: the vendor's integration
guide (V2.07) and a public recording of a wheel. Must not know what a state means for a game.
"""

from pitwatch.devices.protocols import mercury360
from pitwatch.devices.protocols.cammegh import (
    DIGITS,
    Foreign,
    PacketFramer,
    Result,
    Status,
    all_in,
    is_number_field,
    parse_status,
    result_line,
    status_line,
    win_field,
)

__all__ = ["Result", "Status", "result_line", "status_line", "win_field"]

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

DEALER_LOCK = 7  # a state of the Mercury 360 alone


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
    """The answer to another program's command: `*u OK` is command "u", text "OK"."""

    __slots__ = ("command", "text")

    def __init__(self, command: str, text: str):
        self.command = command
        self.text = text


TYPE_CHECKING = False
if TYPE_CHECKING:
    Message = Status | Result | Bonus | SelfTest | Reply | Foreign


def pocket(win: str) -> "str | None":
    """The pocket that a two-character number field names, "0".."36" or "00"; None if it names none."""
    if win == "00":
        return win
    if len(win) == 2 and (win[0] == " " or "1" <= win[0] <= "3") and "0" <= win[1] <= "9":
        number = win.strip()
        if int(number) <= 36:
            return number
    return None


def _strict(line: bytes) -> "Status | Bonus | Foreign | None":
    """A packet whose form can be checked to the last character, or None; Foreign if only a Mercury 360 sends it."""
    status = parse_status(line)
    if status is not None:
        zero_before = "01" <= status.win <= "09"
        return Foreign() if status.state == DEALER_LOCK or status.spin == 0 or zero_before else status
    if len(line) == 8 and line[:3] == b"*Y;" and line[4:5] == b";" and all_in(line[5:], DIGITS):
        number, value = line[3] - 48, int(line[5:])
        if 1 <= number <= 6 and (value <= 255 or value == 999):
            return Bonus(number, value)
    other = mercury360.strict(line)
    return None if other is None or isinstance(other, Foreign) else Foreign(isinstance(other, Status))


def _reply(line: bytes) -> "Reply | SelfTest | None":
    """`*`, one or two letters, a blank and printable text; or the letters alone."""
    if not all_in(line, bytes(range(32, 127))):
        return None
    command, _, text = str(line[1:], "ascii").partition(" ")
    if not (1 <= len(command) <= 2 and command.isalpha()) or command in ("X", "Y"):
        return None
    text = text.strip()
    if command == "F" and text and all_in(text.encode(), DIGITS):
        return SelfTest(int(text))
    return Reply(command, text)


class Framer(PacketFramer):
    """Status, Result, Bonus, SelfTest, Reply and Foreign objects out of bytes."""

    def __init__(self) -> None:
        super().__init__(300)  # a log page is 256 bytes and two hex digits

    def strict(self, line: bytes) -> "Status | Bonus | Foreign | None":
        return _strict(line)

    def bare(self, line: bytes) -> "Result | Foreign | None":
        if len(line) == 2 and line != b"  " and is_number_field(line):
            return Foreign() if b"01" <= line <= b"09" else Result(str(line, "ascii"))
        return None

    def loose(self, line: bytes) -> "Reply | SelfTest | Foreign | None":
        return Foreign() if mercury360.basic(line) is not None else _reply(line)


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    messages = [message for message in framer.feed(data) if isinstance(message, Status)]
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()
