"""A store in a database of each kind, as the archive's tests have it."""

from tests.floor.archive.conftest import database, postgres, store

__all__ = ["database", "postgres", "store"]
