"""Which database an address names: the one place that knows both. Opens none."""

from __future__ import annotations

from daemon.common.errors import UsageError
from floor.archive.sqlite_store import SqliteStore
from floor.archive.store import Store
from floor.config import DATABASES


def store_at(database: str) -> Store:
    """The store that an address names. Raises UsageError."""
    kind, _, rest = database.partition(":")
    if kind == "sqlite" and rest:
        return SqliteStore(rest)
    if kind in ("postgresql", "postgres"):
        try:
            from floor.archive.postgres_store import PostgresStore
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise UsageError(
                "PostgreSQL needs psycopg; in Pitwatch's clone: .venv/bin/pip install -e '.[archive]'"
            ) from None
        return PostgresStore(database)
    shown = database if "@" not in database else f"{kind}:…"
    raise UsageError(f'database "{shown}" is none; {DATABASES} is right')
