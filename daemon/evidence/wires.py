"""Cuts the wire data of one round out of a journal's wire records, so that no byte of another round goes along.

Also gives the complete stretch, for a replay at the table that nobody else sees. Does not decode.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from pitwatch.daemon.captures.capture import Line
from pitwatch.daemon.captures.wiretape import SECOND
from pitwatch.daemon.contract.messages import WireData, withhold_wires
from pitwatch.daemon.journal.chain import Record

_line = msgspec.json.Decoder(Line).decode


BEFORE_EDGES = 200_000_000
"""Nanoseconds by which an edge may lie before the observation that is made of it: contacts bounce."""


class Window(msgspec.Struct, frozen=True):
    """The time of a round in nanoseconds of the board's monotonic clock. `end_belongs`: what came at the end itself is
    of this round and not of the next. `also`: device and time of observations outside that are evidence by name, or
    open the round. `not_before`: the end of the round before."""

    begin: int
    end: int
    end_belongs: bool
    also: frozenset[tuple[str, int]] = frozenset()
    not_before: int = 0

    @property
    def first(self) -> int:
        """Where the edges of what opens the round may lie."""
        return max(self.begin - BEFORE_EDGES, self.not_before)

    def has(self, line: Line) -> bool:
        t = line.t_ns
        if self.begin <= t < self.end or (t == self.end and self.end_belongs):
            return True
        edge = line.line is not UNSET  # which tells no card; bytes are taken only as those that were observed
        for device, at in self.also:
            if device == line.device and (t == at or (edge and max(at - BEFORE_EDGES, self.not_before) < t < at)):
                return True
        return False


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """`lines` of a capture, of the window alone; `parts` says of each wire record how many of its lines are here."""

    lines: list[bytes]
    parts: list[dict[str, Any]]
    whole: list[Record]
    """Records of which every line is here: they can be shown as they are."""
    begins: float | None
    """Seconds at which the wires begin that the journal kept; None if it kept none of this window."""


class _Standing:
    """How the wires stand: who is on line, and the level of every line."""

    def __init__(self) -> None:
        self._online: dict[str, dict[str, Any]] = {}
        self._levels: dict[str, dict[str, int]] = {}

    def pass_on(self, line: Line) -> None:
        if line.event == "device_online":
            self._online[line.device] = line.data if isinstance(line.data, dict) else {}
        elif line.event == "device_offline":
            self._online.pop(line.device, None)
            self._levels.pop(line.device, None)
        elif isinstance(line.levels, dict):
            self._levels[line.device] = dict(line.levels)
        elif isinstance(line.line, str) and isinstance(line.level, int):
            self._levels.setdefault(line.device, {})[line.line] = line.level

    def lines(self, t: int) -> list[bytes]:
        found: list[dict[str, Any]] = []
        for device, identity in self._online.items():
            found.append({"t": t / SECOND, "device": device, "event": "device_online", "data": identity})
            if device in self._levels:
                found.append({"t": t / SECOND, "device": device, "levels": self._levels[device]})
        return [msgspec.json.encode(each) for each in found]


def cut(records: Iterable[Record], window: Window) -> Cut:
    """Of wire records of one run, in order of their sequence."""
    standing = _Standing()
    lines: list[tuple[int, bytes]] = []
    opening: list[bytes] | None = None
    parts: list[dict[str, Any]] = []
    whole: list[Record] = []
    begins: float | None = None
    for record in sorted(records, key=_place):
        wires = msgspec.json.decode(record.body, type=WireData)
        begins = wires.begin if begins is None else min(begins, wires.begin)
        for raw in wires.standing if opening is None else ():
            standing.pass_on(_line(raw))
        taken = 0
        for raw in wires.lines:
            line = _line(raw)
            if window.has(line):
                if opening is None and line.t_ns >= window.first:
                    opening = standing.lines(line.t_ns - SECOND)  # apart, or the first edge counts as how it stood
                lines.append((line.t_ns, bytes(raw)))
                taken += 1
            if opening is None:
                standing.pass_on(line)
        if taken:
            told = msgspec.json.decode(withhold_wires(record.body), type=WireData)
            of = {"sequence": record.seq, "lines": len(wires.lines), "here": taken, "sha256": told.sha256}
            parts.append({**of, "piece": wires.piece})
            if taken == len(wires.lines):
                whole.append(record)
    lines.sort(key=lambda each: each[0])  # which keeps the order of what has one time
    before = [raw for t, raw in lines if t < window.first]
    during = [raw for t, raw in lines if t >= window.first]
    return Cut(lines=[*before, *(opening or ()), *during], parts=parts, whole=whole, begins=begins)


def _place(record: Record) -> tuple[int, int]:
    """Pieces in the order in which they came over the wires, whichever was journalled first."""
    return msgspec.json.decode(record.body, type=_Piece).piece, record.seq


class _Piece(msgspec.Struct):
    piece: int
