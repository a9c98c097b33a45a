"""A store in a database of each kind, as the archive's tests have it, and one in SQLite alone for what SQL decides."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store
from tests.floor.archive.conftest import database, postgres, store

__all__ = ["database", "postgres", "store"]


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Store]:
    made = store_at(f"sqlite:{tmp_path / 'floor.db'}")
    await made.open()
    yield made
    await made.close()
