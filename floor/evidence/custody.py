"""The chain of custody at the archive: which packages were made of it."""

from __future__ import annotations

import msgspec

from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.evidence.custody import Entry
from pitwatch.floor.archive.store import Store

EARLIER = """
    SELECT entry FROM packages WHERE (site, table_id, sequence) = (:site, :table_id, :sequence) ORDER BY at, manifest
"""
PUT = "INSERT INTO packages VALUES (:manifest, :site, :table_id, :sequence, :at, :entry) ON CONFLICT DO NOTHING"


async def earlier(store: Store, table: str, sequence: int) -> list[Entry]:
    """Of the same irregularity. Raises StoreError."""
    site, _, table_id = table.partition("/")
    rows = await store.ask(EARLIER, site=site, table_id=table_id, sequence=sequence)
    return [msgspec.json.decode(row["entry"], type=Entry) for row in rows]


async def record(store: Store, made: Entry) -> None:
    """Raises StoreError."""
    site, _, table_id = made.table.partition("/")
    values = {"manifest": made.manifest, "site": site, "table_id": table_id, "sequence": made.sequence, "at": made.at}
    await store.change(PUT, **values, entry=encode(made).decode())
