"""The ledgers of one table: made when first counted in, restored after a restart, put out when it is time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.ledger import CRITICAL, LEVELS, Kind, Ledger, name_of
from pitwatch.rules.fairness.suspicions import suspicion
from pitwatch.rules.records import StatisticState

HOUR_NS = 3_600_000_000_000

STATE_ROUNDS = 500
"""Rounds after which the state is put out; those since are read again from the journal after a crash."""

Counted = dict[str, list[int]]


class Ledgers:
    """`equipment`: what the counts are of, in words; a state of other equipment is not gone on with."""

    def __init__(self, desk: Desk, equipment: str, kinds: Sequence[Kind]):
        self._desk = desk
        self._equipment = equipment
        self._kinds: Mapping[str, Kind] = {kind.monitor: kind for kind in kinds}
        self._ledgers: dict[str, Ledger] = {}
        self._risen: list[Ledger] = []
        self._rounds = 0
        self._waiting: list[tuple[int, Counted]] = []
        self._reported: int | None = None
        for state in desk.kept.states:
            self._restore(state)
        for number, counted in desk.kept.counted:
            for name, cells in counted.items():
                self._take(name, cells, number, again=True)

    def _restore(self, state: StatisticState) -> None:
        kind = self._kinds.get(state.monitor)
        if kind is None or state.equipment != self._equipment:
            return
        ledger = Ledger(kind, state.key, self._desk.table.statistics.scale)
        try:
            ledger.restore(state)
        except ValueError:
            return  # of a program that counted otherwise: a new epoch
        self._ledgers[name_of(state.monitor, state.key)] = ledger

    def take(self, counted: Counted, number: int) -> None:
        """Have the outcomes of a round counted, by ledger, at the next `count`."""
        if counted:
            self._waiting.append((number, counted))

    def count(self) -> None:
        """Count what waits, and put out what follows from it."""
        for number, counted in self._waiting:
            for name, cells in counted.items():
                self._take(name, cells, number)
            self._rounds += 1
        self._waiting.clear()
        self._report()

    def _take(self, name: str, cells: Sequence[int], number: int, again: bool = False) -> None:
        ledger = self._ledgers.get(name)
        if ledger is None:
            monitor, _, key = name.partition("-")
            kind = self._kinds.get(monitor)
            if kind is None:
                return
            ledger = self._ledgers[name] = Ledger(kind, key, self._desk.table.statistics.scale)
        if again and (number <= ledger.upto or any(not 0 <= cell < len(ledger.kind.bets.null) for cell in cells)):
            return
        if ledger.take(cells, number) and not again:
            self._risen.append(ledger)

    def begin_again(self, *monitors: str, keep_r: bool = False) -> None:
        """The equipment of these monitors is another, or was put in order."""
        self.count()
        for ledger in self._ledgers.values():
            if ledger.kind.monitor in monitors:
                ledger.begin_again(keep_r=keep_r)
        self._put_out(statistics=True, states=True)

    def _report(self) -> None:
        desk = self._desk
        if self._reported is None:
            self._reported = desk.t
        risen, hour, many = bool(self._risen), desk.t - self._reported >= HOUR_NS, self._rounds >= STATE_ROUNDS
        if risen or hour or many:
            self._put_out(statistics=risen or hour, states=risen or many)
        for ledger in self._risen:
            self._suspect(ledger)
        self._risen.clear()

    def finish(self) -> None:
        """Nothing more will be counted by this run."""
        self.count()
        self._put_out(statistics=True, states=True)

    def _put_out(self, statistics: bool, states: bool) -> None:
        out = self._desk.out
        for ledger in self._ledgers.values():
            if statistics and ledger.unreported:
                out.append(ledger.statistic())
                ledger.unreported = False
            if states and ledger.changed:
                out.append(ledger.state(self._equipment))
                ledger.changed = False
        if statistics:
            self._reported = self._desk.t
        if states:
            self._rounds = 0

    def _suspect(self, ledger: Ledger) -> None:
        level = LEVELS[ledger.level]
        if not ledger.kind.rule or level not in ("alert", "critical"):
            return
        often = ledger.c * (CRITICAL if level == "critical" else 1)
        required = {"on_fair_equipment": f"at most one such alarm in {often:,.0f} {ledger.kind.unit}"}
        self._desk.out.append(
            suspicion(self._desk.game, ledger.kind.rule, level, ledger.finding(), required, (self._desk.seq,))
        )
