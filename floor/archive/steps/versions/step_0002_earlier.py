"""What a retained last will says has a column of its own, and why a gap stays a table."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = (
    "ALTER TABLE events ADD COLUMN earlier BOOLEAN",
    # A will's `earlier` was kept in `partial`. Its monotonic_ns was written as 0 and stays so.
    "UPDATE events SET earlier = coalesce(partial, FALSE), partial = NULL WHERE kind = 'status' AND name = 'lost'",
    # Tables that have not reported again what is missing, and why.
    """CREATE TABLE IF NOT EXISTS unanswered (
        site TEXT NOT NULL, table_id TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (site, table_id))""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
