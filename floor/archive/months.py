"""Partitions of `event_rows` in PostgreSQL: one for each month in which events came.

256 numbers of a run are one block, and a block stays in the month in which its first event came. So an event that comes
again, later or with another time, meets itself. A table that has no partition for the month gets one without waiting
for those who read.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import psycopg

BLOCK = 256
LASTING = 0
"""The month of what belongs to none."""
MOST_KNOWN = 200_000

MAKING = 7_481_216
"""Number of the lock that instances take while they make a partition."""
THERE = "SELECT to_regclass(%s) AS oid"
BLOCKS = """
    INSERT INTO event_blocks SELECT table_ref, boot_ref, block, %s
    FROM unnest(%s::int[], %s::int[], %s::bigint[]) AS n(table_ref, boot_ref, block) ON CONFLICT DO NOTHING
"""

Connection = psycopg.AsyncConnection[dict[str, Any]]
Block = tuple[int, int, int]
"""Table, run, and number / 256."""


class Months:
    """What is known to be there. To be cleared when the database is opened."""

    def __init__(self) -> None:
        self._blocks: set[Block] = set()
        self._month = LASTING

    def clear(self) -> None:
        self._blocks.clear()
        self._month = LASTING

    async def place(self, connection: Connection, events: Iterable[tuple[int, int, int | None]]) -> None:
        """Have a month for each of these: table, run, number. In transactions of its own."""
        needed = {(table, boot, number // BLOCK) for table, boot, number in events if number is not None}
        if not (new := sorted(needed - self._blocks)):
            return
        now = datetime.now(UTC)
        month = now.year * 100 + now.month
        if month != self._month:
            await make(connection, month)
            self._month = month
        await connection.execute(BLOCKS.encode(), [month, *(list(column) for column in zip(*new, strict=True))])
        if len(self._blocks) > MOST_KNOWN:
            self._blocks.clear()
        self._blocks.update(new)


async def make(connection: Connection, month: int) -> None:
    """The partition of a month, if it is not there. ATTACH, unlike CREATE, does not wait for those who read."""
    name = f"event_rows_{month}"
    async with connection.transaction():
        await connection.execute(f"SELECT pg_advisory_xact_lock({MAKING})".encode())
        there = await (await connection.execute(THERE, (name,))).fetchone()
        if there is not None and there["oid"] is not None:
            return
        await connection.execute(
            f"CREATE TABLE {name} (LIKE event_rows INCLUDING DEFAULTS INCLUDING CONSTRAINTS)".encode()
        )
        await connection.execute(f"ALTER TABLE event_rows ATTACH PARTITION {name} FOR VALUES IN ({month})".encode())
