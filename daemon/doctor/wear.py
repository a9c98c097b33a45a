"""Devices that get slower or read worse, for the technician: what the monitors of the table's journal say of them.

A machine is reported (`pace-drift`) before it fails. Whether it was repaired since, only its work since then shows.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.rules.fairness.suspicions import DRIFT, RULES
from pitwatch.rules.records import Statistic

DAYS = 14
"""A notice that is older says nothing of today."""


class _Kind(NamedTuple):
    """A monitor of wear: what it counts, and how many of them without another notice show that all is well."""

    unit: str
    enough: int
    well: str


KINDS = {
    "cycle": _Kind("shuffles", 200, "no slower than at first"),
    "unread": _Kind("shoes", 20, "unread cards are no more than usual"),
}


class _Notice(msgspec.Struct):
    rule: str
    observed: dict[str, Any]


def findings(journal: Path) -> Iterator[Finding]:
    """One of each monitor of wear that has counted; nothing without a journal that can be read."""
    try:
        store = Store(journal, read_only=True)
    except (StoreError, OSError):  # doctor has reported it
        return
    try:
        worn = {name: found for name, found in _statistics(store) if found.monitor in KINDS and found.n}
        # A notice begins a new epoch. Where there was none, the journal need not be read from end to end.
        notices = _notices(store) if any(found.epoch > 1 for found in worn.values()) else {}
    except sqlite3.Error:
        return
    finally:
        store.close()
    for name, found in worn.items():
        yield _finding(found, KINDS[found.monitor], notices.get(name))


def _statistics(store: Store) -> Iterator[tuple[str, Statistic]]:
    """The newest of each monitor, by its name."""
    for record in store.retained():
        if record.kind == "statistic":
            with contextlib.suppress(msgspec.DecodeError):
                yield record.subtopic.rpartition("/")[2], msgspec.json.decode(record.body, type=Statistic)


def _notices(store: Store) -> dict[str, str]:
    """What the newest notice of each monitor found, by the monitor's name."""
    since = time.time_ns() - DAYS * 86_400 * 1_000_000_000
    found = {}
    for record in store.of_kind("irregularity"):
        if record.wall_ns < since:
            continue
        with contextlib.suppress(msgspec.DecodeError):
            told = msgspec.json.decode(record.body, type=_Notice)
            if told.rule.rpartition("/")[2] == DRIFT:
                found[str(told.observed.get("statistic"))] = str(told.observed.get("finding"))
    return found


def _finding(statistic: Statistic, kind: _Kind, notice: str | None) -> Finding:
    what = f"wear of {statistic.key or 'the shoe'}"
    if notice is not None and (statistic.n < kind.enough or statistic.level != "record"):
        return Finding(what, False, f"{notice}; {statistic.n:,} {kind.unit} since", RULES[DRIFT].instruction)
    if statistic.level != "record":
        return Finding(what, True, f"{statistic.n:,} {kind.unit}; first signs of wear, no notice yet")
    return Finding(what, True, f"{statistic.n:,} {kind.unit}, {kind.well}")
