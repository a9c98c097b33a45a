"""The archive's figures: what it stores, what waits, what is missing, and how large it is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pitwatch.floor.archive import gaps
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.metrics.serving import Figure, counter, gauge

ASK_EVERY = 30.0
"""Seconds between two looks into the database."""
SPEAKS_WITHIN = 95.0
"""Seconds: a table sends its health every 30."""

COUNTS = """
    SELECT (SELECT count(*) FROM event_tables) AS tables, (SELECT count(*) FROM put_aside) AS put_aside,
        (SELECT coalesce(sum(records), 0) FROM removed) AS removed
"""
ALERTS = """
    SELECT count(*) AS alerts FROM events WHERE kind = 'alert' AND raised AND NOT EXISTS (
        SELECT 1 FROM events AS later WHERE later.kind = 'alert' AND later.name = events.name
        AND (later.site, later.table_id) = (events.site, events.table_id) AND later.sequence > events.sequence)
"""
TROUBLES = "SELECT kind, count(*) AS troubles FROM troubles WHERE over_at IS NULL GROUP BY kind ORDER BY kind"
KINDS = ("rolled_back", "began_anew", "other_key", "forged", "rewritten", "not_approved", "split_view", "not_cosigned")


class ArchiveFigures:
    """`gather` for `served`."""

    def __init__(self, archiver: Archiver, store: Store):
        self._archiver = archiver
        self._store = store
        self._asked_at = 0.0
        self._stored: list[Figure] = []

    async def gather(self) -> Sequence[Figure]:
        archiver, intake, now = self._archiver, self._archiver.intake, time.time()
        if archiver.database_up and time.monotonic() - self._asked_at > ASK_EVERY:
            try:
                self._stored = await self._ask()
                self._asked_at = time.monotonic()
            except StoreError:
                self._stored = []
        speaking = sum(now - heard < SPEAKS_WITHIN for heard in intake.heard.values())
        last = max(intake.heard.values(), default=None)
        figures = [
            counter("pitwatch_archive_events", "Events stored by this process.", intake.stored),
            counter("pitwatch_archive_duplicates", "Events that came again.", intake.duplicates),
            counter("pitwatch_archive_messages_put_aside", "Messages that were no event.", intake.put_aside),
            counter("pitwatch_archive_database_connections", "Times the database was reached.", archiver.opened),
            gauge("pitwatch_archive_database_up", "1 while the database is reached.", archiver.database_up),
            gauge("pitwatch_archive_broker_up", "1 while the broker is reached.", archiver.broker_up),
            gauge("pitwatch_archive_queue_messages", "Messages that wait to be stored.", intake.queue),
            gauge("pitwatch_archive_tables_speaking", "Tables heard within 95 seconds.", speaking),
        ]
        if intake.lag is not None:
            told = "Time from the newest event of the last batch to its storage."
            figures.append(gauge("pitwatch_archive_lag_seconds", told, intake.lag))
        if last is not None:
            told = "When a table was heard last, in seconds since 1970."
            figures.append(gauge("pitwatch_archive_last_message_timestamp_seconds", told, last))
        return [*figures, *(self._stored if archiver.database_up else ())]

    async def _ask(self) -> list[Figure]:
        (counts,) = await self._store.ask(COUNTS)
        (size,) = await self._store.ask(self._store.size)
        (alerts,) = await self._store.ask(ALERTS)
        troubles = dict.fromkeys(((kind,) for kind in KINDS), 0.0)
        for row in await self._store.ask(TROUBLES):
            if row["kind"] in KINDS:
                troubles[(row["kind"],)] = row["troubles"]
        missing = sum(gap.last - gap.first + 1 for gap in await gaps.gaps(self._store))
        return [
            gauge("pitwatch_archive_stored_bytes", "Size of the database.", float(size["bytes"])),
            gauge("pitwatch_archive_tables", "Tables of which the archive has events.", counts["tables"]),
            gauge("pitwatch_archive_put_aside_messages", "Messages that are put aside.", counts["put_aside"]),
            gauge("pitwatch_archive_removed_events", "Events removed by [archive] keep.", float(counts["removed"])),
            gauge("pitwatch_archive_missing_records", "Records that no table has sent again yet.", missing),
            gauge("pitwatch_archive_alerts_open", "Alerts that stand.", alerts["alerts"]),
            Figure("pitwatch_archive_troubles_open", "Troubles that stand.", troubles, ("kind",)),
        ]
