"""The archive in PostgreSQL: for a house, and for several instances side by side."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from pitwatch.floor.archive import schema
from pitwatch.floor.archive.row import COLUMNS, FLAGS, Row, iso
from pitwatch.floor.archive.store import NAMED, Change, Latest, RefusedError, StoreError

TYPES = {"sequence": "bigint", "monotonic_ns": "bigint", "at": "timestamptz"} | {name: "boolean" for name in FLAGS}
INSERT = (
    f"INSERT INTO events ({', '.join(COLUMNS)}) SELECT * FROM unnest("
    + ", ".join(f"%s::{TYPES.get(name, 'text')}[]" for name in COLUMNS)
    + ") ON CONFLICT DO NOTHING RETURNING site, table_id, id"
)
LATEST = (
    "INSERT INTO latest VALUES (%s, %s, %s, %s, %s) ON CONFLICT (site, table_id) DO UPDATE SET at = excluded.at,"
    " delivered = excluded.delivered, payload = excluded.payload WHERE excluded.at >= latest.at"
)
CORRECT = """
    UPDATE events
    SET at = timestamptz 'epoch' + ((events.monotonic_ns + clocks.offset_ns) / 1000) * interval '1 microsecond'
    FROM clocks WHERE (events.site, events.table_id, events.boot) = (clocks.site, clocks.table_id, clocks.boot)
    AND (events.site, events.table_id, events.boot) IN (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]))
    AND NOT events.synced AND events.earlier IS NULL
"""
REFUSED = ("22", "23", "54")
"""Classes of SQLSTATE by which PostgreSQL refuses what it is given: data exception, constraint, program limit."""
CONNECT_S = 5
PROGRAM = "pitwatch-archive"
"""As the server lists its clients."""


class PostgresStore:
    """`url` as PostgreSQL's own programs take it; a password is better kept in ~/.pgpass."""

    hour = "to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24')"

    def __init__(self, url: str):
        self._url = url
        self._connection: psycopg.AsyncConnection[dict[str, Any]] | None = None
        # Whatever else ran on the connection during a transaction would be undone with it.
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        await self.close()
        with _told():
            self._connection = await psycopg.AsyncConnection.connect(
                self._url, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_S, application_name=PROGRAM
            )
            if not schema.is_current(await _version(self._connection)):
                await asyncio.to_thread(schema.bring_up_to_date, "postgresql+psycopg", self._connect)

    async def put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        # In one order everywhere: two instances that store the same rows must not wait for one another in a ring.
        once = sorted({row[:3]: row for row in reversed(rows)}.values(), key=lambda row: row[:3])
        connection = self._there()
        with _told():
            async with self._turn, connection.transaction():
                found = await connection.execute(INSERT.encode(), _columns(once))
                stored = {(each["site"], each["table_id"], each["id"]) for each in await found.fetchall()}
                for each in sorted(latest):
                    await connection.execute(LATEST.encode(), each)
                new = [row for row in once if row[:3] in stored]
                await _set_clocks(connection, new)
        return new

    async def ask(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        connection = self._there()
        with _told():
            async with self._turn:
                found = await connection.execute(_by_name(sql), values)
                rows = await found.fetchall()
        return [
            {name: iso(value) if isinstance(value, datetime) else value for name, value in row.items()} for row in rows
        ]

    async def change(self, sql: str, **values: Any) -> int:
        connection = self._there()
        with _told():
            async with self._turn:
                return (await connection.execute(_by_name(sql), values)).rowcount

    async def change_all(self, changes: Sequence[Change]) -> bool:
        connection = self._there()
        with _told():
            async with self._turn, connection.transaction():
                for sql, values in changes:
                    if not (await connection.execute(_by_name(sql), values)).rowcount:
                        raise psycopg.Rollback  # leaves the block, and undoes what it did
                return True
        return False

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                await connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._url, connect_timeout=CONNECT_S, application_name=PROGRAM)

    def _there(self) -> psycopg.AsyncConnection[dict[str, Any]]:
        if self._connection is None:
            raise StoreError("PostgreSQL: not open")
        return self._connection


async def _version(connection: psycopg.AsyncConnection[dict[str, Any]]) -> int | None:
    """None: there are no tables yet."""
    there = await (await connection.execute("SELECT to_regclass('archive_version') AS oid")).fetchone()
    if there is None or there["oid"] is None:
        return None
    found = await (await connection.execute(schema.FOUND.encode())).fetchone()
    return found["version"] if found is not None else None


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """What goes wrong is one line; psycopg's own never holds a password."""
    try:
        yield
    except (psycopg.Error, OSError, schema.NewerError, OverflowError, UnicodeError) as error:
        kind = RefusedError if _refuses(error) else StoreError
        raise kind(f"PostgreSQL: {' '.join(str(error).split()) or type(error).__name__}") from error


def _refuses(error: Exception) -> bool:
    """Whether the data are at fault. psycopg itself raises DataError, without an SQLSTATE, for what it cannot send."""
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        return error.sqlstate[:2] in REFUSED
    return isinstance(error, psycopg.DataError | OverflowError | UnicodeError)


async def _set_clocks(connection: psycopg.AsyncConnection[dict[str, Any]], new: list[Row]) -> None:
    """Give the right time to what was recorded before the clock was set, whichever of the two came first."""
    for row in new:
        if row.offset_ns is not None:
            await connection.execute(
                "INSERT INTO clocks VALUES (%s, %s, %s, %s, %s) ON CONFLICT (site, table_id, boot) DO UPDATE"
                " SET sequence = excluded.sequence, offset_ns = excluded.offset_ns"
                " WHERE excluded.sequence > clocks.sequence",
                (row.site, row.table_id, row.boot, row.sequence, row.offset_ns),
            )
    runs = sorted({(row.site, row.table_id, row.boot) for row in new if not row.synced or row.offset_ns is not None})
    if runs:
        await connection.execute(CORRECT.encode(), [list(column) for column in zip(*runs, strict=True)])


def _columns(rows: Sequence[Row]) -> list[list[Any]]:
    return [[row[number] for row in rows] for number in range(len(COLUMNS))]


def _by_name(sql: str) -> bytes:
    return NAMED.sub(r"%(\1)s", sql).encode()
