"""Detects gaps in the sequence of each table, and requests the missing records from the tables."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import NamedTuple

from pitwatch.daemon.contract.asked import MOST_RECORDS
from pitwatch.floor.archive.lease import leased
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.asking import Asker
from pitwatch.rules.text.one_line import one_line

LOOK_EVERY = 5.0
"""Seconds. A gap is asked for when it is seen the second time: what is on its way needs no asking."""

ASK_EVERY = 6.5
"""Seconds between two requests to a table, which answers ten a minute in the long run."""

SILENT_FOR = 300.0
"""Seconds for which a table is not asked that gave no answer."""

LEASE = "replay"

log = logging.getLogger("pitwatch.archive")


class Gap(NamedTuple):
    """Records `first` to `last` of a table are not in the archive though later ones are, or should be."""

    site: str
    table_id: str
    first: int
    last: int

    @property
    def table(self) -> str:
        return f"{self.site}/{self.table_id}"


BEGINS = """
    WITH ends AS MATERIALIZED (
        SELECT site, table_id, table_ref,
            (SELECT r.sequence FROM event_rows AS r WHERE r.table_ref = event_tables.table_ref AND r.sequence > 0
                AND r.sort_ref NOT IN (SELECT sort_ref FROM event_sorts
                    WHERE kind IN ('alert', 'device', 'integrity', 'retention'))
                ORDER BY r.sequence LIMIT 1) AS lowest,
            (SELECT max(r.sequence) FROM event_rows AS r WHERE r.table_ref = event_tables.table_ref) AS highest
        FROM event_tables),
    begins AS MATERIALIZED (
        SELECT ends.site, ends.table_id, ends.table_ref, highest,
            CASE WHEN up_to > lowest THEN up_to ELSE lowest END AS since
        FROM ends LEFT JOIN whole ON (whole.site, whole.table_id) = (ends.site, ends.table_id)
        WHERE lowest IS NOT NULL)
"""
"""From where each table's records should all be there. What tables send again, or brokers retain, may be older than
this archive, so it is no beginning. With CROSS JOIN SQLite looks each table's records up from
there instead of reading all."""

FIND = f"""
    {BEGINS},
    here AS (
        SELECT DISTINCT begins.site, begins.table_id, r.sequence FROM begins CROSS JOIN event_rows AS r
        WHERE r.table_ref = begins.table_ref AND r.sequence >= begins.since),
    pairs AS (
        SELECT site, table_id, sequence,
            lag(sequence) OVER (PARTITION BY site, table_id ORDER BY sequence) AS before FROM here)
    SELECT site, table_id, before + 1 AS first, sequence - 1 AS last FROM pairs WHERE sequence > before + 1
    UNION ALL
    SELECT begins.site, begins.table_id, begins.highest + 1, latest.delivered FROM begins
        JOIN latest ON (latest.site, latest.table_id) = (begins.site, begins.table_id)
        WHERE latest.delivered > begins.highest
    ORDER BY 1, 2, 3
