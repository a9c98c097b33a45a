"""Wire format of an Angel Eye II-EX baccarat shoe, for a listener. MicroPython subset.

4800 8N1. A frame is ENQ, one sequence character, data, ETX, and the XOR of sequence through ETX as two upper-case hex
characters. Values in the data have bit 7 set, so no control character can stand inside a good frame. Facts: as
implemented by two public projects; not checked against the maker's document. Must not know the rules of baccarat.
"""

from pitwatch.devices.protocols.framer import BaseFramer

SHAPE = {"angel_eye": "fits"}

ENQ, ACK, NAK, ETX = 0x05, 0x06, 0x15, 0x03
NAK_CODES = b"\x01\x02\x03\x11\x12\x13\x14\x21\x22\xff"
LONGEST = 32  # bytes from sequence to data's end; the longest known frame has 8

_HEX = b"0123456789ABCDEF"
_RANKS = "A23456789TJQK"
_SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}

IN_GAME = {0: "player", 1: "banker", 2: "burn", 4: "first_card", 5: "burn_count"}
OUTSIDE_GAME = {0: "lock", 1: "error", 2: "setting"}
HIGHEST_INDEX = 10
WINNERS = {1: "player", 2: "tie", 4: "banker", 7: "forced_quit"}
PAIRS = {0: (), 1: ("player",), 2: ("banker",), 3: ("player", "banker")}
ERRORS = {
    1: "unreadable", 2: "overdraw", 3: "button_misuse", 4: "reverse_at_exit", 5: "reverse_midway", 6: "card_code",
    7: "draw_timeout",
}  # fmt: skip

PAYLOADS = {"S": 0, "P": 0, "C": 0, "D": 2, "d": 2, "R": 2, "G": 1, "E": 1, "e": 1, "L": 1, "M": 6}  # bytes


class Frame:
    """One good frame: `seq` and `command` are characters, `payload` the data bytes after the command; `noise` counts
    the bytes thrown away since the frame before it."""

    __slots__ = ("seq", "command", "payload", "noise")

    def __init__(self, seq: str, command: str, payload: bytes, noise: int = 0):
        self.seq = seq
        self.command = command
        self.payload = payload
        self.noise = noise


def bcc(body: bytes) -> bytes:
    """The check characters of sequence, data and ETX."""
    total = 0
    for byte in body:
        total ^= byte
    return f"{total:02X}".encode()


class Framer(BaseFramer):
    """Good frames out of bytes that come in any split.

    Where a frame turns out bad only its ENQ is dropped and the search goes on behind it, so a damaged frame never takes
    the next good one with it. The host's ACK and NAK are let pass. Every other byte is counted in `discarded`.
    """

    def feed(self, data: bytes) -> "list[Frame]":
        """The frames that `data` completes, repeats included."""
        rest = self._rest + data
        frames = []
        told = 0  # discarded bytes that a frame of this call has in its `noise`
        at = 0
        while at < len(rest):
            byte = rest[at]
            if byte == ACK:
                at += 1
            elif byte == NAK:
                if at + 1 == len(rest):
                    break
                if rest[at + 1] in NAK_CODES:
                    at += 2
                else:
                    self.discarded += 1
                    at += 1
            elif byte == ENQ:
                end = _end(rest, at)
                if end == 0:
                    break
                if end > 0:
                    body = rest[at + 1 : end]
                    frames.append(Frame(chr(body[0]), chr(body[1]), body[2:-3], self.discarded - told))
                    told = self.discarded
                    at = end
                else:
                    self.discarded += 1
                    at += 1
            else:
                self.discarded += 1
                at += 1
        self._rest = rest[at:]
        return frames


def _end(rest: bytes, start: int) -> int:
    """Where the frame that opens at `start` ends; 0 if more bytes are needed, -1 if it is none."""
    stop = min(len(rest), start + 2 + LONGEST)
    at = start + 1
    while at < stop and rest[at] >= 0x20:
        at += 1
    if at == stop:
        return 0 if stop < start + 2 + LONGEST else -1
    if rest[at] != ETX or at - start < 3 or rest[start + 1] > 0x7E or rest[start + 2] > 0x7E:
        return -1
    check = rest[at + 1 : at + 3]
    wanted = bcc(rest[start + 1 : at + 1])
    if check != wanted[: len(check)]:
        return -1
    return at + 3 if len(check) == 2 else 0


class Repeats:
    """Tells a frame sent again from a new one: the shoe sends each up to three times.

    A repeat has the sequence character *and* the content of the frame before it and follows within `WINDOW`; either
    alone would swallow a new message after the counter wrapped or the shoe restarted.
    """

    WINDOW = 10_000_000_000  # ns

    def __init__(self) -> None:
        self._last: tuple[str, str, bytes] | None = None
        self._at = 0

    def is_repeat(self, frame: Frame, t: int) -> bool:
        this = (frame.seq, frame.command, frame.payload)
        repeat = this == self._last and t - self._at < self.WINDOW
        self._last, self._at = this, t
        return repeat


class Card:
    """A card frame's two bytes; a field outside its range is None. `where` is the raw target 0..7, `number` bits 3-0 of
    the second byte (a rank, or a plain number for the burn count)."""

    __slots__ = ("where", "index", "card", "number")

    def __init__(self, payload: bytes):
        self.where = payload[0] >> 4 & 7
        index = payload[0] & 15
        self.index = index if index <= HIGHEST_INDEX else None
        self.number = payload[1] & 15
        suit = _SUITS.get(payload[1] >> 4 & 7)
        self.card = _RANKS[self.number - 1] + suit if suit and 1 <= self.number <= 13 else None


def well_formed(frame: Frame) -> bool:
    """Whether a known command has the payload length and the value bits it should."""
    if PAYLOADS.get(frame.command) != len(frame.payload):
        return False
    ascii_payload = frame.command == "M"
    return all((byte < 0x80) == ascii_payload for byte in frame.payload)


def frame(seq: str, data: bytes) -> bytes:
    """The bytes of a frame, for a simulated shoe: `data` is the command character and its payload."""
    body = seq.encode() + data + bytes([ETX])
    return bytes([ENQ]) + body + bcc(body)


def card_data(target: int, index: int, card: str, command: str = "D") -> bytes:
    """Data of a card frame: target as in IN_GAME (or OUTSIDE_GAME for command "d"), index 0..10, card such as "8S"."""
    suit = next(number for number, letter in _SUITS.items() if letter == card[1])
    return command.encode() + bytes([0x80 | target << 4 | index, 0x80 | suit << 4 | (_RANKS.index(card[0]) + 1)])


def result_data(winner: str, pairs: "tuple[str, ...]" = ()) -> bytes:
    """Data of a result frame: winner as in WINNERS, pairs of "player" and "banker"."""
    code = next(number for number, name in WINNERS.items() if name == winner)
    return b"G" + bytes([0x80 | code << 4 | ("player" in pairs) | ("banker" in pairs) << 1])


def error_data(kind: str, cleared: bool = False, error_mode: bool = True) -> bytes:
    """Data of an error frame, or of its cancellation: kind as in ERRORS."""
    code = next(number for number, name in ERRORS.items() if name == kind)
    return b"e" + bytes([0x80 | code]) if cleared else b"E" + bytes([0x80 | error_mode << 6 | code])


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    frames = [frame for frame in framer.feed(data) if well_formed(frame)]
    framer.interrupt()
    return len(frames), len(data) - framer.take_discarded()
