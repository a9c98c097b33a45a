"""A backup that is made while the archive stores (docs/archive.md), restored: it verifies, and answers the same."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.postgres import Postgres
from tests.floor.archive.stream import closed, dump
from tests.floor.archive.test_archiver import archiving
from tests.floor.archive.test_rolled_back import House
from tests.floor.archive.test_store import floor, rows

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")


def backed_up(database: str, folder: Path, request: pytest.FixtureRequest) -> str:
    """The address of what was restored."""
    kind, _, path = database.partition(":")
    if kind == "sqlite":
        copy = folder / "restored.db"
        source, target = sqlite3.connect(path), sqlite3.connect(copy)
        source.backup(target)  # what `.backup` of the sqlite3 program does
        source.close()
        target.close()
        return f"sqlite:{copy}"
    server: Postgres = request.getfixturevalue("postgres")
    file, fresh = str(folder / "floor.dump"), server.fresh()
    subprocess.run(["pg_dump", "--format=custom", "--file", file, database], check=True)
    subprocess.run(["pg_restore", "--exit-on-error", "--no-owner", "--dbname", fresh, file], check=True)
    return fresh


async def test_a_backup_of_a_running_archive_verifies(
    database: str, broker: Mosquitto, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    house = House(broker, tmp_path)
    house.database = database
    async with archiving(broker, store_at(database)):
        await house.answers(await house.play())
        restored = await asyncio.to_thread(backed_up, database, tmp_path, request)
        last = await house.play()
        await house.answers(last)
    capsys.readouterr()
    command = ["archive", "verify", "toledo/RL-07", str(house.folder / "RL-07.db"), "--database", restored, "--json"]
    assert await asyncio.to_thread(cli.main, command) == 0
    verified = json.loads(capsys.readouterr().out)
    assert 0 < verified["records"] < last
    assert verified["checkpoints"] > 0


async def test_a_restored_archive_answers_the_same(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store = store_at(database)
    await store.open()
    await store.put(rows(floor()), [])
    restored = store_at(await asyncio.to_thread(backed_up, database, tmp_path, request))
    await restored.open()
    assert await dump(restored) == await dump(store)
    for ask in (questions.rounds, questions.irregularities, questions.downtime, questions.missing):
        assert await ask(restored, Asked()) == await ask(store, Asked())
    new = rows([closed(59, 59 * 40.0, 59), closed(90, 4_000.0, 90)])
    assert [row.sequence for row in await restored.put(new, [])] == [90]
    await store.close()
    await restored.close()
