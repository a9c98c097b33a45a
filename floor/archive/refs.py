"""Numbers by which `event_rows` names what comes again and again: tables, runs, and sorts of events. Runs no statement.

`?` stands for a value, in the order of `what`.
"""

from __future__ import annotations

from typing import Any

from pitwatch.floor.archive.packing import sort_key, sort_of
from pitwatch.floor.archive.row import Row

TABLE, BOOT, SORT = "table", "boot", "sort"
What = tuple[str, tuple[Any, ...]]
"""One of these, and its values."""

MAKE = {
    TABLE: "INSERT INTO event_tables (site, table_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    BOOT: "INSERT INTO event_boots (boot) VALUES (?) ON CONFLICT DO NOTHING",
    SORT: """INSERT INTO event_sorts (key, kind, subtopic, name, device, severity, raised, partial, earlier, void)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
}
FIND = {
    TABLE: "SELECT table_ref AS ref FROM event_tables WHERE (site, table_id) = (?, ?)",
    BOOT: "SELECT boot_ref AS ref FROM event_boots WHERE boot = ?",
    SORT: "SELECT sort_ref AS ref FROM event_sorts WHERE key = ?",
}

MOST = 200_000
"""Numbers that are remembered; a client may send other names without end."""


class Refs(dict[What, int]):
    """Those that are known. To be cleared when the database is opened, and when a transaction that made some fails."""

    def of(self, row: Row) -> tuple[int, int, int] | None:
        """Of its table, run and sort; None if one of them is not known yet."""
        found = [self.get(what) for what in whats(row)]
        return None if None in found else (found[0], found[1], found[2])  # type: ignore[return-value]

    def trim(self) -> None:
        """Before a transaction: forget all if they are too many."""
        if len(self) > MOST:
            self.clear()


def whats(row: Row) -> tuple[What, What, What]:
    """What a row needs numbers of."""
    return (TABLE, (row.site, row.table_id)), (BOOT, (row.boot,)), (SORT, sort_of(row))


def to_make(what: What) -> tuple[str, tuple[Any, ...]]:
    """The statement that makes its number if there is none."""
    kind, values = what
    return MAKE[kind], (sort_key(values), *values) if kind == SORT else values


def to_find(what: What) -> tuple[str, tuple[Any, ...]]:
    """The question for its number."""
    kind, values = what
    return FIND[kind], (sort_key(values),) if kind == SORT else values
