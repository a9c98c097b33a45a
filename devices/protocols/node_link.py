"""The wire between a sensor node and the board: frames, and delivery in order with nothing lost or twice.

MicroPython subset; both ends use it. Knows bytes and sequence numbers, no clock, no pins, no port. `node_bodies` has
what the frames contain.

A frame is 00, COBS(kind, length of body, body, CRC-16), 00. Integers are little-endian, the CRC is big-endian.
Docs: docs/hardware.md, "Sensor node".
"""

import struct

from pitwatch.devices.protocols.cobs import decode, encode
from pitwatch.devices.protocols.crc import crc16

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHAPE = {"node": "fits"}

# Board to node.
OPEN = 1  # session, lines to listen to
ACK = 2  # session, next sequence wanted, which of the 16 after that are here already
PING = 3  # number
CLOSE = 4  # stop listening
ASK = 5  # say who you are
BEGIN = 6  # a firmware image comes: size, SHA-256, whether it may be older; with no session open only
PIECE = 7  # offset, bytes of the image
END = 8  # that was all: verify it, and start with it
# Node to board.
HELLO = 65  # who it is, since when it runs; also unasked, while no session is open
OPENED = 66  # session, boot, time, levels; or why not
DATA = 67  # session, sequence, edges; the only kind that is numbered and resent
PONG = 68  # number, boot, when the ping came, when this was sent
FAULT = 69  # what the firmware died of, in words
GOT = 70  # of an image: offset wanted next, what becomes of it, why not

LONGEST = 240  # bytes of body
_CODED = LONGEST + 5  # longest frame between its zeros: kind, length, CRC, and one byte of COBS
WINDOW = 12
"""Frames on their way, not yet acknowledged, at which a sender takes no more."""
REACH = 16
"""Frames ahead of the next one that a receiver keeps: the window and the frames that one turn of the sender may add."""
ANSWER_US = 150_000
"""Longest time from a frame to its answer at the start: a full window takes 100 ms at 115200 baud."""
SLACK_US = 20_000
"""Added to twice the usual time to an answer: silence for longer means that the oldest frame was lost."""


class Framer:
    """Frames out of bytes that come in any split; bytes of no complete frame are counted in `discarded`."""

    def __init__(self) -> None:
        self.discarded = 0  # bytes thrown away
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> "list[tuple[int, bytes]]":
        """The (kind, body) of each frame that `data` completes."""
        pieces = (self._rest + data).split(b"\0")
        rest = pieces.pop()
        frames = []
        for piece in pieces:
            if self._skipping:
                self._skipping = False
                self.discarded += len(piece)
            elif piece:
                frame = unframe(piece)
                if frame is None:
                    self.discarded += len(piece)
                else:
                    frames.append(frame)
        if self._skipping or len(rest) > _CODED:
            self._skipping = True
            self.discarded += len(rest)
            rest = b""
        self._rest = rest
        return frames

    def idle(self) -> bool:
        """Whether nothing is half received."""
        return not self._rest and not self._skipping

    def interrupt(self) -> None:
        """The link was lost: what is half received must not be joined to what comes next."""
        self.discarded += len(self._rest)
        self._rest = b""
        self._skipping = False


def frame(kind: int, body: bytes) -> bytes:
    """The frame of a body of at most LONGEST bytes, with the zero before it that ends any noise."""
    packet = bytes((kind, len(body))) + body
    return b"\0" + encode(packet + struct.pack(">H", crc16(packet))) + b"\0"


def unframe(coded: bytes) -> "tuple[int, bytes] | None":
    """(kind, body) of what stood between two zeros, or None if it is not whole."""
    packet = decode(coded)
    if packet is None or len(packet) < 4 or len(packet) != packet[1] + 4:
        return None
    if crc16(packet[:-2]) != (packet[-2] << 8) | packet[-1]:
        return None
    return packet[0], packet[2:-2]


class Sender:
    """Numbers bodies and sends each until it is acknowledged. Times are the caller's microseconds."""

    def __init__(self) -> None:
        self.resent = 0  # frames sent more than once
        self._usual = ANSWER_US // 2  # µs to an answer
        self._next = 0
        self._oldest = 0
        self._waiting: dict[int, list[Any]] = {}  # sequence: [frame, sent at, number of sending, once]
        self._sendings = 0

    def has_room(self) -> bool:
        return len(self._waiting) < WINDOW and (self._next - self._oldest) & 0xFFFF < WINDOW

    def push(self, session: int, body: bytes, t: int) -> bytes:
        """The frame of the next body, to be sent now."""
        wire = frame(DATA, struct.pack("<HH", session, self._next) + body)
        self._waiting[self._next] = [wire, t, self._sendings, True]
        self._sendings += 1
        self._next = (self._next + 1) & 0xFFFF
        return wire

    def acknowledged(self, wanted: int, held: int, t: int) -> "list[bytes]":
        """The other end wants `wanted` next and has what `held` says; returns what is shown to be lost on the way."""
        if (wanted - self._oldest) & 0xFFFF > (self._next - self._oldest) & 0xFFFF:
            return []  # an answer to something older
        newest = -1
        if wanted != self._oldest:
            answered = self._waiting.get((wanted - 1) & 0xFFFF)
            if answered is not None and answered[3]:
                self._usual += (t - answered[1] - self._usual) // 8
        while self._oldest != wanted:
            newest = max(newest, self._drop(self._oldest))
            self._oldest = (self._oldest + 1) & 0xFFFF
        for bit in range(REACH):
            if held >> bit & 1:
                newest = max(newest, self._drop((wanted + 1 + bit) & 0xFFFF))
        # The wire keeps the order: what was sent before something that arrived, and has not arrived, is lost.
        return [self._again(kept, t) for kept in self._in_order() if kept[2] < newest]

    def overdue(self, t: int) -> "bytes | None":
        """The oldest frame, if it is to be sent again because nothing was heard of it for long."""
        if not self._waiting:
            return None
        oldest = self._in_order()[0]
        return self._again(oldest, t) if t - oldest[1] >= 2 * self._usual + SLACK_US else None

    def _in_order(self) -> "list[list[Any]]":
        ahead = sorted([(seq - self._oldest) & 0xFFFF for seq in self._waiting])
        return [self._waiting[(self._oldest + one) & 0xFFFF] for one in ahead]

    def _drop(self, seq: int) -> int:
        kept = self._waiting.pop(seq, None)
        return -1 if kept is None else int(kept[2])

    def _again(self, kept: "list[Any]", t: int) -> bytes:
        kept[1] = t
        kept[2] = self._sendings
        kept[3] = False
        self._sendings += 1
        self.resent += 1
        wire: bytes = kept[0]
        return wire


class Receiver:
    """Puts numbered bodies in order, each once."""

    def __init__(self) -> None:
        self._next = 0
        self._held: dict[int, bytes] = {}

    def take(self, seq: int, body: bytes) -> "list[bytes]":
        """The bodies that are next, now that this one came; none if it was here before or one is missing."""
        if (seq - self._next) & 0xFFFF > REACH:
            return []
        self._held[seq] = body
        ready = []
        while self._next in self._held:
            ready.append(self._held.pop(self._next))
            self._next = (self._next + 1) & 0xFFFF
        return ready

    def ack(self, session: int) -> bytes:
        """The frame that says what is here."""
        held = 0
        for seq in self._held:
            held |= 1 << ((seq - self._next - 1) & 0xFFFF)
        return frame(ACK, struct.pack("<HHH", session, self._next, held))


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    frames = framer.feed(data)
    return len(frames), len(data) - framer.discarded if frames else 0
