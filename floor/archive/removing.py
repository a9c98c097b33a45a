"""Removes from the archive what the house's rules no longer keep, once a day, and notes what was removed.

Never removed: what an irregularity that is kept cites, what a hold covers that stands, the events of open cases, the
newest word of each device, alert and monitor, and whatever follows a gap that a table may still fill. A board's clock
does not make its records old: they are if no record before them is younger, and not while their time is yet unknown.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pitwatch.floor.archive import gaps
from pitwatch.floor.archive.holds import holds
from pitwatch.floor.archive.keep import ALWAYS, Rule
from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Change, RefusedError, Store
from pitwatch.floor.cases.store import CaseStore

BEGIN_AFTER = 600.0
EVERY = 86_400.0
"""Seconds from the start to the first pass, and between passes."""
PAGE = 5_000
"""Events that are removed in one transaction, while others wait."""
LEASE = "keep"

SORTS = "SELECT sort_ref, name, device FROM event_sorts WHERE kind = :kind ORDER BY sort_ref"
OLD = f"""
    SELECT r.table_ref, r.boot_ref, r.sequence, r.at FROM event_rows AS r
    WHERE r.sort_ref = :sort_ref AND r.at < :before AND r.at >= :at AND r.sequence IS NOT NULL
    AND (r.at, r.table_ref, r.boot_ref, r.sequence) > (:at, :table_ref, :boot_ref, :sequence)
    AND (r.synced OR r.time <> '') AND NOT EXISTS (
        SELECT 1 FROM event_citations AS c WHERE c.table_ref = r.table_ref AND c.sequence = r.sequence)
    MONTHS ORDER BY r.at, r.table_ref, r.boot_ref, r.sequence LIMIT {PAGE}
"""
NOTE = """
    INSERT INTO removed VALUES (:table_ref, :boot_ref, :kind, :first, :last, :records, :began, :ended, :at, :rule)
    ON CONFLICT (table_ref, boot_ref, kind, at) DO UPDATE SET
        first = CASE WHEN excluded.first < removed.first THEN excluded.first ELSE removed.first END,
        last = CASE WHEN excluded.last > removed.last THEN excluded.last ELSE removed.last END,
        records = removed.records + excluded.records,
        began = CASE WHEN excluded.began < removed.began THEN excluded.began ELSE removed.began END,
        ended = CASE WHEN excluded.ended > removed.ended THEN excluded.ended ELSE removed.ended END
"""
TABLES = """
    SELECT t.table_ref, t.site, t.table_id, w.up_to FROM event_tables AS t
    JOIN whole AS w ON (w.site, w.table_id) = (t.site, t.table_id)
"""
YOUNG = """
    SELECT r.sequence FROM event_rows AS r WHERE r.table_ref = :table_ref AND r.at >= :before AND r.at < :tomorrow
    AND r.sequence IS NOT NULL ORDER BY r.sequence LIMIT 1
"""
"""A record after this one is not older, whatever its board's clock says; what comes from the future tells nothing."""
NEWEST = """
    SELECT table_ref, max(sequence) AS sequence FROM events WHERE kind = :kind AND sequence IS NOT NULL
    GROUP BY table_ref, coalesce(name, ''), coalesce(device, '')
"""
NEWEST_DEVICE = NEWEST.replace("coalesce(name, ''), ", "")
UNCITED = """
    DELETE FROM event_citations WHERE NOT EXISTS (
        SELECT 1 FROM event_rows AS r WHERE r.table_ref = event_citations.table_ref
        AND r.sequence = event_citations.cited_by)
"""
AFTER_GAP = """
    SELECT min(at) AS at FROM events WHERE site = :site AND table_id = :table_id AND sequence = :sequence
"""
GIVE_UP = """
    INSERT INTO given_up VALUES (:site, :table_id, :first, :last, :reason)
    ON CONFLICT (site, table_id, first) DO UPDATE SET last = excluded.last, reason = excluded.reason
"""
TOO_OLD = "older than [archive] keep keeps records: not requested any more"

log = logging.getLogger("pitwatch.archive")


class Spared(NamedTuple):
    """What stays of each table, whatever its age: by kind, numbers from `up_to` on and the `newest`; and those between
    the ends of `held`."""

    up_to: dict[str, dict[int, int]]
    held: dict[int, list[tuple[int, int]]]
    newest: dict[str, dict[int, set[int]]]

    def has(self, kind: str, table: int, sequence: int) -> bool:
        return (
            sequence >= self.up_to[kind].get(table, 0)
            or any(first <= sequence <= last for first, last in self.held.get(table, ()))
            or sequence in self.newest.get(kind, {}).get(table, ())
        )


