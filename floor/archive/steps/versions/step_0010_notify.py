"""Who is notified of cases."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

STATEMENTS = (
    # Who is notified of cases (floor/notify): from which entry on, and up to which.
    """CREATE TABLE notify_receivers (
        receiver TEXT PRIMARY KEY, since BIGINT NOT NULL, number BIGINT NOT NULL)""",
    # What is to be sent; a row goes when its receiver has taken it. `given_up`: never tried again.
    """CREATE TABLE notify_outbox (
        receiver TEXT NOT NULL, id TEXT NOT NULL, due DOUBLE PRECISION NOT NULL, made DOUBLE PRECISION NOT NULL,
        attempts BIGINT NOT NULL, given_up BOOLEAN NOT NULL, reason TEXT NOT NULL, notice TEXT NOT NULL,
        PRIMARY KEY (receiver, id))""",
    # Kinds of notices of which no more are sent until then, and how many were left out meanwhile.
    """CREATE TABLE notify_groups (
        receiver TEXT NOT NULL, topic TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, left_out BIGINT NOT NULL,
        first BIGINT NOT NULL, last BIGINT NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (receiver, topic))""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
