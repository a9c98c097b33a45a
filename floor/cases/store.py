"""The record of cases in the archive's database, SQLite or PostgreSQL.

Entries are appended one after another: an entry takes the number after the newest one, and whoever comes second finds
it taken and looks again. So what was checked before is still true when it is stored, without any lock.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Change as Statement
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.cases.case import Case, folded
from pitwatch.floor.cases.change import START, Change, decoded, encoded, fault, link
from pitwatch.floor.cases.identity import Identity
from pitwatch.floor.cases.refusal import RefusedChangeError, check

MOST_ATTEMPTS = 1_000
"""Times that an entry may find its number taken. Others were stored each time."""

LAST = "SELECT number, hash FROM case_changes ORDER BY number DESC LIMIT 1"
OF_CASE = """
    SELECT number, body FROM case_changes WHERE case_id = :case_id
    UNION SELECT number, body FROM case_changes WHERE other = :case_id ORDER BY number
"""
OF_OPEN = """
    SELECT case_changes.number, case_changes.body, cases.case_id AS of_case
    FROM cases JOIN case_changes ON case_changes.case_id = cases.case_id WHERE cases.state <> 'closed'
"""
LINKS_OF_OPEN = """
    SELECT case_changes.number, case_changes.body, cases.case_id AS of_case
    FROM cases JOIN case_changes ON case_changes.other = cases.case_id WHERE cases.state <> 'closed'
"""
SINCE = "SELECT number, body FROM case_changes WHERE number > :after ORDER BY number LIMIT :most"
BETWEEN = "SELECT number, body FROM case_changes WHERE at >= :begin AND at < :end ORDER BY number"
BY_SOURCE = "SELECT number, body FROM case_changes WHERE source = :source"
BY_SUBJECT = "SELECT case_id, state FROM cases WHERE subject = :subject ORDER BY case_id DESC LIMIT :most"
NEWEST_CASE = "SELECT max(case_id) AS newest FROM cases"
PUT = """
    INSERT INTO case_changes VALUES (:number, :case_id, :at, :other, :source, :body, :hash) ON CONFLICT DO NOTHING
"""
PUT_CASE = """
    INSERT INTO cases VALUES (:case_id, :site, :table_id, :subject, :state, :newest)
    ON CONFLICT (case_id) DO UPDATE SET state = excluded.state, newest = excluded.newest
"""


class CaseStore:
    """On an archive's store that is open. Every method raises StoreError."""

    def __init__(self, store: Store):
        self._store = store

    async def open_cases(self) -> list[Case]:
        """All that are not closed, by number."""
        entries: dict[int, dict[int, Change]] = {}
        for sql in (OF_OPEN, LINKS_OF_OPEN):
            for row in await self._store.ask(sql):
                change = _read(row)
                entries.setdefault(row["of_case"], {})[change.number] = change
        return [folded(each.values()) for _, each in sorted(entries.items())]

    async def all_cases(self) -> list[Case]:
        """Closed ones too, by number. Reads the whole record."""
        entries: dict[int, dict[int, Change]] = {}
        number = 0
        while page := await self.changes_since(number, 5_000):
            for change in page:
                for of in (change.case, change.other):
                    if of:
                        entries.setdefault(of, {})[change.number] = change
            number = page[-1].number
        return [folded(each.values()) for _, each in sorted(entries.items())]

    async def case(self, case: int) -> Case | None:
        """None if there is no such case."""
        entries = await self.entries(case)
        return folded(entries) if entries else None

    async def entries(self, case: int) -> list[Change]:
        """All entries of a case, and those of others that link to it, by number."""
        return [_read(row) for row in await self._store.ask(OF_CASE, case_id=case)]

    async def changes_since(self, number: int, most: int = 1_000) -> list[Change]:
        """Entries of all cases after this one, the oldest first: what a view polls."""
        return [_read(row) for row in await self._store.ask(SINCE, after=number, most=most)]

    async def changes_between(self, begin: datetime, end: datetime) -> list[Change]:
        """Entries of a period, without its end, in order."""
        rows = await self._store.ask(BETWEEN, begin=iso(begin), end=iso(end))
        return [_read(row) for row in rows]

    async def newest(self) -> int:
        """Number of the newest entry; 0 if there is none."""
        return (await self._last())[0]

    async def of_subject(self, subject: str, most: int = 10) -> list[Case]:
        """The newest cases of one matter, the newest first."""
        rows = await self._store.ask(BY_SUBJECT, subject=subject, most=most)
        return [folded(await self.entries(row["case_id"])) for row in rows]

    async def of_source(self, source: str) -> Change | None:
        """The entry that this source has caused."""
        for row in await self._store.ask(BY_SOURCE, source=source):
            return _read(row)
        return None

    async def append(self, change: Change, by: Identity) -> Change:
        """Store a change as the newest entry, safe on disk; returns it with number, time and author. If its source has
        caused an entry already, returns that one. Raises RefusedChangeError, and ConflictError where somebody else
        changed the case meanwhile."""
        wrong = fault(msgspec.structs.replace(change, by=by))
        if wrong is not None:
            raise RefusedChangeError(wrong)
        for attempt in range(MOST_ATTEMPTS):
            if change.source and (there := await self.of_source(change.source)) is not None:
                return there
            number, before = await self._last()
            made = msgspec.structs.replace(change, number=number + 1, at=iso(datetime.now(UTC)), by=by)
            if made.kind == "open":
                made = msgspec.structs.replace(made, case=await self._next_case())
                case = folded([made])
            else:
                entries = await self.entries(made.case)
                if not entries:
                    raise RefusedChangeError(f"there is no case {made.case}")
                if made.kind == "link" and made.other != made.case and not await self.entries(made.other):
                    raise RefusedChangeError(f"there is no case {made.other}")
                case = check(entries, made)
            if await self._store.change_all(_statements(made, before, case)):
                return made
            await asyncio.sleep(random.uniform(0, 0.002) * min(attempt, 20))
        raise StoreError(f"{MOST_ATTEMPTS} others were stored before this entry of case {change.case}; try again")

    async def _last(self) -> tuple[int, bytes]:
        for row in await self._store.ask(LAST):
            return int(row["number"]), bytes.fromhex(row["hash"])
        return 0, START

    async def _next_case(self) -> int:
        (row,) = await self._store.ask(NEWEST_CASE)
        return int(row["newest"] or 0) + 1


def _statements(change: Change, before: bytes, case: Case) -> Sequence[Statement]:
    body = encoded(change)
    entry: dict[str, Any] = {"number": change.number, "case_id": change.case, "at": change.at}
    entry |= {
        "other": change.other or None,
        "source": change.source or None,
        "body": body,
        "hash": link(before, body).hex(),
    }
    return (PUT, entry), (PUT_CASE, projected(case))


def projected(case: Case) -> dict[str, Any]:
    """The row of a case in `cases`."""
    site, _, table_id = case.table.partition("/")
    found: dict[str, Any] = {"case_id": case.case, "site": site, "table_id": table_id, "subject": case.subject}
    return found | {"state": case.state, "newest": case.newest}


def _read(row: dict[str, Any]) -> Change:
    """Raises StoreError for what was altered so that it cannot be read."""
    try:
        return decoded(row["body"])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"entry {row['number']} of the cases was altered: {error}; run pitwatch cases verify, keep the database"
        ) from None
