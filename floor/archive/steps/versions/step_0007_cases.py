"""Cases: what was done about each irregularity, and who is notified."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    # What was done about cases (floor/cases): a chain of entries, never changed. `body` is what is hashed; the columns
    # before it are what it is found by. `source` lets one cause be entered once.
    """CREATE TABLE IF NOT EXISTS case_changes (
        number BIGINT PRIMARY KEY, case_id BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, other BIGINT, source TEXT UNIQUE,
        body TEXT NOT NULL, hash TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS case_changes_by_time ON case_changes (at)",
    "CREATE INDEX IF NOT EXISTS case_changes_by_case ON case_changes (case_id, number)",
    "CREATE INDEX IF NOT EXISTS case_changes_by_link ON case_changes (other) WHERE other IS NOT NULL",
    # Where each case stands, made of its entries: only to find them.
    """CREATE TABLE IF NOT EXISTS cases (
        case_id BIGINT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, subject TEXT NOT NULL,
        state TEXT NOT NULL, newest BIGINT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS cases_open ON cases (case_id) WHERE state <> 'closed'",
    "CREATE INDEX IF NOT EXISTS cases_by_subject ON cases (subject, case_id)",
    # Signed roots of the Merkle tree over the entries.
    """CREATE TABLE IF NOT EXISTS case_heads (
        size BIGINT NOT NULL, key TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (size, key))""",
    # Who is notified of cases (floor/notify): from which entry on, and up to which.
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


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
