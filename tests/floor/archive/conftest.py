"""Fixtures: a real PostgreSQL for the session, both kinds of database, and a store in each."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store
from tests.floor.archive.postgres import Postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    pytest.importorskip("psycopg")
    if not Postgres.installed():
        pytest.skip("PostgreSQL is not installed")
    server = Postgres()
    server.start()
    yield server
    server.stop(signal.SIGQUIT)  # at once: nobody needs its files


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'floor.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.fresh()


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    made = store_at(database)
    await made.open()
    yield made
    await made.close()
