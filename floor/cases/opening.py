"""The archive opens cases itself while it stores: for irregularities, alerts, jackpots; and joins what belongs to them.

What causes an entry is named in it as its source, so that a record that comes again, to this instance or to another,
enters nothing twice. An entry is stored before its record is settled with the broker: a record whose entry is missing
comes again.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from pitwatch.floor.archive.row import COLUMNS, Row
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.cases import reading
from pitwatch.floor.cases.case import Case
from pitwatch.floor.cases.change import Change, EventRef
from pitwatch.floor.cases.identity import ARCHIVE, Identity
from pitwatch.floor.cases.refusal import RefusedChangeError
from pitwatch.floor.cases.store import CaseStore

KINDS = ("irregularity", "alert", "request", "round", "observation", "status")

KNOWN = 20_000
"""Sources that are remembered: alerts are published again every 30 s."""

JACKPOT_S = 600.0
"""Seconds within which a meter's report and the irregularity of a hand are one jackpot."""

LATER = f"""
    SELECT {", ".join(COLUMNS)} FROM events WHERE (site, table_id) = (:site, :table_id) AND sequence > :sequence
    AND (kind = 'request' OR (kind = 'round' AND void IS NOT NULL AND boot = :boot)
        OR (kind = 'alert' AND name = :name))
    ORDER BY sequence LIMIT 500
"""
"""What may belong to a record that came late, and is there already."""

OF_SEQUENCE = """
    SELECT id, at, synced FROM events WHERE (site, table_id) = (:site, :table_id) AND sequence = :sequence
    AND kind IN ('irregularity', 'alert', 'observation') ORDER BY at DESC
"""

log = logging.getLogger("pitwatch.archive")


