"""What the archive does for cases beside storing: cases of troubles, and signatures, by one instance at a time."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

from pitwatch.daemon.journal.signing import SigningError
from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.cases.change import MOST_LINE, Change, EventRef
from pitwatch.floor.cases.config import CasesSection
from pitwatch.floor.cases.heads import HeadSigner, RewrittenError
from pitwatch.floor.cases.identity import ARCHIVE
from pitwatch.floor.cases.refusal import RefusedChangeError
from pitwatch.floor.cases.store import CaseStore
from pitwatch.rules.text.one_line import one_line

EVERY = 1.0
"""Seconds."""
LEASE = "cases"
TROUBLES = "SELECT site, table_id, kind, subject, at, over_at, told FROM troubles ORDER BY at, site, table_id, kind"

log = logging.getLogger("pitwatch.archive")


class Keeper:
    """`holder`: the name of this instance."""

    def __init__(self, store: Store, section: CasesSection, holder: str):
        self._store = store
        self._cases = CaseStore(store)
        self._holder = holder
        self._signer = HeadSigner(store, section.name, Path(section.key)) if section.key else None
        self._entered: set[str] = set()
        self._told = ""

    async def run(self) -> None:
        """Until cancelled. Raises StoreError."""
        while True:
            await asyncio.sleep(EVERY)
            if await leased(self._store, LEASE, self._holder):
                await self.keep()

    async def keep(self) -> None:
        """Once. Raises StoreError."""
        try:
            await self._troubles()
            if self._signer is not None:
                await self._signer.sign()
            self._told = ""
        except RewrittenError as error:
            self._say(logging.CRITICAL, f"the cases in the database were rewritten: {error}; nothing more is signed")
        except (SigningError, RefusedError, RefusedChangeError) as error:
            self._say(logging.WARNING, f"cases: {error}; trying again")

    async def _troubles(self) -> None:
        for row in await self._store.ask(TROUBLES):
            subject = f"{row['site']}/{row['table_id']} trouble {row['kind']} {row['subject']}"
            for what, at in (("raised", row["at"]), ("ended", row["over_at"])):
                source = f"{subject} {what} {at}"
                if at is not None and source not in self._entered:
                    await self._enter(row, subject, what, source)
                    self._entered.add(source)

    async def _enter(self, row: dict[str, Any], subject: str, what: str, source: str) -> None:
        about = EventRef(
            what=what,
            at=row["at"] if what == "raised" else row["over_at"],
            name=row["kind"],
            text=one_line(row["told"], 500),
        )
        for case in await self._cases.of_subject(subject, 1):
            if case.is_open or what == "ended":
                if about not in case.events:
                    await self._cases.append(Change(kind="event", case=case.case, event=about, source=source), ARCHIVE)
                return
        if what == "ended":
            return
        title = one_line(f"{row['kind'].replace('_', ' ')}: {row['told']}", MOST_LINE)
        opening = Change(
            kind="open",
            case_kind="trouble",
            severity="critical",
            table=f"{row['site']}/{row['table_id']}",
            title=title,
            event=about,
            subject=subject,
            source=source,
        )
        await self._cases.append(opening, ARCHIVE)

    def _say(self, level: int, what: str) -> None:
        if what != self._told:
            self._told = what
            log.log(level, "%s", what)
