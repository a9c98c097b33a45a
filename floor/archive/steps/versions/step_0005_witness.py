"""Heads that the witness was shown, and what it cosigned."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"

STATEMENTS = (
    # Signed heads of tables' Merkle trees as they came, for the witness (floor/witness). `verdict` is null until it is
    # known; of a checkpoint without a note, `root` and `note` are empty.
    """CREATE TABLE IF NOT EXISTS tree_heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, origin TEXT NOT NULL, key TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, boot TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, verdict TEXT,
        PRIMARY KEY (site, table_id, key, size, root))""",
    "CREATE INDEX IF NOT EXISTS tree_heads_new ON tree_heads (site, table_id) WHERE verdict IS NULL",
    # The newest head of each log that this archive's witness has cosigned: moved by compare-and-set.
    """CREATE TABLE IF NOT EXISTS witness_heads (
        origin TEXT NOT NULL, key TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, PRIMARY KEY (origin, key))""",
    # Cosigned notes, by this witness and others; `told`: the table has it.
    """CREATE TABLE IF NOT EXISTS cosignatures (
        origin TEXT NOT NULL, key TEXT NOT NULL, witness TEXT NOT NULL, size BIGINT NOT NULL, root TEXT NOT NULL,
        note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, told BOOLEAN NOT NULL,
        PRIMARY KEY (origin, key, witness, size, root))""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
