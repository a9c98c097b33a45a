"""Cases: what was done about each irregularity."""

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
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
