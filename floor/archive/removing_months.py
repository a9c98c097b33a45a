"""Removes whole months from PostgreSQL: what stays moves out of a month's partition, and the rest is dropped with it.

One pass moves, the next one drops: what was on its way into the partition has arrived by then. Months go this way if
the house has a rule for observations, which are nine of ten events; a month goes once all of it is older than the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg

from pitwatch.floor.archive.keep import ALWAYS, Rule
from pitwatch.floor.archive.months import LASTING, Connection
from pitwatch.floor.archive.row import iso

if TYPE_CHECKING:
    from pitwatch.floor.archive.removing import Spared

WAIT = "SET LOCAL lock_timeout = '5s'"
"""A dump reads for hours; new events must not wait behind this, which waits for the dump."""

MONTHS = """
    SELECT substr(relname, 12)::int AS month FROM pg_class
    WHERE relname ~ '^event_rows_[0-9]{6}$' AND relkind = 'r' ORDER BY 1
"""
BLOCKED = "SELECT DISTINCT table_ref FROM event_blocks WHERE month = %s ORDER BY 1"
UNBLOCK = f"UPDATE event_blocks SET month = {LASTING} WHERE month = %s AND table_ref = %s"
TWICE = f"""
    DELETE FROM event_rows AS r WHERE r.month = %s AND EXISTS (
        SELECT 1 FROM event_rows AS l WHERE l.month = {LASTING} AND (l.table_ref, l.sequence, l.boot_ref)
            = (r.table_ref, r.sequence, r.boot_ref))
"""

log = logging.getLogger("pitwatch.archive")


async def remove_months(connection: Connection, rules: Sequence[Rule], spared: Spared, now: datetime) -> int:
    """Every month that is due; how many events were dropped. On a connection of its own."""
    bulk = next((rule for rule in rules if rule.kind == "observation"), None)
    count = 0
    for row in await (await connection.execute(MONTHS.encode())).fetchall() if bulk is not None else ():
        assert bulk is not None
        month = row["month"]
        if _end(month) + bulk.term > now:
            continue
        tables = [each["table_ref"] for each in await _all(connection, BLOCKED, month)]
        for table in tables:
            async with connection.transaction():
                await connection.execute(UNBLOCK.encode(), (month, table))
                await connection.execute(_move(month, table, rules, spared, now))
        if not tables:
            try:
                count += await _drop(connection, month, rules, spared, now)
            except psycopg.errors.LockNotAvailable:
                log.info("the events of %d are in use; they are removed at the next pass", month)
    return count


async def _drop(connection: Connection, month: int, rules: Sequence[Rule], spared: Spared, now: datetime) -> int:
    part = f"event_rows_{month}"
    async with connection.transaction():
        await connection.execute(WAIT.encode())
        await connection.execute(TWICE.encode(), (month,))
        for row in await _all(connection, f"SELECT DISTINCT table_ref FROM {part}"):
            await connection.execute(_move(month, row["table_ref"], rules, spared, now))
        count = 0
        for rule in rules:
            note = f"""
                INSERT INTO removed SELECT r.table_ref, r.boot_ref, s.kind, min(r.sequence), max(r.sequence), count(*),
                    min(r.at), max(r.at), %s, %s
                FROM {part} AS r JOIN event_sorts AS s ON s.sort_ref = r.sort_ref WHERE s.kind = %s
                GROUP BY r.table_ref, r.boot_ref, s.kind RETURNING records
            """
            count += sum(each["records"] for each in await _all(connection, note, now, rule.told, rule.kind))
        await connection.execute(f"DROP TABLE {part}".encode())
    log.info("the partition %s is older than [archive] keep, and was dropped", part)
    return count


def _move(month: int, table: int, rules: Sequence[Rule], spared: Spared, now: datetime) -> bytes:
    """What stays of a table."""
    going = " OR ".join(_going(rule, table, spared, now) for rule in rules)
    sql = f"UPDATE event_rows AS r SET month = {LASTING} WHERE r.month = {month} AND r.table_ref = {table}"
    return f"{sql} AND NOT ({going})".encode()


def _going(rule: Rule, table: int, spared: Spared, now: datetime) -> str:
    """Numbers and words of this program alone; floor/archive/removing.py asks the same row by row."""
    names = ", ".join(f"'{name}'" for name in ALWAYS) if rule.kind == "observation" else "''"
    parts = [
        f"r.sort_ref IN (SELECT sort_ref FROM event_sorts WHERE kind = '{rule.kind}'"
        f" AND coalesce(name, '-') NOT IN ({names}))",
        f"r.at < '{iso(now - rule.term)}'",
        f"r.sequence < {spared.up_to[rule.kind].get(table, 0)}",
        "(r.synced OR r.time <> '')",
        "NOT EXISTS (SELECT 1 FROM event_citations AS c WHERE (c.table_ref, c.sequence) = (r.table_ref, r.sequence))",
        *(f"r.sequence NOT BETWEEN {first} AND {last}" for first, last in spared.held.get(table, ())),
    ]
    if newest := spared.newest.get(rule.kind, {}).get(table):
        parts.append(f"r.sequence NOT IN ({', '.join(map(str, sorted(newest)))})")
    return f"({' AND '.join(parts)})"


def _end(month: int) -> datetime:
    year, number = divmod(month, 100)
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


async def _all(connection: Connection, sql: str, *values: Any) -> list[dict[str, Any]]:
    return await (await connection.execute(sql.encode(), values)).fetchall()
