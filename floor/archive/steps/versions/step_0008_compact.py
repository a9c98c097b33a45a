"""Events in less than half the space: texts that come again and again are stored once, and of a message only what its
columns do not say. `events` becomes a view that gives what it gave before.

In PostgreSQL the rows lie in partitions, by the month in which they came.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import sqlalchemy
from alembic import op
from sqlalchemy import Connection

from pitwatch.floor.archive import packing
from pitwatch.floor.archive.row import Row, iso

revision = "0008"
down_revision = "0007"

PAGE = 5_000

TABLES = {
    "sqlite": (
        """CREATE TABLE event_tables (
            table_ref INTEGER PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, UNIQUE (site, table_id))""",
        "CREATE TABLE event_boots (boot_ref INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE)",
        # What events have in common: `key` is all of it as JSON.
        """CREATE TABLE event_sorts (
            sort_ref INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, subtopic TEXT NOT NULL,
            name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN, earlier BOOLEAN, void TEXT)""",
        # `id` is empty where it is table/boot/number, `time` where it is `at`; `form`: floor/archive/packing.py.
        """CREATE TABLE event_rows (
            table_ref INTEGER NOT NULL, boot_ref INTEGER NOT NULL, sort_ref INTEGER NOT NULL, sequence BIGINT,
            monotonic_ns BIGINT NOT NULL, at TEXT NOT NULL, synced BOOLEAN NOT NULL, form INTEGER NOT NULL,
            id TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL)""",
        "CREATE UNIQUE INDEX event_rows_once ON event_rows (table_ref, sequence, boot_ref)",
        "CREATE UNIQUE INDEX event_rows_states ON event_rows (table_ref, id) WHERE id <> ''",
        "CREATE INDEX event_rows_by_time ON event_rows (at)",
    ),
    "postgresql": (
        """CREATE TABLE event_tables (
            table_ref INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL,
            UNIQUE (site, table_id))""",
        """CREATE TABLE event_boots (
            boot_ref INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, boot TEXT NOT NULL UNIQUE)""",
        # Keyed by a digest: a key of PostgreSQL has at most 2,704 bytes.
        """CREATE TABLE event_sorts (
            sort_ref INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
            subtopic TEXT NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN,
            earlier BOOLEAN, void TEXT)""",
        # Which month 256 numbers of a run belong to: that in which the first came. So an id is in one partition.
        """CREATE TABLE event_blocks (
            table_ref INTEGER NOT NULL, boot_ref INTEGER NOT NULL, block BIGINT NOT NULL, month INTEGER NOT NULL,
            PRIMARY KEY (table_ref, boot_ref, block))""",
        """CREATE TABLE event_rows (
            monotonic_ns BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, sequence BIGINT, table_ref INTEGER NOT NULL,
            boot_ref INTEGER NOT NULL, sort_ref INTEGER NOT NULL, month INTEGER NOT NULL, form SMALLINT NOT NULL,
            synced BOOLEAN NOT NULL, id TEXT NOT NULL, time TEXT NOT NULL, body TEXT NOT NULL)
            PARTITION BY LIST (month)""",
        "CREATE UNIQUE INDEX event_rows_once ON event_rows (table_ref, sequence, boot_ref, month)",
        "CREATE UNIQUE INDEX event_rows_states ON event_rows (table_ref, id, month) WHERE id <> ''",
        "CREATE INDEX event_rows_by_time ON event_rows USING brin (at timestamptz_minmax_multi_ops)",
        # What belongs to no month: states, and what outlasts its month.
        "CREATE TABLE event_rows_lasting PARTITION OF event_rows FOR VALUES IN (0)",
    ),
}
BOTH = (
    "CREATE INDEX event_sorts_by_name ON event_sorts (kind, name)",
    "CREATE INDEX event_rows_by_sort ON event_rows (sort_ref, at)",
    "CREATE INDEX event_rows_unsynced ON event_rows (table_ref, boot_ref) WHERE NOT synced",
)

AT = {"sqlite": "r.at", "postgresql": """to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""}
ATTRIBUTES = """'{"specversion":"1.0","id":"' || t.table_id || '/' || b.boot || '/' || r.sequence
    || '","source":"/' || t.site || '/' || t.table_id || '","type":"pitwatch.' || s.kind || '.v1","time":"'
    || CASE WHEN r.time = '' THEN AT ELSE r.time END || '","datacontenttype":"application/json","bootid":"' || b.boot
    || '","monotonic":"' || r.monotonic_ns || '","clocksynced":' || CASE WHEN r.synced THEN 'true' ELSE 'false' END
    || ',"sequence":' || r.sequence"""
