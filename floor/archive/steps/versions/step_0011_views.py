"""Views for dashboards: the same in any later version, whatever becomes of the tables below them."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"

STATEMENTS = (
    """CREATE VIEW floor_rounds AS
        SELECT at, site, table_id, name AS game, partial, void FROM events WHERE kind = 'round'""",
    """CREATE VIEW floor_irregularities AS
        SELECT at, site, table_id, sequence, name AS rule, severity FROM events WHERE kind = 'irregularity'""",
    # Alerts that stand, since when.
    """CREATE VIEW floor_alerts AS SELECT at AS since, site, table_id, name AS alert, device FROM events AS e
        WHERE kind = 'alert' AND raised AND NOT EXISTS (
            SELECT 1 FROM events AS later WHERE later.kind = 'alert' AND later.name = e.name
            AND later.table_ref = e.table_ref AND later.sequence > e.sequence)""",
    """CREATE VIEW floor_troubles AS
        SELECT at AS since, site, table_id, kind, told FROM troubles WHERE over_at IS NULL""",
    # What each table said last of itself.
    """CREATE VIEW floor_tables AS SELECT at AS since, site, table_id, name AS state FROM events AS e
        WHERE kind = 'status' AND NOT EXISTS (
            SELECT 1 FROM events AS later WHERE later.kind = 'status' AND later.table_ref = e.table_ref
            AND (later.at > e.at OR (later.at = e.at AND later.id > e.id)))""",
    # The last state of each device that is configured.
    """CREATE VIEW floor_devices AS SELECT at AS since, site, table_id, device, name AS state FROM events AS e
        WHERE kind = 'device' AND name <> 'removed' AND NOT EXISTS (
            SELECT 1 FROM events AS later WHERE later.kind = 'device' AND later.device = e.device
            AND later.table_ref = e.table_ref AND later.sequence > e.sequence)""",
    """CREATE VIEW floor_open_cases AS SELECT case_id, site, table_id, subject, state FROM cases
        WHERE state <> 'closed'""",
    # What `[archive] keep` removed.
    """CREATE VIEW floor_removed AS
        SELECT x.at, t.site, t.table_id, x.kind, x.records, x.began, x.ended, x.rule
        FROM removed AS x JOIN event_tables AS t ON t.table_ref = x.table_ref""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