"""


async def gaps(store: Store, given_up: bool = False) -> list[Gap]:
    """What is missing now; with `given_up` also what no table has any more."""
    found = [Gap(**row) for row in await store.ask(FIND)]
    if given_up:
        return found
    gone = {(row["site"], row["table_id"], row["first"]): row["last"] for row in await store.ask(GONE)}
    return [gap for gap in found if gone.get(gap[:3], 0) < gap.last]


GONE = "SELECT site, table_id, first, last, reason FROM given_up ORDER BY site, table_id, first"
UNANSWERED = "SELECT site, table_id, reason FROM unanswered"


class Gapfiller:
    """Asks for what is missing, from whichever of several instances holds the lease. `holder`: its name."""

    def __init__(self, store: Store, asker: Asker, holder: str):
        self._store = store
        self._asker = asker
        self._holder = holder
        self._seen: set[Gap] = set()
        self._not_before: dict[str, float] = {}
        self._refused = ""
        self.asked = 0

    async def run(self) -> None:
        """Until cancelled. Raises StoreError."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                if await leased(self._store, LEASE, self._holder):
                    await self.look()
                else:
                    self._seen.clear()
            except RefusedError as error:  # one table's numbers, or words: storing goes on
                if str(error) != self._refused:
                    self._refused = str(error)
                    log.warning("gaps cannot all be looked for: %s; trying again", error)

    async def look(self) -> None:
        """One look; asks for what was missing at the last look already."""
        found = await gaps(self._store)
        asked: set[str] = set()
        for gap in found:
            now = time.monotonic()
            if gap in self._seen and gap.table not in asked and now >= self._not_before.get(gap.table, 0):
                asked.add(gap.table)
                self._not_before[gap.table] = now + ASK_EVERY
                await self._ask(gap)
        self._seen = set(found)
        await self._store.change(WHOLE)
        await self._store.change(OVER_WHAT_IS_GONE)

    async def _ask(self, gap: Gap) -> None:
        last = min(gap.last, gap.first + MOST_RECORDS - 1)
        self.asked += 1
        try:
            answer = await self._asker.replay(gap.table, gap.first, last)
        except (ConnectionError, TimeoutError) as error:
            self._not_before[gap.table] = time.monotonic() + SILENT_FOR
            log.warning("%s: records %d to %d are missing: %s", gap.table, gap.first, last, error)
            if isinstance(error, TimeoutError):
                await self._unanswered(gap, "no answer: the table is away or allows no replay")
            return
        if answer.ok:
            await self._answered(gap)
            log.info("%s: records %d to %d were missing; sent again", gap.table, gap.first, last)
        elif "no longer kept" in answer.reason:
            await self._answered(gap)
            await asyncio.sleep(1.0)  # what the table still has is on its way
            for rest in await gaps(self._store):
                if rest.table == gap.table and gap.first <= rest.first and rest.last <= last:
                    await self._give_up(rest, one_line(answer.reason))
        else:
            if "not answered here" in answer.reason:
                self._not_before[gap.table] = time.monotonic() + SILENT_FOR
                await self._unanswered(gap, "not asked: the table allows no replay")
            log.warning("%s: records %d to %d are missing: %s", gap.table, gap.first, last, one_line(answer.reason))

    async def _unanswered(self, gap: Gap, reason: str) -> None:
        await self._store.change(
            "INSERT INTO unanswered VALUES (:site, :table_id, :reason)"
            " ON CONFLICT (site, table_id) DO UPDATE SET reason = excluded.reason",
            site=gap.site,
            table_id=gap.table_id,
            reason=reason,
        )

    async def _answered(self, gap: Gap) -> None:
        await self._store.change(
            "DELETE FROM unanswered WHERE (site, table_id) = (:site, :table_id)", site=gap.site, table_id=gap.table_id
        )

    async def _give_up(self, gap: Gap, reason: str) -> None:
        log.error("%s: records %d to %d are lost: %s", gap.table, gap.first, gap.last, reason)
        await self._store.change(
            "INSERT INTO given_up VALUES (:site, :table_id, :first, :last, :reason)"
            " ON CONFLICT (site, table_id, first) DO UPDATE SET last = excluded.last, reason = excluded.reason",
            **gap._asdict(),
            reason=reason,
        )


WHOLE = f"""
    INSERT INTO whole
    {BEGINS}
    SELECT site, table_id, min(sequence) FROM (
        SELECT begins.site, begins.table_id, r.sequence,
            lead(r.sequence) OVER (PARTITION BY begins.table_ref ORDER BY r.sequence) AS next
        FROM begins CROSS JOIN event_rows AS r
        WHERE r.table_ref = begins.table_ref AND r.sequence >= begins.since
    ) AS stretch
    WHERE next IS NULL OR next > sequence + 1 GROUP BY site, table_id
    ON CONFLICT (site, table_id) DO UPDATE SET up_to = excluded.up_to
"""
"""Note up to where each table's records are all there."""

OVER_WHAT_IS_GONE = """
    UPDATE whole SET up_to = (
        SELECT max(given_up.last) + 1 FROM given_up WHERE (given_up.site, given_up.table_id, given_up.first)
            = (whole.site, whole.table_id, whole.up_to + 1))
    WHERE EXISTS (
        SELECT 1 FROM given_up WHERE (given_up.site, given_up.table_id, given_up.first)
            = (whole.site, whole.table_id, whole.up_to + 1))
"""