# Of an observation `body` is TIME|DATA.
SPLIT = {"sqlite": "instr(r.body, '|')", "postgresql": "strpos(r.body, '|')"}
VIEW = f"""
    CREATE VIEW events AS SELECT t.site, t.table_id,
        CASE WHEN r.id = '' THEN t.table_id || '/' || b.boot || '/' || r.sequence ELSE r.id END AS id,
        r.sequence, b.boot, s.kind, s.subtopic, r.at, r.monotonic_ns, r.synced, s.name, s.device, s.severity, s.raised,
        s.partial, s.earlier, s.void,
        CASE r.form WHEN 0 THEN r.body WHEN 1 THEN {ATTRIBUTES} || r.body
            WHEN 2 THEN {ATTRIBUTES} || ',"data":' || r.body || '}}'
            ELSE {ATTRIBUTES} || ',"data":{{"t":' || substr(r.body, 1, SPLIT - 1) || ',"device":"' || s.device
                || '","event":"' || s.name || '","data":' || substr(r.body, SPLIT + 1) || '}}}}' END AS payload,
        r.table_ref
    FROM event_rows AS r JOIN event_tables AS t ON t.table_ref = r.table_ref
    JOIN event_boots AS b ON b.boot_ref = r.boot_ref JOIN event_sorts AS s ON s.sort_ref = r.sort_ref
"""

OLD = (
    "site, table_id, id, sequence, boot, kind, subtopic, at, monotonic_ns, synced, name, device, severity, raised,"
    " partial, earlier, void, payload"
)
SORTS = ("kind", "subtopic", "name", "device", "severity", "raised", "partial", "earlier", "void")
EARLIEST = 202001
"""The month before which no clock was right."""

PUT = sqlalchemy.text(
    "INSERT INTO event_rows (table_ref, boot_ref, sort_ref, sequence, monotonic_ns, at, synced, form, id, time, body)"
    " VALUES (:table_ref, :boot_ref, :sort_ref, :sequence, :monotonic_ns, :at, :synced, :form, :id, :time, :body)"
)
PUT_ASIDE = sqlalchemy.text(
    "INSERT INTO put_aside VALUES (:digest, :site, :table_id, :topic, :at, 'impossible', :reason, :message)"
    " ON CONFLICT DO NOTHING"
)


def upgrade() -> None:
    kind = op.get_context().dialect.name
    bind = op.get_bind()
    run = bind.exec_driver_sql
    run("ALTER TABLE events RENAME TO earlier_events")
    for index in ("events_in_order", "events_by_time", "events_by_name"):
        run(f"DROP INDEX IF EXISTS {index}")
    for statement in (*TABLES[kind], *BOTH):
        run(statement)
    run(VIEW.replace("AT ELSE", f"{AT[kind]} ELSE").replace("SPLIT", SPLIT[kind]))
    run("INSERT INTO event_tables (site, table_id) SELECT DISTINCT site, table_id FROM earlier_events ORDER BY 1, 2")
    run("INSERT INTO event_boots (boot) SELECT DISTINCT boot FROM earlier_events ORDER BY 1")
    _sorts(bind)
    _rows(bind, kind == "postgresql")
    run("DROP TABLE earlier_events")


def _sorts(bind: Connection) -> None:
    put = sqlalchemy.text(
        f"INSERT INTO event_sorts (key, {', '.join(SORTS)}) VALUES (:key, {', '.join(f':{name}' for name in SORTS)})"
    )
    for found in bind.exec_driver_sql(f"SELECT DISTINCT {', '.join(SORTS)} FROM earlier_events").fetchall():
        sort = _sort(found)
        bind.execute(put, {"key": packing.sort_key(sort), **dict(zip(SORTS, sort, strict=True))})


