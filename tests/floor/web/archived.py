"""An archive with all that a real table published, and a house that asks it. For tests only."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.daemon.publishing.envelope import Envelope, VideoHint
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.message import Message, read_message
from tests.daemon.evidence.table import played
from tests.floor.web.house import House

TABLE = "toledo/BA-01"


async def store_messages(database: str, messages: list[Message]) -> None:
    """As `archive run` stores them."""
    store = store_at(database)
    await store.open()
    rows = [row for each in messages if (row := row_of(each, datetime.now(UTC))) is not None]
    await store.put(rows, [])
    await store.close()


async def archived(folder: Path) -> tuple[House, int, list[Message]]:
    """The house, the number of an irregularity, and what the table published."""
    table = await played(folder)
    journal = JournalStore(table.journal, read_only=True)
    envelope = Envelope("toledo", "BA-01", f"pitwatch/1/{TABLE}", "", False, VideoHint("pit-1", 20, 15))
    messages = [
        read_message("pitwatch/1", sent.topic, sent.payload, False)
        for record, _ in journal.records()
        for sent in envelope.messages(record)[:1]
    ]
    journal.close()
    database = f"sqlite:{folder / 'floor.db'}"
    await store_messages(database, messages)
    return House(folder, database=database), table.found()[0][0], messages
