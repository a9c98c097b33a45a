"""Both kinds of database, as the archive's tests have them, and a broker."""

from tests.e2e.conftest import broker
from tests.floor.archive.conftest import database, postgres, store

__all__ = ["broker", "database", "postgres", "store"]