def _rows(bind: Connection, by_month: bool) -> None:
    tables = {row[1:]: row[0] for row in bind.exec_driver_sql("SELECT table_ref, site, table_id FROM event_tables")}
    boots = {row[1]: row[0] for row in bind.exec_driver_sql("SELECT boot_ref, boot FROM event_boots")}
    sorts = {row[1]: row[0] for row in bind.exec_driver_sql("SELECT sort_ref, key FROM event_sorts")}
    put, months = PUT, Months(bind)
    if by_month:
        put = sqlalchemy.text(str(PUT).replace("body)", "body, month)", 1).replace(":body)", ":body, :month)"))
    found = bind.exec_driver_sql(
        f"SELECT {OLD} FROM earlier_events ORDER BY site, table_id, sequence",
        execution_options={"stream_results": True, "yield_per": PAGE},
    )
    for page in found.partitions(PAGE):
        rows = []
        for each in page:
            row = _row(each)
            if row.sequence is not None and row.id != f"{row.table_id}/{row.boot}/{row.sequence}":
                bind.execute(PUT_ASIDE, _aside(row))
                continue
            form, time, body = packing.packed(row)
            refs = tables[row.site, row.table_id], boots[row.boot]
            rows.append(
                {
                    "table_ref": refs[0], "boot_ref": refs[1], "sequence": row.sequence,
                    "sort_ref": sorts[packing.sort_key(packing.sort_of(row))], "monotonic_ns": row.monotonic_ns,
                    "at": row.at if by_month else iso(row.at), "synced": row.synced, "form": form,
                    "id": row.id if row.sequence is None else "", "time": time, "body": body,
                }
            )  # fmt: skip
            if by_month:
                rows[-1]["month"] = months.of(refs, row)
        if rows:
            bind.execute(put, rows)


class Months:
    """Partitions, made where they are needed, and which of them a block of numbers is in."""

    def __init__(self, bind: Connection):
        self._bind = bind
        self._made = {0}
        self._blocks: dict[tuple[int, int, int], int] = {}

    def of(self, refs: tuple[int, int], row: Row) -> int:
        if row.sequence is None:
            return 0
        block = (*refs, row.sequence // 256)
        month = self._blocks.get(block)
        if month is None:
            month = row.at.year * 100 + row.at.month
            if not EARLIEST <= month <= datetime.now(UTC).year * 100 + datetime.now(UTC).month:
                month = 0
            self._blocks[block] = month
            self._bind.exec_driver_sql(f"INSERT INTO event_blocks VALUES ({block[0]}, {block[1]}, {block[2]}, {month})")
        if month not in self._made:
            self._made.add(month)
            self._bind.exec_driver_sql(
                f"CREATE TABLE event_rows_{month} PARTITION OF event_rows FOR VALUES IN ({month})"
            )
        return month


def _row(found: Any) -> Row:
    """As the columns say; flags of SQLite are numbers."""
    values = list(found)
    at = values[7]
    values[7] = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    for place in (9, 13, 14, 15):
        values[place] = None if values[place] is None else bool(values[place])
    return Row(*values)


def _sort(found: Any) -> packing.Sort:
    kind, subtopic, name, device, severity, *flags, void = found
    raised, partial, earlier = (None if flag is None else bool(flag) for flag in flags)
    return (kind, subtopic, name, device, severity, raised, partial, earlier, void)


def _aside(row: Row) -> dict[str, Any]:
    """Earlier versions took an event of a number under an id of another one."""
    message = row.payload.encode()
    told = f"id {row.id} is not {row.table_id}/{row.boot}/{row.sequence}".encode("ascii", "backslashreplace").decode()
    return {
        "digest": hashlib.sha256(row.subtopic.encode() + b"\0" + message).hexdigest(), "site": row.site,
        "table_id": row.table_id, "topic": row.subtopic, "at": iso(row.at), "reason": told, "message": message,
    }  # fmt: skip
