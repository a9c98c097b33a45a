"""What rounds add up to: rounds an hour, seconds by phase, seats, downtime. Pure sums."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pitwatch.rules.records import Played

PHASES = ("bets_open", "no_more_bets", "result", "next")


class Cycle(NamedTuple):
    """One round with the time since the round before. Times in seconds; `closed` on the board's monotonic clock. A
    phase that was not seen is None, and so are `seats` without sensors."""

    closed: float
    open_s: float
    partial: bool
    void: bool
    irregularities: int
    seats: int | None
    shuffle_s: float
    jam_s: float
    bets_open: float | None = None
    no_more_bets: float | None = None
    result: float | None = None
    next: float | None = None


class Stretch:
    """The rounds of one stretch of play."""

    def __init__(self, cycles: Iterable[Cycle] = ()):
        self._rounds = self._partial = self._void = self._irregularities = 0
        self._open_s = self._shuffle_s = self._jam_s = 0.0
        self._means: dict[str, tuple[float, int]] = dict.fromkeys((*PHASES, "seats"), (0.0, 0))
        for cycle in cycles:
            self.add(cycle)

    def add(self, cycle: Cycle) -> None:
        self._rounds += 1
        self._partial += cycle.partial
        self._void += cycle.void
        self._irregularities += cycle.irregularities
        self._open_s += cycle.open_s
        self._shuffle_s += cycle.shuffle_s
        self._jam_s += cycle.jam_s
        for name, (total, many) in self._means.items():
            value = getattr(cycle, name)
            if value is not None:
                self._means[name] = (total + value, many + 1)

    def played(self) -> Played:
        rounds, hours = self._rounds, self._open_s / 3600
        return Played(
            rounds=rounds,
            partial=self._partial,
            open_s=round(self._open_s, 1),
            rounds_an_hour=round(rounds / hours, 1) if hours else None,
            seats_a_round=self._mean("seats", 2),
            bets_open_s=self._mean("bets_open"),
            no_more_bets_s=self._mean("no_more_bets"),
            result_s=self._mean("result"),
            next_s=self._mean("next"),
            shuffle_s=round(self._shuffle_s, 1),
            jam_s=round(self._jam_s, 1),
            voids_per_100=round(100 * self._void / rounds, 2) if rounds else None,
            irregularities_per_100=round(100 * self._irregularities / rounds, 2) if rounds else None,
        )

    def _mean(self, name: str, digits: int = 1) -> float | None:
        total, many = self._means[name]
        return round(total / many, digits) if many else None
