"""One row an event; the rest is bookkeeping."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS events (
        site TEXT NOT NULL, table_id TEXT NOT NULL, id TEXT NOT NULL, sequence BIGINT, boot TEXT NOT NULL,
        kind TEXT NOT NULL, subtopic TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, monotonic_ns BIGINT NOT NULL,
        synced BOOLEAN NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN, void TEXT,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id, id))""",
    "CREATE INDEX IF NOT EXISTS events_in_order ON events (site, table_id, sequence)",
    "CREATE INDEX IF NOT EXISTS events_by_time ON events (at)",
    "CREATE INDEX IF NOT EXISTS events_by_name ON events (kind, name)",
    # The newest health of each table; its history is nobody's evidence.
    """CREATE TABLE IF NOT EXISTS latest (
        site TEXT NOT NULL, table_id TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, delivered BIGINT NOT NULL,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id))""",
    # What the clock of a run did last: the right time of its records is monotonic_ns + offset_ns.
    """CREATE TABLE IF NOT EXISTS clocks (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, sequence BIGINT NOT NULL,
        offset_ns BIGINT NOT NULL, PRIMARY KEY (site, table_id, boot))""",
    # Up to where a table's records are all there, so that gaps need not be looked for from the beginning each time.
    """CREATE TABLE IF NOT EXISTS whole (
        site TEXT NOT NULL, table_id TEXT NOT NULL, up_to BIGINT NOT NULL, PRIMARY KEY (site, table_id))""",
    """CREATE TABLE IF NOT EXISTS given_up (
        site TEXT NOT NULL, table_id TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (site, table_id, first))""",
    # Which of several instances does what only one should do.
    """CREATE TABLE IF NOT EXISTS leases (
        name TEXT PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL)""",
    # Read before anything else, also by earlier programs, which refuse a number above their own.
    "CREATE TABLE IF NOT EXISTS archive_version (version INTEGER PRIMARY KEY)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
