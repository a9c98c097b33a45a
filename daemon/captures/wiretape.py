"""Keeps the wire data of the last minutes, so that the data around an irregularity can be added to the journal.

Lines are those of a capture. The tape is cut into pieces of some seconds. Each piece starts with the devices on line
and the levels of the lines, so that a replay can start with any piece. Does not decode.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from pitwatch.daemon.captures.capture import Writer
from pitwatch.daemon.contract.messages import WireData
from pitwatch.daemon.pipeline import Appendable
from pitwatch.daemon.wiring import Listener
from pitwatch.hal.clock import Clock, Timer

SECOND = 1_000_000_000

PIECE = 10 * SECOND

BEFORE, AFTER = 300 * SECOND, 60 * SECOND
"""How long before and after an irregularity the wires are kept (ns)."""

PLENTY = 64_000
"""Where less than these bytes came over the wires before an irregularity, what came earlier is kept too, as far as they
reach: of a quiet shoe the whole shoe."""

LONGEST = 7200 * SECOND
MOST = 2_000_000
"""Time (ns) and bytes of tape in memory; a device that floods shortens the past, not the memory."""

KIND = "wire"


class _Piece:
    __slots__ = ("begin", "buffer", "end", "number", "saved", "standing", "writer")

    def __init__(self, number: int, begin: int, standing: bytes):
        self.number = number
        self.begin = begin
        self.end = begin
        self.standing = standing
        self.buffer = io.BytesIO()
        self.writer = Writer(self.buffer)
        self.saved = 0
        """Bytes of it that are in the journal."""

    def size(self) -> int:
        return len(self.standing) + self.buffer.tell()


class WireTape:
    """`keep(t)` has the wires around `t` journalled: what is on the tape at once, the rest as it comes.

    A record holds a piece or what has come of it since; pieces that two irregularities share are kept once.
    """

    def __init__(self, journal: Appendable, clock: Clock):
        self._journal = journal
        self._clock = clock
        self._pieces: deque[_Piece] = deque()
        self._cuts = 0
        self._past = 0
        """Bytes in pieces that are complete."""
        self._online: dict[str, dict[str, Any]] = {}
        self._levels: dict[str, dict[str, int]] = {}
        self._keep_until = 0
        self._timer: Timer | None = None

    # -- what the taps write

    def opened(self, device: str, t: int, identity: dict[str, Any]) -> None:
        self._online[device] = identity
        self._at(t).writer.observation(device, "device_online", identity, t)

    def levels(self, device: str, levels: dict[str, int], t: int) -> None:
        self._levels[device] = dict(levels)
        self._at(t).writer.levels(device, levels, t)

    def received(self, device: str, data: bytes, t: int) -> None:
        self._at(t).writer.received(device, data, t)

    def edge(self, device: str, line: str, level: int, t: int) -> None:
        self._levels.setdefault(device, {})[line] = level
        self._at(t).writer.edge(device, line, level, t)

    def lost(self, device: str, count: int, t: int) -> None:
        self._at(t).writer.observation(device, "edges_lost", {"count": count}, t)

    def closed(self, device: str, reason: str, t: int) -> None:
        self._online.pop(device, None)
        self._levels.pop(device, None)
        self._at(t).writer.observation(device, "device_offline", {"reason": reason}, t)

    # -- what is kept

    def keep(self, t: int) -> None:
        """An irregularity was found at `t`."""
        self._keep_until = max(self._keep_until, t + AFTER)
        if self._timer is None:  # after what is being reported now has its number
            self._timer = self._clock.call_at(self._clock.now(), self._save)

    def stop(self) -> None:
        """Journal what is still to be kept."""
        if self._timer is not None:
            self._timer.cancel()
            self._save()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _save(self) -> None:
        self._timer = None
        now = self._clock.now()
        since = self._keep_until - AFTER - BEFORE
        room = PLENTY
        wanted = []
        for piece in reversed(self._pieces):
            room -= piece.size()
            if piece.end < since and room < 0:
                break
            wanted.append(piece)
        for piece in reversed(wanted):
            self._put(piece)
        if now < self._keep_until:
            self._timer = self._clock.call_at(min(now + PIECE, self._keep_until), self._save)

    def _put(self, piece: _Piece) -> None:
        content = piece.buffer.getvalue()
        fresh = content[piece.saved :]
        if not fresh:
            return
        data = WireData(
            piece=piece.number,
            begin=piece.begin / SECOND,
            end=piece.end / SECOND,
            standing=_lines(b"" if piece.saved else piece.standing),
            lines=_lines(fresh),
        )
        piece.saved = len(content)
        self._journal.append(KIND, KIND, self._clock.now(), data)

    def _at(self, t: int) -> _Piece:
        """The piece that a line of time `t` belongs to."""
        last = self._pieces[-1] if self._pieces else None
        piece = last if last is not None and t - last.begin < PIECE else self._cut(t)
        piece.end = max(piece.end, t)
        return piece

    def _cut(self, t: int) -> _Piece:
        if self._pieces:
            self._past += self._pieces[-1].size()
        self._cuts += 1
        self._pieces.append(_Piece(self._cuts, t, self._standing(t)))
        while len(self._pieces) > 1 and (self._past > MOST or self._pieces[0].end < t - LONGEST):
            self._past -= self._pieces.popleft().size()
        return self._pieces[-1]

    def _standing(self, t: int) -> bytes:
        """Lines that bring a replay to where the wires stood at `t`."""
        buffer = io.BytesIO()
        writer = Writer(buffer)
        for device, identity in self._online.items():
            writer.observation(device, "device_online", identity, t)
            if device in self._levels:
                writer.levels(device, self._levels[device], t)
        return buffer.getvalue()


def _lines(text: bytes) -> list[msgspec.Raw]:
    return [msgspec.Raw(line) for line in text.splitlines()]


class KeepingJournal:
    """The journal, with the wires around every irregularity."""

    def __init__(self, journal: Appendable, tape: WireTape):
        self._journal = journal
        self._tape = tape

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        seq = self._journal.append(kind, subtopic, t_ns, data, retained)
        if kind == "irregularity":
            self._tape.keep(t_ns)
        return seq


class Tap:
    """Records one device, then passes the data to `listener`. `on_identity(device, identity, t)` receives who
    came on line."""

    def __init__(
        self,
        device: str,
        tape: WireTape,
        listener: Listener,
        on_identity: Callable[[str, dict[str, Any], int], None] = lambda device, identity, t: None,
    ):
        self._device = device
        self._on_identity = on_identity
        self._tape = tape
        self._listener = listener
        self.passed: Callable[[int], None] = listener.passed

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        self._tape.opened(self._device, t, identity)
        self._listener.opened(t, identity)
        self._on_identity(self._device, identity, t)

    def initial(self, levels: dict[str, int], t: int) -> None:
        self._tape.levels(self._device, levels, t)
        self._listener.initial(levels, t)

    def received(self, data: bytes, t: int) -> None:
        self._tape.received(self._device, data, t)
        self._listener.received(data, t)

    def edge(self, line: str, level: int, t: int) -> None:
        self._tape.edge(self._device, line, level, t)
        self._listener.edge(line, level, t)

    def lost(self, count: int, t: int) -> None:
        self._tape.lost(self._device, count, t)
        self._listener.lost(count, t)

    def closed(self, reason: str, t: int) -> None:
        self._tape.closed(self._device, reason, t)
        self._listener.closed(reason, t)
