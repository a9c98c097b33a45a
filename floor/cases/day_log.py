"""The surveillance log of one gaming day, as plain values: every entry in order, and what was open at its end."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases.case import Case, folded
from pitwatch.floor.cases.change import Change
from pitwatch.floor.cases.store import CaseStore
from pitwatch.floor.cases.wording import told
from pitwatch.floor.pace.config import PaceSection

HEAD = "SELECT size, note FROM case_heads WHERE size >= :size ORDER BY size LIMIT 1"
"""The first that covers the day."""

Log = dict[str, Any]


def gaming_day(day: date, begins: str, house: PaceSection) -> tuple[datetime, datetime]:
    """When it begins and ends, UTC. `begins`: local time, HH:MM. With a change of the clock it has 23 or 25 hours."""
    zone = ZoneInfo(house.zone) if house.zone else None
    at = time.fromisoformat(begins)
    days = (day, day + timedelta(days=1))
    begin, end = (datetime.combine(each, at, zone).astimezone(UTC) for each in days)
    return begin, end


def day_of(at: datetime, begins: str, house: PaceSection) -> date:
    """The gaming day of a moment."""
    here = house.local(at)
    return here.date() if here.strftime("%H:%M") >= begins else here.date() - timedelta(days=1)


async def day_log(store: Store, day: date, begins: str, house: PaceSection, table: str | None = None) -> Log:
    """`table`: only this one (SITE/TABLE). Raises StoreError."""
    cases = CaseStore(store)
    begin, end = gaming_day(day, begins, house)
    changes = await cases.changes_between(begin, end)
    known: dict[int, list[Change]] = {}
    for number in dict.fromkeys(change.case for change in changes):
        known[number] = await cases.entries(number)
    now = {number: folded(entries) for number, entries in known.items()}
    mine = [change for change in changes if table in (None, now[change.case].table)]

    def local(at: str) -> str:
        return house.local(datetime.fromisoformat(at)).isoformat(timespec="seconds")

    still = [case for case in await _open_at(cases, end) if table in (None, case.table)]
    last = changes[-1].number if changes else 0
    head = await store.ask(HEAD, size=last) if last else []
    return {
        "day": day.isoformat(),
        "begin": local(iso(begin)),
        "end": local(iso(end)),
        "made": local(iso(datetime.now(UTC))),
        "table": table,
        "opened": sum(change.kind == "open" for change in mine),
        "closed": sum(change.kind == "close" for change in mine),
        "entries": [_entry(change, now[change.case], local) for change in mine],
        "open": [_open(case, local) for case in still],
        "last_entry": last,
        "head": head[0]["note"] if head else None,
    }


async def _open_at(cases: CaseStore, end: datetime) -> list[Case]:
    """Cases that were open then, as they stood."""
    candidates = {case.case for case in await cases.open_cases()}
    candidates |= {change.case for change in await cases.changes_between(end, datetime(9999, 1, 1, tzinfo=UTC))}
    found, limit = [], iso(end)
    for number in sorted(candidates):
        entries = [change for change in await cases.entries(number) if change.at < limit]
        if any(change.kind == "open" and change.case == number for change in entries):
            case = folded(entries)
            if case.is_open:
                found.append(case)
    return found


def _entry(change: Change, case: Case, local: Any) -> dict[str, Any]:
    corrections = [
        {"entry": each.number, "at": local(each.at), "by": str(each.by), "text": each.text}
        for remark in (*case.remarks, *(item.done for item in case.checklist if item.done))
        if remark.number == change.number
        for each in remark.corrections
    ]
    return {
        "entry": change.number,
        "at": local(change.at),
        "case": case.case,
        "kind": case.kind,
        "severity": case.severity,
        "table": case.table,
        "title": case.title,
        "by": change.by.name,
        "by_kind": change.by.kind,
        "what": told(change),
        "happened": local(change.event.at) if change.event is not None else None,
        "corrections": corrections,
    }


def _open(case: Case, local: Any) -> dict[str, Any]:
    return {
        "case": case.case,
        "opened": local(case.opened_at),
        "kind": case.kind,
        "severity": case.severity,
        "table": case.table,
        "title": case.title,
        "state": case.state,
        "by": str(case.holder) if case.holder else None,
        "open_items": list(case.open_items),
    }


def plain(case: Case) -> dict[str, Any]:
    """A case as JSON has it."""
    shown: dict[str, Any] = msgspec.to_builtins(case)
    return shown | {"ended_at": case.ended_at, "open_items": list(case.open_items)}
