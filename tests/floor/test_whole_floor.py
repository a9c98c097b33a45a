"""A floor of twenty tables for some seconds; `make floor-test` plays it for five minutes with every fault there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.postgres import Postgres

pytest.importorskip("textual", reason="the watch extra is not installed")
pytest.importorskip("psycopg", reason="the archive extra is not installed")
from tests.floor.whole_floor import whole_floor

pytestmark = [
    pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed"),
    pytest.mark.skipif(not Postgres.installed(), reason="PostgreSQL is not installed"),
]


async def test_a_floor_of_twenty_tables(tmp_path: Path) -> None:
    broker, server = Mosquitto(tmp_path), Postgres()
    broker.start()
    server.start()
    try:
        floor = await whole_floor(broker, server.fresh(), tables=20, seconds=10.0, rules=2)
    finally:
        server.stop()
        broker.close()
    assert floor.archived == floor.planned
    assert sum(floor.planned.values()) >= 40
    assert (floor.missing, floor.troubles) == (0, 0)
    assert floor.wrong == []
    assert floor.tops > 3
