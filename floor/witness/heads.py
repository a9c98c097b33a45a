"""The state of a witness: the newest head of each log that it has cosigned, and its cosignatures. In the archive's
database; a head moves by compare-and-set, and is on disk before anybody gets the cosignature.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import NamedTuple

from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import EMPTY
from pitwatch.floor.archive.store import Store

OF_LOG = "origin = :origin AND key = :key"
KNOWN = f"SELECT size, root, note FROM witness_heads WHERE {OF_LOG}"
BEGIN = """
    INSERT INTO witness_heads VALUES (:origin, :key, :site, :table_id, :size, :root, :note, :at) ON CONFLICT DO NOTHING
"""
MOVE = f"""
    UPDATE witness_heads SET size = :size, root = :root, note = :note, at = :at
    WHERE {OF_LOG} AND size = :old_size AND root = :old_root
"""
LOGS = "SELECT origin, key FROM witness_heads WHERE site = :site AND table_id = :table_id ORDER BY at, key"
HOLD = """
    INSERT INTO tree_heads VALUES (:site, :table_id, :origin, :key, :size, :root, :note, :boot, :at, :verdict)
    ON CONFLICT DO NOTHING
"""
KEEP = """
    INSERT INTO cosignatures VALUES (:origin, :key, :witness, :size, :root, :note, :at, FALSE)
    ON CONFLICT (origin, key, witness, size, root) DO UPDATE SET note = excluded.note, at = excluded.at, told = FALSE
"""


COSIGNED, OLDER, CONTRADICTS, NOT_TRUSTED, RETIRED = "cosigned", "older", "contradicts", "not_trusted", "retired"
"""Verdicts on a signed head: cosigned; part of what was cosigned; not part of it; signed by a key that the house has
not approved; signed by a board that was replaced before it was cosigned."""


class Log(NamedTuple):
    """Who signs what. `key`: the log's public key, base64 of its DER form. `table`: SITE/TABLE, empty where a log is
    known by its origin alone."""

    origin: str
    key: str
    table: str = ""


class Known(NamedTuple):
    """A head that was cosigned; `note` as it was signed by the log, empty for the head before the first."""

    size: int
    root: bytes
    note: str


NOTHING = Known(0, EMPTY, "")


class Heads:
    """Every method raises StoreError. `clock` gives seconds since 1970."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time):
        self._store = store
        self.clock = clock

    async def known(self, log: Log) -> Known:
        """The newest head that was cosigned; NOTHING if there is none."""
        for row in await self._store.ask(KNOWN, origin=log.origin, key=log.key):
            return Known(row["size"], base64.b64decode(row["root"]), row["note"])
        return NOTHING

    async def logs(self, table: str) -> list[Log]:
        """Those of a table, the one that was cosigned first before the others."""
        found = await self._store.ask(LOGS, **of_table(table))
        return [Log(row["origin"], row["key"], table) for row in found]

    async def move(self, log: Log, before: Known, now: Checkpoint, note: str, at: str) -> bool:
        """On to another head; False if it is no longer at `before`. `at`: UTC, RFC 3339."""
        values = {"origin": log.origin, "key": log.key, "size": now.size, "root": in_base64(now.root), "note": note}
        values |= {"at": at}
        if not before.note:
            return bool(await self._store.change(BEGIN, **values, **of_table(log.table)))
        old = {"old_size": before.size, "old_root": in_base64(before.root)}
        return bool(await self._store.change(MOVE, **values, **old))

    async def hold(self, log: Log, said: Checkpoint, note: str, verdict: str | None = None, boot: str = "") -> bool:
        """Keep a signed head as it came; whether it is new."""
        values = {"origin": log.origin, "key": log.key, "size": said.size, "root": in_base64(said.root), "note": note}
        values |= {"boot": boot, "at": self.clock(), "verdict": verdict}
        return bool(await self._store.change(HOLD, **of_table(log.table), **values))

    async def keep(self, log: Log, witness: str, now: Checkpoint, note: str, at: str) -> None:
        """A cosigned note, the log's own signature in it."""
        values = {"size": now.size, "root": in_base64(now.root), "note": note, "at": at}
        await self._store.change(KEEP, origin=log.origin, key=log.key, witness=witness, **values)


def of_table(table: str) -> dict[str, str]:
    """The columns that name a table."""
    site, _, table_id = table.partition("/")
    return {"site": site, "table_id": table_id}


def in_base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
