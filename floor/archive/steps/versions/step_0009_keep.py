"""What was removed by the house's rules, and which records an irregularity cites."""

from __future__ import annotations

import sqlalchemy
from alembic import op

from pitwatch.floor.archive.citing import cited

revision = "0009"
down_revision = "0008"

PAGE = 1_000
STATEMENTS = (
    # Of one run and kind, by one pass: so many records from `first` to `last`, with times from `began` to `ended`.
    """CREATE TABLE removed (
        table_ref INTEGER NOT NULL, boot_ref INTEGER NOT NULL, kind TEXT NOT NULL, first BIGINT NOT NULL,
        last BIGINT NOT NULL, records BIGINT NOT NULL, began TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ NOT NULL,
        at TIMESTAMPTZ NOT NULL, rule TEXT NOT NULL, PRIMARY KEY (table_ref, boot_ref, kind, at))""",
    # The evidence of irregularities: record `sequence` is cited by irregularity `cited_by`.
    """CREATE TABLE event_citations (
        table_ref INTEGER NOT NULL, sequence BIGINT NOT NULL, cited_by BIGINT NOT NULL,
        PRIMARY KEY (table_ref, sequence, cited_by))""",
    "CREATE INDEX removed_up_to ON removed (table_ref, boot_ref, kind, last)",
)
PUT = sqlalchemy.text("INSERT INTO event_citations VALUES (:table_ref, :sequence, :cited_by) ON CONFLICT DO NOTHING")


def upgrade() -> None:
    bind = op.get_bind()
    for statement in STATEMENTS:
        bind.exec_driver_sql(statement)
    found = bind.exec_driver_sql(
        "SELECT table_ref, sequence, payload FROM events WHERE kind = 'irregularity' AND sequence IS NOT NULL",
        execution_options={"stream_results": True, "yield_per": PAGE},
    )
    for page in found.partitions(PAGE):
        rows = [
            {"table_ref": table, "sequence": sequence, "cited_by": by}
            for table, by, payload in page
            for sequence in cited("irregularity", payload)
        ]
        if rows:
            bind.execute(PUT, rows)
