"""Messages that are no event."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

STATEMENTS = (
    # Messages that are no row of `events`: as they came, since nobody else keeps them. `digest`: of table and message.
    """CREATE TABLE IF NOT EXISTS put_aside (
        digest TEXT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, topic TEXT NOT NULL,
        at TIMESTAMPTZ NOT NULL, trouble TEXT NOT NULL, reason TEXT NOT NULL, message BYTEA NOT NULL)""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
