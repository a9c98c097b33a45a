"""Where a table contradicts what it published."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
    # Which run of a table's daemon gave which numbers (floor/identity). `last` may lag behind `events`; what is not
    # known is 0 or empty.
    """CREATE TABLE IF NOT EXISTS runs (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL,
        met DOUBLE PRECISION NOT NULL, began DOUBLE PRECISION NOT NULL, committed BIGINT NOT NULL,
        refused BIGINT NOT NULL, aside BOOLEAN NOT NULL, below BOOLEAN NOT NULL, key TEXT NOT NULL,
        claim_sequence BIGINT, claim_boot TEXT, claim_last BIGINT, PRIMARY KEY (site, table_id, boot))""",
    # Hashes of records that genuine checkpoints and retention records have signed, by key.
    """CREATE TABLE IF NOT EXISTS heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, key TEXT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (site, table_id, key, sequence))""",
    # Where a table contradicts what it has published, or what the house approved; `over_at` is null while it stands.
    """CREATE TABLE IF NOT EXISTS troubles (
        site TEXT NOT NULL, table_id TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        told TEXT NOT NULL, heard TEXT NOT NULL, said TEXT NOT NULL, over_at TIMESTAMPTZ,
        PRIMARY KEY (site, table_id, kind, subject))""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
