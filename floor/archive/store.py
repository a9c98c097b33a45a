"""What the archive needs of a database; two of them give it. SQL is written once, with `:name` for a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from daemon.errors import UsageError
from floor.archive.row import Row

KINDS = "sqlite:PATH or postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE"
NAMED = re.compile(r"(?<=[\s(,=]):([a-z_]+)")


class StoreError(Exception):
    """The database cannot be used now; one line says why. It may be back later."""


class Latest(NamedTuple):
    """The newest health of a table: when, up to where the broker had its records then, and the message."""

    site: str
    table_id: str
    at: str
    delivered: int
    payload: str


class Store(Protocol):
    """Every method raises StoreError."""

    hour: str
    """SQL for the hour of `at` as 2026-11-28T03."""

    async def open(self) -> None:
        """Connect, and make the tables that are not there. Again after a StoreError."""

    async def put(self, rows: Sequence[Row], latest: Sequence[Latest]) -> list[Row]:
        """Store what is not there yet, all of it or nothing, safe on disk; returns what is new."""

    async def ask(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """The rows of a query, times as text."""

    async def change(self, sql: str, **values: Any) -> int:
        """Run a statement; returns how many rows it changed."""

    async def close(self) -> None: ...


def store_at(database: str) -> Store:
    """The store that an address names. Raises UsageError."""
    kind, _, rest = database.partition(":")
    if kind == "sqlite" and rest:
        from floor.archive.sqlite_store import SqliteStore

        return SqliteStore(rest)
    if kind in ("postgresql", "postgres"):
        try:
            from floor.archive.postgres_store import PostgresStore
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise UsageError("PostgreSQL needs psycopg: pip install 'pitwatch[archive]'") from None
        return PostgresStore(database)
    shown = database if "@" not in database else f"{kind}:…"
    raise UsageError(f'database "{shown}" is none; {KINDS} is right')
