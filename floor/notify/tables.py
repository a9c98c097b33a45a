"""The tables of notification, in the SQL that PostgreSQL and SQLite share. They stand beside those of the archive,
which does not know them; `run` makes them.
"""

from __future__ import annotations

from pitwatch.floor.archive.store import Store

TABLES = (
    # Who is notified: from which entry of the cases on, and up to which.
    """CREATE TABLE IF NOT EXISTS notify_receivers (
        receiver TEXT PRIMARY KEY, since BIGINT NOT NULL, number BIGINT NOT NULL)""",
    # What is to be sent; a row goes when its receiver has taken it. `given_up`: never tried again.
    """CREATE TABLE IF NOT EXISTS notify_outbox (
        receiver TEXT NOT NULL, id TEXT NOT NULL, due DOUBLE PRECISION NOT NULL, made DOUBLE PRECISION NOT NULL,
        attempts BIGINT NOT NULL, given_up BOOLEAN NOT NULL, reason TEXT NOT NULL, notice TEXT NOT NULL,
        PRIMARY KEY (receiver, id))""",
    # Kinds of notices of which no more are sent until then, and how many were left out meanwhile.
    """CREATE TABLE IF NOT EXISTS notify_groups (
        receiver TEXT NOT NULL, topic TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, left_out BIGINT NOT NULL,
        first BIGINT NOT NULL, last BIGINT NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (receiver, topic))""",
)


async def make(store: Store) -> None:
    """Those that are not there. Raises StoreError."""
    for statement in TABLES:
        await store.change(statement)
