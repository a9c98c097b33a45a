"""Wire format of a Cammegh Mercury 360 or Mercury II reader in the rim of a wheel, for a listener. MicroPython subset.

9600 8N1. Its break-out box has three ports, each in a mode of its own: basic (`*S`, `*N`, `*W nn`), advanced (a status
line each 500 ms, with the fields of a Slingshot 2) and extended (the same with five fields more). Facts: the maker's
integration guide (1051-INT-02-L). Must not know what a state means for a game.
"""

from pitwatch.devices.protocols.cammegh import (
    DIGITS,
    HEX,
    STATUS_LENGTH,
    Foreign,
    PacketFramer,
    Result,
    Status,
    all_in,
    is_number_field,
    parse_status,
    status_line,
)

SHAPE = {"mercury360": "fits"}

STATES = {
    1: "before_game",
    2: "place_bets",
    3: "ball_in_rim",
    4: "no_more_bets",
    5: "result",
    6: "closed",
    7: "dealer_lock",
}
ROTOR_LIMITS = 1
SAME_DIRECTION = 2
OBJECT_OR_SENSOR = 4
VOID = 8

ROTOR_STOPPED = 0x001
DIRECTION_UNKNOWN = 0x040
NO_BALL = 0x080
BALL_IN_POCKET = 0x100

FASTEST = 600  # tenths of an rpm: a faster rotor is sent as 000, and so is one below SLOWEST
SLOWEST = 20
HIGHEST_COUNT = 255
LAP = 32768  # units of a second in which a revolution of the ball is timed

_EXTENDED_LENGTH = 38


class Track:
    """The extended part of a status line: what the sensors in the rim show.

    flags a sum of bits; spins the ball's revolutions in this game, 0..255; direction of the ball, 0 clockwise, None
    while none runs in the track; lap the time of its last revolution, in 1/32768 s, or None; pocket of the ball, two
    characters as sent, or None.
    """

    __slots__ = ("flags", "spins", "direction", "lap", "pocket")

    def __init__(self, flags: int, spins: int, direction: "int | None", lap: "int | None", pocket: "str | None"):
        self.flags = flags
        self.spins = spins
        self.direction = direction
        self.lap = lap
        self.pocket = pocket


class Basic:
    """`*S` (game started), `*N` (no more bets) or `*W nn` (the winning number): kind "S", "N" or "W", and `win`."""

    __slots__ = ("kind", "win")

    def __init__(self, kind: str, win: str = ""):
        self.kind = kind
        self.win = win


class Bonus:
    """`*Y:P:n`, `*Y:A:nn` or `*Y:k:nnn`: a bonus game's kind and value."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: int):
        self.kind = kind
        self.value = value


def pocket(win: str) -> "str | None":
    """The pocket that a number names, "0".."36" or "00"; None if it names none. Single digits may be padded with a
    blank or a zero, or not at all: the guide shows none."""
    if win == "00":
        return win
    number = win.strip(" ")
    if number and len(win) <= 2 and all_in(number.encode(), DIGITS) and int(number) <= 36:
        return str(int(number))
    return None


def rpm(lap: int) -> float:
    """Revolutions a minute of a ball with this time of a revolution."""
    return 60 * LAP / lap


def strict(line: bytes) -> "Status | Bonus | Foreign | None":
    """A packet whose form can be checked to the last character, or None; Foreign if only a Slingshot 2 sends it."""
    status = parse_status(line[:STATUS_LENGTH])
    if status is not None:
        if len(line) == STATUS_LENGTH:
            return Foreign() if _of_slingshot(status) else status
        status.track = _track(line[STATUS_LENGTH:]) if len(line) == _EXTENDED_LENGTH else None
        return status if status.track is not None and not _of_slingshot(status) else None
    if line[:3] == b"*Y;" and len(line) == 8 and line[4:5] == b";" and all_in(line[3:4] + line[5:], DIGITS):
        return Foreign()
    if line[:3] == b"*Y:" and line[4:5] == b":":
        kind, value = line[3:4], line[5:]
        least, most, width = (0, 9, 1) if kind == b"P" else (0, 7, 2) if kind == b"A" else (0, 255, 3)
        right = kind in (b"P", b"A") or kind in (b"1", b"2", b"3", b"4", b"5", b"6")
        if right and len(value) == width and all_in(value, DIGITS) and least <= int(value) <= most:
            return Bonus(str(kind, "ascii"), int(value))
    return None


def _of_slingshot(status: Status) -> bool:
    """Whether a value is one that a Mercury never sends."""
    return status.spin > HIGHEST_COUNT or status.speed > FASTEST or 0 < status.speed < SLOWEST


def _track(tail: bytes) -> "Track | None":
    """`;flags;spins;balldir;ballspeed;pocket`, or None if a field has another width or range."""
    if tail[:1] + tail[5:6] + tail[8:9] + tail[10:11] + tail[16:17] != b";;;;;":
        return None
    flags, spins, way, lap, where = tail[1:5], tail[6:8], tail[9:10], tail[11:16], tail[17:19]
    if not all_in(flags + spins, HEX) or way not in (b"?", b"0", b"1"):
        return None
    if lap != b"?????" and (not all_in(lap, HEX) or int(str(lap, "ascii"), 16) == 0):
        return None
    if where != b"??" and (where == b"  " or not is_number_field(where)):
        return None
    return Track(
        int(str(flags, "ascii"), 16),
        int(str(spins, "ascii"), 16),
        None if way == b"?" else way[0] - 48,
        None if lap == b"?????" else int(str(lap, "ascii"), 16),
        None if where == b"??" else str(where, "ascii"),
    )


def basic(line: bytes) -> "Basic | None":
    """A packet of the basic mode, or None."""
    if line in (b"*S", b"*N"):
        return Basic(str(line[1:], "ascii"))
    if (
        line[:3] == b"*W "
        and len(line) <= 5
        and all_in(line[3:], b" " + DIGITS)
        and pocket(str(line[3:], "ascii")) is not None
    ):
        return Basic("W", str(line[3:], "ascii"))
    return None


class Framer(PacketFramer):
    """Status, Result, Basic, Bonus and Foreign objects out of bytes. A reply to a query that somebody else made is
    thrown away."""

    def __init__(self) -> None:
        super().__init__(128)

    def strict(self, line: bytes) -> "Status | Bonus | Foreign | None":
        return strict(line)

    def bare(self, line: bytes) -> "Result | None":
        padded = b" " + line if len(line) == 1 else line
        if len(padded) == 2 and padded != b"  " and is_number_field(padded):
            return Result(str(padded, "ascii"))
        return None

    def loose(self, line: bytes) -> "Basic | None":
        return basic(line)


def advanced_line(state: int, count: int, pocket_name: "str | None", warn: int, speed: int, direction: int) -> bytes:
    """The status line of a simulated reader in advanced mode; units as in Status."""
    return status_line(state, count, pocket_name, warn, speed, direction)


def extended_line(status: bytes, track: Track) -> bytes:
    """The status line of a simulated reader in extended mode: the advanced one and what the sensors show."""
    way = "?" if track.direction is None else str(track.direction)
    lap = "?????" if track.lap is None else f"{track.lap:05X}"
    where = track.pocket or "??"
    return status.rstrip() + f";{track.flags:04X};{track.spins:02X};{way};{lap};{where}\r\n".encode()


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    messages = [message for message in framer.feed(data) if isinstance(message, (Status, Basic))]
    framer.interrupt()
    return len(messages), len(data) - framer.take_discarded()
