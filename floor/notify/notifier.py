"""Reads the record of cases, stores notices for each receiver, escalates what nobody took. One instance at a time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from datetime import UTC, datetime

from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.cases.case import Case
from pitwatch.floor.cases.change import Change
from pitwatch.floor.cases.identity import ARCHIVE
from pitwatch.floor.cases.refusal import RefusedChangeError
from pitwatch.floor.cases.store import CaseStore
from pitwatch.floor.notify.choosing import group_of, is_overdue, notice_of, wanted
from pitwatch.floor.notify.config import NotifySection, Receiver
from pitwatch.floor.notify.outbox import Outbox
from pitwatch.floor.notify.sending import Sender
from pitwatch.floor.pace.config import PaceSection

EVERY = 1.0
"""Seconds."""
ESCALATE_EVERY = 3.0
"""Seconds between two looks at all open cases."""
LEASE = "notify"
AGAIN_AFTER = (0.5, 10.0)
"""Seconds between attempts to reach a database that is away: the first wait, and the longest."""

log = logging.getLogger("pitwatch.notify")


class Notifier:
    """`run` until cancelled. `holder`: the name of this instance, the same after a restart."""

    def __init__(self, store: Store, section: NotifySection, house: PaceSection, holder: str):
        self._store = store
        self._section = section
        self._house = house
        self._cases = CaseStore(store)
        self._outboxes = {to.name: Outbox(store, to.name) for to in section.to}
        self._since: dict[str, int] = {}
        self._at: dict[str, int] = {}
        self._holder = holder
        self._escalated: set[str] = set()
        self._escalate_at = 0.0

    async def run(self) -> None:
        """While the database is away nothing is lost: what was not stored is read again."""
        wait, told = AGAIN_AFTER[0], ""
        while True:
            try:
                await self._store.open()
                wait, told = AGAIN_AFTER[0], ""
                await self._work()
            except StoreError as error:
                if str(error) != told:
                    told = str(error)
                    log.warning("%s; trying again", told)
            finally:
                with contextlib.suppress(StoreError):
                    await self._store.close()
            await asyncio.sleep(wait)
            wait = min(wait * 2, AGAIN_AFTER[1])

    async def begin(self) -> None:
        """Where each receiver stands; a new one hears of what comes from now on. Raises StoreError."""
        newest = await self._cases.newest()
        for name, outbox in self._outboxes.items():
            self._since[name], self._at[name] = await outbox.cursor(newest)

    async def look(self) -> None:
        """Store what is to be sent. Raises StoreError."""
        await self._escalate()
        known: dict[int, Case | None] = {}
        for to in self._section.to:
            for change in await self._cases.changes_since(self._at[to.name]):
                if change.case not in known:
                    known[change.case] = await self._cases.case(change.case)
                await self._take(to, change, known[change.case])
            await self._outboxes[to.name].sum_up(time.time(), 60 * to.cool_down_minutes)

    async def _take(self, to: Receiver, change: Change, case: Case | None) -> None:
        outbox = self._outboxes[to.name]
        reason = wanted(change, case, to, self._section, self._house) if case is not None else ""
        if case is not None and reason:
            notice = notice_of(change, case, reason, to, self._section)
            topic = group_of(case, reason)
            await outbox.put(notice, topic, change.number, time.time(), 60 * to.cool_down_minutes)
        else:
            await outbox.skip(change.number)
        self._at[to.name] = change.number

    async def _escalate(self) -> None:
        late = [to for to in self._section.to if to.after_minutes]
        if not late or time.monotonic() < self._escalate_at:
            return
        self._escalate_at = time.monotonic() + ESCALATE_EVERY
        now = datetime.now(UTC)
        for case in await self._cases.open_cases():
            for to in late:
                source = f"escalate {case.case} {to.name}"
                if source in self._escalated or case.opened <= self._since[to.name]:
                    continue
                if is_overdue(case, to, self._section, self._house, now):
                    text = f"nobody took it within {to.after_minutes:g} minutes; {to.name} is notified"
                    change = Change(kind="escalate", case=case.case, item=to.name, text=text, source=source)
                    with contextlib.suppress(RefusedChangeError):  # somebody closed it at this moment
                        await self._cases.append(change, ARCHIVE)
                    self._escalated.add(source)

    async def _work(self) -> None:
        """Raises StoreError."""
        await self._wait_for_turn()
        await self.begin()
        log.info("notifying %s", ", ".join(self._outboxes))
        senders = [Sender(self._outboxes[to.name], to, self._section) for to in self._section.to]
        work = [asyncio.create_task(each.run()) for each in senders]
        work.append(asyncio.create_task(self._looking()))
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)

    async def _looking(self) -> None:
        """Until another instance has the lease. Raises StoreError."""
        while await leased(self._store, LEASE, self._holder):
            await self.look()
            await asyncio.sleep(EVERY)
        log.warning("another instance notifies now")

    async def _wait_for_turn(self) -> None:
        while not await leased(self._store, LEASE, self._holder):  # noqa: ASYNC110  it is in the database
            await asyncio.sleep(EVERY)
