"""The time stamps that the archive has: listed, verified, and of one table. Asks nobody else."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import datetime
from typing import Any, NamedTuple

from pitwatch.daemon.evidence import head
from pitwatch.daemon.evidence.head import Head, StampedHead
from pitwatch.daemon.evidence.timestamps import StampError, checked
from pitwatch.floor.archive.questions import Answer, Asked
from pitwatch.floor.archive.store import Store

LISTED = """
    SELECT stamped_heads.site, stamped_heads.table_id, stamped_heads.sequence AS up_to, stamps.at AS existed_before,
        stamps.authority
    FROM stamps JOIN stamped_heads ON stamped_heads.digest = stamps.digest
    WHERE {where} ORDER BY stamps.at, stamped_heads.site, stamped_heads.table_id
"""
OF_TABLE = """
    SELECT stamps.digest, stamps.authority, stamped, reply, position, key, sequence, hash, head, path
    FROM stamped_heads JOIN stamps ON stamps.digest = stamped_heads.digest
    WHERE (site, table_id) = (:site, :table_id) AND sequence >= :since ORDER BY stamps.at, position
"""
WAITING = "SELECT authority, since, at, times, reason FROM not_stamped"


class TableStamp(NamedTuple):
    """A head of one table and the stamp that covers it: what was stamped, the reply, the time that it states."""

    head: StampedHead
    stamped: str
    reply: bytes
    at: datetime
    authority: str


class Stamps(NamedTuple):
    """`genuine` in order of time; `faults`: record of the head, and what is wrong with its stamp."""

    genuine: list[TableStamp]
    faults: list[tuple[int, str]]


async def listed(store: Store, asked: Asked) -> Answer:
    """Which records existed before which time, by table; then the authorities that do not stamp now, and why. Raises
    StoreError."""
    where = asked.where.replace("events.at", "stamps.at").replace("events.", "stamped_heads.")
    rows = await store.ask(LISTED.format(where=where), **asked.values)
    waiting = await store.ask(WAITING) if not asked.values else []
    return [
        *({**row, "trouble": None} for row in rows),
        *(
            {"site": None, "table_id": None, "up_to": None, "existed_before": None, "authority": row["authority"],
             "trouble": f"no stamp since {row['since']}, asked {row['times']} times: {row['reason']}"}
            for row in waiting
        ),
    ]  # fmt: skip


async def of_table(store: Store, table: str, ca: bytes, since: int = 0) -> Stamps:
    """Every stamp over a head of a table (SITE/TABLE) that covers the record `since`, verified. Raises StoreError,
    UsageError."""
    site, _, table_id = table.partition("/")
    genuine, faults = [], []
    for row in await store.ask(OF_TABLE, site=site, table_id=table_id, since=since):
        found = await asyncio.to_thread(_checked, row, table, ca)
        if isinstance(found, str):
            faults.append((int(row["sequence"]), found))
        else:
            genuine.append(found)
    return Stamps(sorted(genuine, key=lambda each: (each.at, each.head.head.sequence)), faults)


def _checked(row: dict[str, Any], table: str, ca: bytes) -> TableStamp | str:
    stamped, reply, path = row["stamped"], bytes(row["reply"]), row["path"].split()
    said = head.read(row["head"], row["key"])
    if hashlib.sha256(stamped.encode()).hexdigest() != row["digest"]:
        return "the stamp was altered in the archive: it is not of what it is kept for"
    if said is None or said != Head(table, row["sequence"], row["hash"], row["key"], row["head"]):
        return "the head that was stamped was altered in the archive"
    if not head.is_covered(said.text, row["position"], path, stamped):
        return "the stamp does not cover this head: its path does not lead to what was stamped"
    try:
        at = checked(reply, stamped.encode(), ca).at
    except StampError as error:
        return str(error)
    return TableStamp(StampedHead(said, row["position"], path), stamped, reply, at, row["authority"])
