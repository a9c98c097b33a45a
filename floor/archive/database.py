"""Chooses the database for an address: the only module that knows both back ends. Opens none."""

from __future__ import annotations

import os

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


def existing(database: str) -> Store:
    """The store of an archive that is there: a question must not make an empty one. Raises UsageError."""
    kind, _, path = database.partition(":")
    if kind == "sqlite" and not os.path.isfile(path):
        raise UsageError(f"{path}: no such archive; pitwatch archive run makes one")
    return store_at(database)