class Remover:
    """`holder`: the name of this instance; one at a time does it. `by_month`: of months that partitions hold, None for
    a database without."""

    def __init__(self, store: Store, rules: Sequence[Rule], holder: str):
        self._store = store
        self._rules = rules
        self._holder = holder

    async def run(self) -> None:
        """Until cancelled. Raises StoreError."""
        await asyncio.sleep(BEGIN_AFTER)
        while True:
            try:
                await self.look(datetime.now(UTC))
            except RefusedError as error:
                log.warning("not everything that is too old could be removed: %s; trying again tomorrow", error)
            await asyncio.sleep(EVERY)

    async def look(self, now: datetime) -> int:
        """One pass; how many events it removed."""
        if not self._rules or not await leased(self._store, LEASE, self._holder):
            return 0
        await self._give_up_gaps(now)
        spared = await self._spared(now)
        count = await self._store.remove_months(self._rules, spared, now)
        for rule in self._rules:
            for sort in await self._store.ask(SORTS, kind=rule.kind):
                if sort["name"] not in ALWAYS or rule.kind != "observation":
                    count += await self._remove(rule, sort["sort_ref"], spared, now)
            if rule.kind == "irregularity":
                await self._store.change(UNCITED)  # what they cited may go now, by its own rule
        if count:
            log.info("%d events are older than [archive] keep, and were removed", count)
        return count

    async def _remove(self, rule: Rule, sort_ref: int, spared: Spared, now: datetime) -> int:
        sql = OLD.replace("MONTHS", self._store.unmonthly if any(r.kind == "observation" for r in self._rules) else "")
        after: dict[str, Any] = {"at": "0001-01-01T00:00:00.000000Z", "table_ref": 0, "boot_ref": 0, "sequence": 0}
        count = 0
        while page := await self._store.ask(sql, sort_ref=sort_ref, before=iso(now - rule.term), **after):
            after = dict(page[-1])
            going = [row for row in page if not spared.has(rule.kind, row["table_ref"], row["sequence"])]
            if going and await leased(self._store, LEASE, self._holder):
                await self._store.change_all(_removal(rule, going, now))
                count += len(going)
            if len(page) < PAGE:
                break
        return count

    async def _spared(self, now: datetime) -> Spared:
        refs: dict[tuple[str, str], int] = {}
        up_to: dict[str, dict[int, int]] = {rule.kind: {} for rule in self._rules}
        tomorrow = iso(now + timedelta(days=1))
        for row in await self._store.ask(TABLES):
            table = refs[row["site"], row["table_id"]] = row["table_ref"]
            for rule in self._rules:
                before = iso(now - rule.term)
                young = await self._store.ask(YOUNG, table_ref=table, before=before, tomorrow=tomorrow)
                up_to[rule.kind][table] = min([row["up_to"], *(each["sequence"] for each in young)])
        held = defaultdict(list)
        for row in await holds(self._store, Asked()):
            if row["ended"] is None and (of := refs.get((row["site"], row["table_id"]))) is not None:
                held[of].append((row["first"], row["last"]))
        for case in await CaseStore(self._store).open_cases():
            site, _, table_id = case.table.partition("/")
            if (of := refs.get((site, table_id))) is not None:
                held[of] += [(each.sequence, each.sequence) for each in case.events if each.sequence]
        newest: dict[str, dict[int, set[int]]] = {}
        for kind in {"alert", "device", "statistic", "statistic_state"} & {rule.kind for rule in self._rules}:
            newest[kind] = defaultdict(set)
            for row in await self._store.ask(NEWEST_DEVICE if kind == "device" else NEWEST, kind=kind):
                newest[kind][row["table_ref"]].add(row["sequence"])
        return Spared(up_to, held, newest)

    async def _give_up_gaps(self, now: datetime) -> None:
        """A gap before what is too old to be kept would hold up the removal for ever."""
        before = iso(now - min(rule.term for rule in self._rules))
        for gap in await gaps.gaps(self._store):
            (found,) = await self._store.ask(AFTER_GAP, site=gap.site, table_id=gap.table_id, sequence=gap.last + 1)
            if found["at"] is not None and found["at"] < before:
                log.error("%s: records %d to %d are lost: %s", gap.table, gap.first, gap.last, TOO_OLD)
                await self._store.change(GIVE_UP, **gap._asdict(), reason=TOO_OLD)
        await self._store.change(gaps.OVER_WHAT_IS_GONE)
        await self._store.change(gaps.WHOLE)


def _removal(rule: Rule, going: list[dict[str, Any]], now: datetime) -> list[Change]:
    """Statements that remove these events and note it."""
    runs = defaultdict(list)
    for row in going:
        runs[row["table_ref"], row["boot_ref"]].append(row)
    changes: list[Change] = []
    for (table, boot), rows in runs.items():
        numbers = ", ".join(str(int(row["sequence"])) for row in rows)
        changes.append(
            (
                f"DELETE FROM event_rows WHERE table_ref = :table_ref AND boot_ref = :boot_ref"
                f" AND sequence IN ({numbers})",
                {"table_ref": table, "boot_ref": boot},
            )
        )
        values = {
            "table_ref": table, "boot_ref": boot, "kind": rule.kind, "records": len(rows), "rule": rule.told,
            "first": min(row["sequence"] for row in rows), "last": max(row["sequence"] for row in rows),
            "began": min(row["at"] for row in rows), "ended": max(row["at"] for row in rows), "at": iso(now),
        }  # fmt: skip
        changes.append((NOTE, values))
    return changes
