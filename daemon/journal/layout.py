"""The tables and guards of a journal's file, and whether any was added or removed.

Reads SQLite's own list only, which no view or trigger in the file can change. Call it before reading or writing
anything else: a view in place of a table can keep a reader busy without end, and a trigger acts on writes.
"""

from __future__ import annotations

import sqlite3
from functools import cache

ROOM_TABLE = "CREATE TABLE room (bytes)"
"""There for some milliseconds at each start, or until the next if the power goes meanwhile."""

_ROWS = "SELECT CAST(type AS BLOB), CAST(name AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB) FROM sqlite_master"

Rows = frozenset[tuple[str, str, str, str]]


def fault(db: sqlite3.Connection, schema: str, triggers: bool = True) -> str | None:
    """What is foreign or missing in an open file against `schema`, a script of statements; None if nothing is. An
    empty file has nothing that is foreign, and is not at fault. `triggers`: compare them too; who only reads is not
    misled by one. Raises sqlite3.Error."""
    there, expected = _rows(db), _expected(schema)
    if not there:
        return None
    if not triggers:
        there, expected = (frozenset(row for row in rows if row[0] != "trigger") for rows in (there, expected))
    foreign = sorted(there - expected - {("table", "room", "room", ROOM_TABLE)})
    missing = sorted(expected - there)
    names = {name for _, name, _, _ in expected}
    for kind, name, table, _ in foreign:
        if name in names:
            return f"the {kind} {name} in the file was altered"
        return f"the {kind} {name} on {table} does not belong in the file"
    for kind, name, _, _ in missing:
        return f"the {kind} {name} is missing in the file"
    return None


def replaced(db: sqlite3.Connection, schema: str) -> str | None:
    """The first table that is there, but not as `schema` makes it: a view in its place, or columns that are computed.
    None if there is none, so that reading the tables ends. Raises sqlite3.Error."""
    tables = {name: (kind, name, table, sql) for kind, name, table, sql in _expected(schema) if kind == "table"}
    for row in sorted(_rows(db)):
        if row[0] in ("table", "view") and row[1] in tables and row != tables[row[1]]:
            return f"the {row[0]} {row[1]} in the file was altered"
    return None


def _rows(db: sqlite3.Connection) -> Rows:
    return frozenset(tuple(bytes(each or b"").decode(errors="replace") for each in row) for row in db.execute(_ROWS))  # type: ignore[misc]


@cache
def _expected(schema: str) -> Rows:
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(schema)
        return _rows(db)
    finally:
        db.close()
