"""The archive in PostgreSQL: for a house, and for several instances side by side."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row

from pitwatch.floor.archive import schema
from pitwatch.floor.archive.citing import cited
from pitwatch.floor.archive.keep import Rule
from pitwatch.floor.archive.months import BLOCK, Months
from pitwatch.floor.archive.packing import packed
from pitwatch.floor.archive.refs import Refs, to_find, to_make, whats
from pitwatch.floor.archive.removing_months import remove_months
from pitwatch.floor.archive.row import Row, iso
from pitwatch.floor.archive.store import NAMED, Change, Latest, RefusedError, StoreError

if TYPE_CHECKING:
    from pitwatch.floor.archive.removing import Spared

TYPES = {
    "table_ref": "int", "boot_ref": "int", "sort_ref": "int", "sequence": "bigint", "monotonic_ns": "bigint",
    "at": "timestamptz", "synced": "boolean", "form": "smallint", "id": "text", "time": "text", "body": "text",
}  # fmt: skip
"""Columns of `event_rows` but the month, which is that of the block of 256 numbers."""
INSERT = f"""
    INSERT INTO event_rows ({", ".join(TYPES)}, month) SELECT {", ".join(f"n.{name}" for name in TYPES)},
        coalesce(k.month, 0)
    FROM unnest({", ".join(f"%s::{kind}[]" for kind in (*TYPES.values(), "text"))}) AS n({", ".join(TYPES)}, kind)
    LEFT JOIN event_blocks AS k
        ON k.table_ref = n.table_ref AND k.boot_ref = n.boot_ref AND k.block = n.sequence / {BLOCK}
    WHERE n.sequence IS NULL OR NOT EXISTS (
        SELECT 1 FROM removed AS x WHERE x.table_ref = n.table_ref AND x.boot_ref = n.boot_ref AND x.kind = n.kind
        AND x.last >= n.sequence)
    ON CONFLICT DO NOTHING RETURNING table_ref, boot_ref, sequence, id
"""
CITE = "INSERT INTO event_citations VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
LATEST = (
    "INSERT INTO latest VALUES (%s, %s, %s, %s, %s) ON CONFLICT (site, table_id) DO UPDATE SET at = excluded.at,"
    " delivered = excluded.delivered, payload = excluded.payload WHERE excluded.at >= latest.at"
)
RIGHT = "timestamptz 'epoch' + ((r.monotonic_ns + clocks.offset_ns) / 1000) * interval '1 microsecond'"
CORRECT = f"""
    UPDATE event_rows AS r SET at = {RIGHT}, time = CASE WHEN r.time = '' AND r.form > 0
        THEN to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') ELSE r.time END
    FROM clocks, event_tables AS t, event_boots AS b, event_sorts AS s
    WHERE (t.site, t.table_id, b.boot) = (clocks.site, clocks.table_id, clocks.boot)
    AND (r.table_ref, r.boot_ref, r.sort_ref) = (t.table_ref, b.boot_ref, s.sort_ref)
    AND (clocks.site, clocks.table_id, clocks.boot) IN (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]))
    AND NOT r.synced AND s.earlier IS NULL AND r.at <> {RIGHT}
"""
REFUSED = ("22", "23", "54")
"""Classes of SQLSTATE by which PostgreSQL refuses what it is given: data exception, constraint, program limit."""
CONNECT_S = 5
PROGRAM = "pitwatch-archive"
"""As the server lists its clients."""


class PostgresStore:
    """`url` as PostgreSQL's own programs take it; a password is better kept in ~/.pgpass."""

    unmonthly = "AND r.month = 0"
    size = "SELECT pg_database_size(current_database()) AS bytes"
    hour = "to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24')"

    def __init__(self, url: str):
        self._url = url
        self._connection: psycopg.AsyncConnection[dict[str, Any]] | None = None
        # Whatever else ran on the connection during a transaction would be undone with it.
        self._turn = asyncio.Lock()
        self._refs = Refs()
        self._months = Months()

    async def open(self) -> None:
        await self.close()
        self._refs.clear()
        self._months.clear()
        with _told():
            self._connection = await self._another()
            if not schema.is_current(await _version(self._connection)):
                await asyncio.to_thread(schema.bring_up_to_date, "postgresql+psycopg", self._connect)

    async def put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        # In one order everywhere: two instances that store the same rows must not wait for one another in a ring.
        once = sorted({row[:3]: row for row in reversed(rows)}.values(), key=lambda row: row[:3])
        connection = self._there()
        with _told():
            async with self._turn:
                await self._know(connection, once)
                plain = [
                    (*refs, *_plain(row)) for row, refs in zip(once, map(self._refs.of, once), strict=True) if refs
                ]
                await self._months.place(connection, ((table, boot, number) for table, boot, _, number, *_ in plain))
                async with connection.transaction():
                    stored: set[tuple[Any, ...]] = set()
                    if plain:
                        columns = [list(column) for column in zip(*plain, strict=True)]
                        found = await connection.execute(INSERT.encode(), columns)
                        stored = {tuple(each.values()) for each in await found.fetchall()}
                    for each in sorted(latest):
                        await connection.execute(LATEST.encode(), each)
                    new = []
                    for row, (table, boot, _, sequence, *_, own, _, _, _) in zip(once, plain, strict=True):
                        if (table, boot, sequence, own) in stored:
                            new.append(row)
                            for number in cited(row.kind, row.payload):
                                await connection.execute(CITE.encode(), (table, number, sequence))
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

    async def remove_months(self, rules: Sequence[Rule], spared: Spared, now: datetime) -> int:
        with _told():
            async with await self._another() as connection:  # for which nobody else waits
                return await remove_months(connection, rules, spared, now)

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                await connection.close()

    async def _know(self, connection: psycopg.AsyncConnection[dict[str, Any]], rows: Sequence[Row]) -> None:
        """Make the numbers that are new, in one order everywhere, and remember them."""
        self._refs.trim()
        new = {what for row in rows for what in whats(row) if what not in self._refs}
        if new:
            async with connection.transaction():
                for sql, values in sorted((to_make(what) for what in new), key=repr):
                    await connection.execute(sql.replace("?", "%s").encode(), values)
        for what in new:
            sql, values = to_find(what)
            found = await (await connection.execute(sql.replace("?", "%s").encode(), values)).fetchone()
            self._refs[what] = found["ref"] if found is not None else 0

    async def _another(self) -> psycopg.AsyncConnection[dict[str, Any]]:
        return await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_S, application_name=PROGRAM
        )

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
    if isinstance(error, psycopg.errors.CheckViolation) and error.diag.constraint_name is None:
        return False  # a partition is gone that was there: a new connection makes it
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


def _plain(row: Row) -> tuple[Any, ...]:
    """As `event_rows` has it, without the numbers of table, run and sort."""
    form, time, body = packed(row)
    own = row.id if row.sequence is None else ""
    return (row.sequence, row.monotonic_ns, row.at, row.synced, form, own, time, body, row.kind)


def _by_name(sql: str) -> bytes:
    return NAMED.sub(r"%(\1)s", sql).encode()
