"""What a floor's time adds up to, cell by cell, and the rows that are made of the cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pitwatch.floor.pace.config import PaceSection

PHASES = ("bets_open", "no_more_bets", "result", "next")
TIMES = ("open", "closed", "shuffle", "jam")
COUNTS = ("rounds", "partial", "void", "irregularities")


class Cell(NamedTuple):
    """`table` as SITE/TABLE; `hour`: its local beginning with the zone."""

    table: str
    game: str | None
    dealer: str | None
    hour: str
    shift: str | None


class Sums:
    """`seconds` by TIMES; `phases` and `seats`: a sum and of how many; `expected`: target times open hours."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(COUNTS, 0)
        self.seconds = dict.fromkeys(TIMES, 0.0)
        self.means: dict[str, tuple[float, int]] = dict.fromkeys((*PHASES, "seats"), (0.0, 0))
        self.expected: float | None = 0.0

    def mean(self, name: str, value: float) -> None:
        total, count = self.means[name]
        self.means[name] = (total + value, count + 1)

    def add(self, other: Sums) -> None:
        for name, count in other.counts.items():
            self.counts[name] += count
        for name, seconds in other.seconds.items():
            self.seconds[name] += seconds
        for name, (total, count) in other.means.items():
            mine, of = self.means[name]
            self.means[name] = (mine + total, of + count)
        known = self.expected is not None and other.expected is not None
        self.expected = (self.expected or 0.0) + (other.expected or 0.0) if known else None


class Cells:
    """All cells of a period. Times are seconds since 1970."""

    def __init__(self, pace: PaceSection):
        self._pace = pace
        self.sums: dict[Cell, Sums] = {}

    def at(self, table: str, game: str | None, dealer: str | None, t: float) -> Sums:
        """The cell of a moment."""
        return self._of(table, game, dealer, datetime.fromtimestamp(t, UTC))

    def spend(self, what: str, table: str, game: str | None, dealer: str | None, begin: float, end: float) -> None:
        """Time that passed, shared among the hours and shifts in which it passed."""
        for t, seconds in self._parts(begin, end):
            sums = self.at(table, game, dealer, t)
            sums.seconds[what] += seconds
            if what == "open" and sums.expected is not None:
                target = self._pace.expects(game) if game else None
                sums.expected = None if target is None else sums.expected + target * seconds / 3600

    def _parts(self, begin: float, end: float) -> Iterator[tuple[float, float]]:
        while begin < end:
            until = min(self._pace.until(datetime.fromtimestamp(begin, UTC)).timestamp(), end)
            if until <= begin:  # nearer than a float tells apart
                return
            yield begin, until - begin
            begin = until

    def _of(self, table: str, game: str | None, dealer: str | None, at: datetime) -> Sums:
        here = self._pace.local(at).replace(minute=0, second=0, microsecond=0)
        cell = Cell(table, game, dealer, here.isoformat(timespec="minutes"), self._pace.shift(at))
        return self.sums.setdefault(cell, Sums())


def rows(cells: Cells, by: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each value of the dimensions in `by`, in order."""
    grouped: dict[tuple[Any, ...], Sums] = {}
    for cell, sums in cells.sums.items():
        grouped.setdefault(tuple(getattr(cell, name) for name in by), Sums()).add(sums)
    keys = sorted(grouped, key=lambda key: [each or "" for each in key])
    return [dict(zip(by, key, strict=True)) | _row(grouped[key]) for key in keys]


def _row(sums: Sums) -> dict[str, Any]:
    rounds, hours = sums.counts["rounds"], sums.seconds["open"] / 3600
    pace = rounds / hours if hours else None
    target = sums.expected / hours if hours and sums.expected else None
    return {
        "rounds": rounds,
        "partial": sums.counts["partial"],
        "open_hours": round(hours, 3),
        "closed_hours": round(sums.seconds["closed"] / 3600, 3),
        "rounds_an_hour": _rounded(pace),
        "target": _rounded(target),
        "of_target": _rounded(pace / target, 3) if pace is not None and target else None,
        "seats_a_round": _mean(sums, "seats", 2),
        **{f"{name}_s": _mean(sums, name) for name in PHASES},
        "shuffle_s": round(sums.seconds["shuffle"], 1),
        "jam_s": round(sums.seconds["jam"], 1),
        "voids_per_100": _rounded(100 * sums.counts["void"] / rounds, 2) if rounds else None,
        "irregularities_per_100": _rounded(100 * sums.counts["irregularities"] / rounds, 2) if rounds else None,
    }


def _mean(sums: Sums, name: str, digits: int = 1) -> float | None:
    total, count = sums.means[name]
    return round(total / count, digits) if count else None


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)


def without(begin: float, end: float, others: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The parts of a stretch of time outside all others, which are in order."""
    for first, last in others:
        if last <= begin:
            continue
        if first >= end:
            break
        if first > begin:
            yield begin, first
        begin = max(begin, last)
    if begin < end:
        yield begin, end
