"""Chooses the database for an address: the only module that knows both back ends. Opens none."""

from __future__ import annotations

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive.sqlite_store import SqliteStore
from pitwatch.floor.archive.store import Store
from pitwatch.floor.config import DATABASES


def store_at(database: str) -> Store:
    """The store that an address names. Raises UsageError."""
    kind, _, rest = database.partition(":")
    if kind == "sqlite" and rest:
        return SqliteStore(rest)
    if kind in ("postgresql", "postgres"):
        try:
            from pitwatch.floor.archive.postgres_store import PostgresStore
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise UsageError(
                "PostgreSQL needs psycopg; in Pitwatch's clone: .venv/bin/pip install -e '.[archive]'"
            ) from None
        return PostgresStore(database)
    shown = database if "@" not in database else f"{kind}:…"
    raise UsageError(f'database "{shown}" is none; {DATABASES} is right')
