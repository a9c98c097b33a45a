"""Puts out what monitors that count by themselves have to say: statistic, suspicion, state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.ledger import ALERT, CRITICAL, LEVELS
from pitwatch.rules.fairness.suspicions import DRIFT, suspicion
from pitwatch.rules.records import Severity, Statistic, StatisticState


class Speaking(Protocol):
    """A monitor with something to say; see `levelled.Levelled`."""

    rule: str
    c: float
    level: int
    changed: bool
    rose: bool

    def report(self) -> Statistic: ...
    def kept(self, equipment: str) -> StatisticState: ...
    def finding(self) -> dict[str, Any]: ...
    def begin_again(self) -> None: ...


def put_out(desk: Desk, monitors: Iterable[Speaking], equipment: str, unit: str) -> None:
    """Of each monitor that has changed. `unit`: what it counts, in the plural."""
    for monitor in monitors:
        if monitor.changed:
            desk.out.append(monitor.report())
        if monitor.rose and monitor.level >= LEVELS.index("alert"):
            _suspect(desk, monitor, unit)
        if monitor.changed:
            desk.out.append(monitor.kept(equipment))
        monitor.changed = monitor.rose = False


def _suspect(desk: Desk, monitor: Speaking, unit: str) -> None:
    level = LEVELS[monitor.level]
    often = monitor.c * (CRITICAL if level == "critical" else ALERT)
    required = {"on_fair_equipment": f"at most one such alarm in {often:,.0f} {unit}"}
    drifts = monitor.rule == DRIFT
    severity: Severity = "notice" if drifts else "critical" if level == "critical" else "alert"
    desk.out.append(suspicion(desk.game, monitor.rule, severity, monitor.finding(), required, (desk.seq,)))
    if drifts:  # a technician was notified; if nothing is done, it comes again
        monitor.begin_again()
