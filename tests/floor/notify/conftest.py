"""A store in a database of each kind, as the archive's tests have it."""

from tests.floor.cases.conftest import database, postgres, sqlite, store

__all__ = ["database", "postgres", "sqlite", "store"]
