"""The archive in an SQLite file: for one floor, for a trial, or as a portable copy."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive import schema
from pitwatch.floor.archive.citing import cited
from pitwatch.floor.archive.keep import Rule
from pitwatch.floor.archive.packing import packed
from pitwatch.floor.archive.refs import Refs, What, to_find, to_make, whats
from pitwatch.floor.archive.row import Row, corrected, iso
from pitwatch.floor.archive.store import Change, Latest, RefusedError, StoreError

if TYPE_CHECKING:
    from pitwatch.floor.archive.removing import Spared

BUSY_S = 30.0
"""Seconds to wait for another instance's transaction."""

REFUSED = (sqlite3.DataError, sqlite3.IntegrityError, OverflowError, UnicodeError)
"""By which SQLite, or Python on the way there, refuses what it is given: too long, too large, no text."""

INSERT = """
    INSERT INTO event_rows (table_ref, boot_ref, sort_ref, sequence, monotonic_ns, at, synced, form, id, time, body)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 WHERE NOT EXISTS (
        SELECT 1 FROM removed WHERE table_ref = ?1 AND boot_ref = ?2 AND kind = ?12 AND last >= ?4)
    ON CONFLICT DO NOTHING
"""
CITE = "INSERT INTO event_citations VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
UNSYNCED = """
    SELECT r.rowid AS place, r.monotonic_ns FROM event_rows AS r
    JOIN event_tables AS t ON t.table_ref = r.table_ref JOIN event_boots AS b ON b.boot_ref = r.boot_ref
    JOIN event_sorts AS s ON s.sort_ref = r.sort_ref
    WHERE (t.site, t.table_id, b.boot) = (?, ?, ?) AND NOT r.synced AND s.earlier IS NULL
"""
CORRECT = "UPDATE event_rows SET time = CASE WHEN time = '' AND form > 0 THEN at ELSE time END, at = ? WHERE rowid = ?"
Answer = TypeVar("Answer")


class SqliteStore:
    """`path` of the file. Works in a thread of its own, so that the event loop never waits for the disk."""

    hour = "substr(at, 1, 13)"
    unmonthly = ""
    size = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size"

    def __init__(self, path: str):
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._refs = Refs()
        # One thread, not any: who is cancelled leaves it at work, and a connection that another would close meanwhile
        # takes the process with it.
        self._thread = ThreadPoolExecutor(1, "archive")

    async def open(self) -> None:
        await self._do(self._open)

    async def put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        return await self._do(lambda: self._put(rows, latest))

    async def ask(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        return await self._do(lambda: [dict(row) for row in self._there().execute(sql, values)])

    async def change(self, sql: str, **values: Any) -> int:
        return await self._do(lambda: self._there().execute(sql, values).rowcount)

    async def change_all(self, changes: Sequence[Change]) -> bool:
        return await self._do(lambda: self._change_all(changes))

    async def remove_months(self, rules: Sequence[Rule], spared: Spared, now: datetime) -> int:
        return 0

    async def close(self) -> None:
        await self._do(self._close)

    async def _do(self, work: Callable[[], Answer]) -> Answer:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except REFUSED as error:
            raise RefusedError(f"{self._path}: {error}") from error
        except (sqlite3.Error, OSError, schema.NewerError) as error:
            raise StoreError(f"{self._path}: {error}") from error

    def _open(self) -> None:
        self._close()
        connection = self._connect()
        connection.row_factory = sqlite3.Row
        try:  # before anything is written, be it the file's header
            there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except BaseException:
            connection.close()
            raise
        if there and "archive_version" not in there:
            connection.close()
            raise UsageError(f"{self._path}: is no archive but another database; name a file of its own")
        try:
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = FULL")
            found = connection.execute(schema.FOUND).fetchone()["version"] if there else None
            if not schema.is_current(found):
                schema.bring_up_to_date("sqlite", self._connect)
        except BaseException:
            connection.close()  # which undoes what is not committed
            raise
        self._refs.clear()
        self._connection = connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)

    def _there(self) -> sqlite3.Connection:
        if self._connection is None:
            raise sqlite3.OperationalError("not open")
        return self._connection

    def _put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        connection = self._there()
        self._refs.trim()
        connection.execute("BEGIN IMMEDIATE")
        try:
            new = []
            for row in rows:
                plain = self._plain(connection, row)
                if connection.execute(INSERT, plain).rowcount:
                    new.append(row)
                    cites = [(plain[0], number, row.sequence) for number in cited(row.kind, row.payload)]
                    connection.executemany(CITE, cites)
            connection.executemany(
                "INSERT INTO latest VALUES (?, ?, ?, ?, ?) ON CONFLICT (site, table_id) DO UPDATE SET at = excluded.at,"
                " delivered = excluded.delivered, payload = excluded.payload WHERE excluded.at >= latest.at",
                latest,
            )
            self._set_clocks(connection, new)
            connection.execute("COMMIT")
        except BaseException:
            self._refs.clear()  # what was new among them is undone
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return new

    def _change_all(self, changes: Sequence[Change]) -> bool:
        connection = self._there()
        connection.execute("BEGIN IMMEDIATE")
        try:
            done = all(connection.execute(sql, values).rowcount for sql, values in changes)
            connection.execute("COMMIT" if done else "ROLLBACK")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return done

    def _plain(self, connection: sqlite3.Connection, row: Row) -> tuple[Any, ...]:
        """As `event_rows` has it."""
        refs = self._refs.of(row)
        if refs is None:
            made = [self._made(connection, what) for what in whats(row)]
            refs = (made[0], made[1], made[2])
        form, time, body = packed(row)
        own = row.id if row.sequence is None else ""
        return (*refs, row.sequence, row.monotonic_ns, iso(row.at), row.synced, form, own, time, body, row.kind)

    def _made(self, connection: sqlite3.Connection, what: What) -> int:
        connection.execute(*to_make(what))
        ((ref,),) = connection.execute(*to_find(what))
        self._refs[what] = ref
        return int(ref)

    def _set_clocks(self, connection: sqlite3.Connection, new: list[Row]) -> None:
        connection.executemany(
            "INSERT INTO clocks VALUES (?, ?, ?, ?, ?) ON CONFLICT (site, table_id, boot) DO UPDATE"
            " SET sequence = excluded.sequence, offset_ns = excluded.offset_ns"
            " WHERE excluded.sequence > clocks.sequence",
            [
                (row.site, row.table_id, row.boot, row.sequence, row.offset_ns)
                for row in new
                if row.offset_ns is not None
            ],
        )
        runs = {(row.site, row.table_id, row.boot) for row in new if not row.synced or row.offset_ns is not None}
        for key in runs:
            for (offset,) in connection.execute(
                "SELECT offset_ns FROM clocks WHERE (site, table_id, boot) = (?, ?, ?)", key
            ).fetchall():
                unsynced = connection.execute(UNSYNCED, key).fetchall()
                connection.executemany(CORRECT, [(iso(corrected(t, offset)), place) for place, t in unsynced])

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _write_ahead(connection: sqlite3.Connection) -> None:
    """For this alone SQLite does not wait for another instance that does the same."""
    ends = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                raise
        time.sleep(0.02)