class Opening:
    """`checklist` of a jackpot that is opened."""

    def __init__(self, store: Store, checklist: Sequence[str]):
        self._store = store
        self._cases = CaseStore(store)
        self._checklist = tuple(checklist)
        self._known: OrderedDict[str, None] = OrderedDict()

    async def take(self, rows: Iterable[Row]) -> None:
        """Rows that are stored, new or not. Raises StoreError."""
        for row in sorted(rows, key=lambda row: (row.site, row.table_id, row.sequence or 0)):
            if row.kind not in KINDS or (row.sequence is None and row.kind != "status"):
                continue
            if (row.kind == "observation" and row.name != "jackpot") or (row.kind == "round" and row.void is None):
                continue
            source = _source(row)
            if source in self._known and row.kind != "status":  # a table that is back sends its last status again
                continue
            try:
                await self._take(row)
            except (RefusedChangeError, RefusedError) as error:  # stands in no other record's way
                log.warning("%s/%s: record %s is not entered in a case: %s", row.site, row.table_id, row.id, error)
            self._known[source] = None
            if len(self._known) > KNOWN:
                self._known.popitem(last=False)

    async def _take(self, row: Row) -> None:
        match row.kind:
            case "irregularity":
                found = reading.irregular(row)
                about = reading.about_irregularity(row, found)
                if found.is_jackpot:
                    await self._jackpot(row, about, reading.title_of(row, found), row.severity or found.severity)
                else:
                    title, subject = reading.title_of(row, found), _round(row, found.round)
                    opening = Change(kind="open", case_kind="irregularity", title=title, subject=subject, event=about)
                    await self._open(row, opening, row.severity or found.severity)
            case "alert":
                await self._alert(row)
            case "observation":
                about = reading.about_jackpot(row)
                told = f"The meter reports a jackpot{f': {about.name}' if about.name else ''}"
                await self._jackpot(row, about, told, "alert")
            case "request":
                await self._acknowledge(row)
            case "status":
                await self._status(row)
            case _:
                about = reading.about_void(row)
                for case in await self._cases.of_subject(_round(row, about.round)):
                    await self._join(row, case, about)

    async def _open(self, row: Row, change: Change, severity: str) -> None:
        table, source = f"{row.site}/{row.table_id}", _source(row)
        if await self._cases.of_source(source) is not None:
            return
        change = msgspec.structs.replace(change, table=table, severity=severity, source=source)
        await self._cases.append(change, ARCHIVE)
        if row.sequence is None:
            return
        values = {"site": row.site, "table_id": row.table_id, "sequence": row.sequence, "boot": row.boot}
        for later in await self._store.ask(LATER, **values, name=row.name if row.kind == "alert" else None):
            await self._take(_row(later))

    async def _alert(self, row: Row) -> None:
        about, subject = reading.about_alert(row), f"{row.site}/{row.table_id} alert {row.name}"
        for case in await self._cases.of_subject(subject, 1):
            # A case that was closed before this happened is over; what comes late belongs to it.
            late = any(each.boot == about.boot and each.sequence > about.sequence for each in case.events)
            if case.is_open or not row.raised or late:
                if all(each.id != row.id for each in case.events):
                    await self._join(row, case, about)
                return
        if row.raised:
            title = reading.alert_title(row)
            opening = Change(kind="open", case_kind="alert", title=title, subject=subject, event=about)
            await self._open(row, opening, reading.ALERT_SEVERITY)

    async def _status(self, row: Row) -> None:
        """A table that is lost sends no alert, and the broker says so in its name."""
        about, subject = reading.about_status(row), f"{row.site}/{row.table_id} lost"
        for case in await self._cases.of_subject(subject, 1):
            stands = case.ended_at is None
            if about.what == "ended" and stands:
                source = f"{_source(row)} after {case.events[-1].id}"
                change = Change(kind="event", case=case.case, event=about, source=source)
                await self._cases.append(change, ARCHIVE)
            elif about.what == "raised" and case.is_open:
                await self._join(row, case, about)
            if about.what == "ended" or case.is_open:
                return
        if about.what == "raised":
            opening = Change(kind="open", case_kind="alert", title=reading.LOST_TITLE, subject=subject, event=about)
            await self._open(row, opening, "critical")

    async def _jackpot(self, row: Row, about: EventRef, title: str, severity: str) -> None:
        subject = f"{row.site}/{row.table_id} jackpot"
        if await self._cases.of_source(_source(row)) is not None:
            return
        for case in reversed(await self._cases.of_subject(subject)):
            if case.is_open and _is_same(case.events, about):
                await self._join(row, case, about)
                return
        opening = Change(
            kind="open", case_kind="jackpot", title=title, subject=subject, event=about, checklist=self._checklist
        )
        await self._open(row, opening, severity)

    async def _acknowledge(self, row: Row) -> None:
        """An acknowledgement at the table is an entry of its case, by the client that the broker knows."""
        said = reading.acknowledged(row)
        if said is None:
            return
        of = {"site": row.site, "table_id": row.table_id, "sequence": said.sequence}
        for event in await self._store.ask(OF_SEQUENCE, **of):
            dated = row.synced and event["synced"]
            if said.sequence >= (row.sequence or 0) or (dated and datetime.fromisoformat(event["at"]) > row.at):
                continue  # another board's number
            entry = await self._cases.of_source(f"{row.site}/{row.table_id} {event['id']}")
            case = await self._cases.case(entry.case) if entry is not None else None
            if case is not None and case.is_open:
                try:
                    by = Identity(said.client, "certificate")
                except ValueError:
                    return
                await self._cases.append(Change(kind="see", case=case.case, text=said.text, source=_source(row)), by)
            return

    async def _join(self, row: Row, case: Case, about: EventRef) -> None:
        source = _source(row) if about.what != "void" else f"{_source(row)} {case.case}"
        await self._cases.append(Change(kind="event", case=case.case, event=about, source=source), ARCHIVE)


def _is_same(events: Sequence[EventRef], about: EventRef) -> bool:
    """Whether this is the other report of the jackpot that these tell of: the meter's, or that of the hand."""
    if any(each.what == about.what for each in events):
        return False
    seats = {each.seat for each in (*events, about) if each.seat}
    at = datetime.fromisoformat(about.at)
    near = any(abs((datetime.fromisoformat(each.at) - at).total_seconds()) <= JACKPOT_S for each in events)
    return near and len(seats) <= 1


def _source(row: Row) -> str:
    return f"{row.site}/{row.table_id} {row.id}"


def _round(row: Row, number: int | None) -> str:
    return f"{row.site}/{row.table_id} round {row.boot} {number if number is not None else 'none'}"


def _row(values: dict[str, Any]) -> Row:
    """A stored event as the row that it was."""
    fields = {name: values[name] for name in COLUMNS} | {"at": datetime.fromisoformat(values["at"])}
    return Row(**fields)
