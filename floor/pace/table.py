"""One table's time: its rounds, their phases, who sat there, shuffles and jams. Feeds `Cells`; asks no database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec

from pitwatch.floor.archive.row import iso
from pitwatch.floor.pace.cells import Cells, without
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pace.dealers import Turns

RESULTS = ("ball_settled", "dice_settled", "result_declared")
NO_MORE_BETS = "key_pressed:no_more_bets"
SEEN = (
    NO_MORE_BETS, *RESULTS, "wheel_state", "seat_taken", "seat_left",
    "shuffle_started", "shuffle_completed", "stopped",
)  # fmt: skip
"""Observations that tell something of pace."""
LONGEST_S = 86_400.0
"""A round that a table says was longer is cut to a day: nobody played it."""
UNUSED_S = 31 * 86_400.0
"""A table without a round for longer was not closed but out of use, or its clock was not set."""
WITH_DATA = ("wheel_state", "seat_taken", "seat_left")
"""Those whose data are read."""


class _Round(msgspec.Struct):
    opened: float | None = None
    closed: float | None = None
    partial: bool = False
    void: str | None = None


class _RoundEvent(msgspec.Struct):
    data: _Round


class _Fields(msgspec.Struct):
    seat: str | None = None
    state: str | None = None


class _Seen(msgspec.Struct):
    data: _Fields


class _SeenEvent(msgspec.Struct):
    data: _Seen


class TableTime:
    """Takes the rows of one table in order. `begin` and `end` confine what counts; None: the first and last round."""

    def __init__(
        self, cells: Cells, pace: PaceSection, dealt: Turns, table: str, begin: float | None, end: float | None
    ):
        self._cells, self._pace, self._dealt, self._table = cells, pace, dealt, table
        self._begin, self._end = begin, end
        self._game: str | None = None
        self._boot = ""
        self._last: float | None = None
        """When the last round closed."""
        self._marks: list[tuple[float, bool]] = []
        """Since the last round closed: when no more bets was called (False), a result seen (True)."""
        self._seats: set[str] = set()
        self._seated: list[tuple[float, int]] = []
        self._rounds: list[tuple[float, float]] = []
        self._shuffle: float | None = None
        self._shuffles: list[tuple[float, float]] = []
        self._jams: dict[str, float] = {}
        self._jammed: list[tuple[float, float]] = []

    def take(self, row: dict[str, Any]) -> None:
        t = datetime.fromisoformat(row["at"]).timestamp()
        kind, name = row["kind"], row["name"]
        if kind == "round":
            self._round(row, t)
        elif kind == "irregularity":
            if self._counts(t):
                game = name.rpartition("/")[0]
                self._cells.at(self._table, game, self._dealer(t), t).counts["irregularities"] += 1
        elif kind == "alert":
            if row["raised"]:
                self._jams.setdefault(name, t)
            elif (since := self._jams.pop(name, None)) is not None:
                self._jammed.append((since, t))
        elif name in WITH_DATA:
            self._with_data(row, t)
        elif name == "shuffle_started":
            self._shuffle = t
        elif name in ("shuffle_completed", "stopped"):
            if self._shuffle is not None and name == "shuffle_completed":
                self._shuffles.append((self._shuffle, t))
            self._shuffle = None
        else:
            self._marks.append((t, name in RESULTS))

    def _with_data(self, row: dict[str, Any], t: float) -> None:
        try:
            told = msgspec.json.decode(row["payload"], type=_SeenEvent).data.data
        except msgspec.DecodeError:  # a field with an impossible value
            return
        if row["name"] == "wheel_state":
            if told.state == "no_more_bets":
                self._marks.append((t, False))
        elif told.seat is not None:
            (self._seats.add if row["name"] == "seat_taken" else self._seats.discard)(told.seat)
            self._seated.append((t, len(self._seats)))

    def _round(self, row: dict[str, Any], t: float) -> None:
        try:
            told = msgspec.json.decode(row["payload"], type=_RoundEvent).data
        except msgspec.DecodeError:
            return
        self._game = row["name"]
        shift = t - row["monotonic_ns"] / 1e9
        closed = t if told.closed is None else min(max(told.closed + shift, t - LONGEST_S), t)
        opened = closed if told.opened is None else min(max(told.opened + shift, t - LONGEST_S), closed)
        last, self._last = self._last, max(closed, self._last or closed)
        same, self._boot = row["boot"] == self._boot, row["boot"]
        marks = [each for each in self._marks if each[0] <= closed]
        self._marks = [each for each in self._marks if each[0] > closed]
        dealer = self._dealer(closed)
        played = last is not None and opened - last <= self._pace.idle_minutes * 60
        begun = last if played and last is not None else opened
        self._spend("open", dealer, begun, closed)
        if not played:
            first = self._begin if last is None else last
            if first is not None:
                self._spend("closed", None, first, opened)
        self._rounds.append((opened, closed))
        if not self._counts(closed):
            return
        sums = self._cells.at(self._table, self._game, dealer, closed)
        sums.counts["rounds"] += 1
        sums.counts["partial"] += told.partial
        sums.counts["void"] += told.void is not None
        seated = [count for at, count in self._seated if at <= opened]
        if seated:
            sums.mean("seats", seated[-1])
            self._seated = [(opened, seated[-1]), *(each for each in self._seated if each[0] > opened)]
        if told.partial or told.opened is None or told.closed is None:
            return
        bets = next((at for at, result in marks if not result), None)
        settled = next((at for at, result in marks if result and at >= opened), None)
        if bets is not None:
            sums.mean("no_more_bets", max((settled if settled is not None else closed) - bets, 0.0))
        if settled is not None:
            sums.mean("result", closed - settled)
        if played and same and last is not None:
            sums.mean("next", max(opened - last, 0.0))
            if bets is not None:
                sums.mean("bets_open", max(bets - last, 0.0))

    def over(self, end: float | None) -> None:
        """Nothing more comes; `end` of the period if there is one, not later than now. A jam that lasts ends then, or
        with the last round. Closed time belongs to no dealer."""
        if end is not None:
            begin = self._last if self._last is not None else self._begin
            if begin is not None:
                self._spend("closed", None, begin, end)
        until = end if end is not None else self._last
        if until is not None:
            self._jammed += [(since, until) for since in self._jams.values()]
        for begin, until in self._shuffles:
            for first, last in without(begin, until, self._rounds):
                self._spend("shuffle", self._dealer(first), first, last)
        for begin, until in _merged(self._jammed):
            self._spend("jam", self._dealer(begin), begin, until)

    def _spend(self, what: str, dealer: str | None, begin: float, end: float) -> None:
        begin = begin if self._begin is None else max(begin, self._begin)
        end = end if self._end is None else min(end, self._end)
        if end - begin > UNUSED_S:
            return
        self._cells.spend(what, self._table, self._game, dealer, begin, end)

    def _counts(self, t: float) -> bool:
        return (self._begin is None or t >= self._begin) and (self._end is None or t < self._end)

    def _dealer(self, t: float) -> str | None:
        site, _, table_id = self._table.partition("/")
        turn = self._dealt.at(site, table_id, iso(datetime.fromtimestamp(t, UTC)))
        return turn.dealer if turn else None


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same time once, whatever was jammed then."""
    out: list[tuple[float, float]] = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((begin, end))
    return out
