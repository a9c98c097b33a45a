"""The archive beside live tables: a real mosquitto, both databases; processes that die, databases that go away."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.archive import archiver, questions
from pitwatch.floor.archive import gaps as gaps_module
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.cases.change import decoded
from pitwatch.floor.cases.verifying import verify
from pitwatch.floor.config import ArchiveSection, FloorConfig
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.postgres import Postgres
from tests.floor.archive.stream import dump
from tests.floor.one_table import Table

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

PROJECT = Path(__file__).parents[3]
SPAN = """
    SELECT count(DISTINCT sequence) AS n, min(sequence) AS first, max(sequence) AS last FROM events
    WHERE sequence >= (SELECT min(sequence) FROM events WHERE kind = 'observation')
"""
"""From the first record that came live; what was retained before it may be older."""

ENOUGH = 40.0
"""Seconds in which an archive has what was published, on a busy machine."""


class Instance:
    """`pitwatch archive run` as a process."""

    def __init__(self, broker: Mosquitto, database: str, name: str, group: str = ""):
        command = [
            sys.executable,
            "-m",
            "pitwatch.daemon.cli",
            "archive",
            "run",
            "--broker",
            broker.url,
            "--name",
            name,
        ]
        self._command = [*command, "--database", database, *(["--group", group] if group else [])]
        self._log = broker.folder / f"{name}.log"
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, cwd=PROJECT, stderr=log)

    def hears(self) -> bool:
        return "archiving as" in self._log.read_text()

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(15)


def bench(broker: Mosquitto, table: str, rounds: int, seed: int) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "pitwatch.daemon.cli",
        "bench",
        f"sim_hw/tables/{table}.toml",
        "--broker",
        broker.url,
    ]
    options = ["--rounds", str(rounds), "--seed", str(seed), "--speed", "max", "--json"]
    return subprocess.Popen([*command, *options], cwd=PROJECT, stdout=subprocess.PIPE, text=True)


async def until(condition: Callable[[], Any], what: str) -> None:
    """Wait for a condition, which may be awaitable."""
    deadline = time.monotonic() + ENOUGH
    while True:
        value = condition()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.1)


async def cases_of(store: Store, planned: Counter[str]) -> bool:
    """Whether each planned irregularity has a case, and one only."""
    rows = await store.ask("SELECT body FROM case_changes WHERE source IS NOT NULL")
    found = [decoded(row["body"]) for row in rows]
    names = [each.event.name for each in found if each.event is not None and each.event.what == "irregularity"]
    counted = Counter(name.rpartition("/")[2] for name in names)
    assert counted <= planned
    return counted == +planned


async def test_planned_irregularities_once_whoever_archives(broker: Mosquitto, database: str, tmp_path: Path) -> None:
    """Two instances share a floor, one is killed and comes back; a third archives alone. The three agree."""
    alone = f"sqlite:{tmp_path / 'alone.db'}"
    shared = [Instance(broker, database, name, "pair") for name in ("one", "two")]
    single = Instance(broker, alone, "three")
    store, other = store_at(database), store_at(alone)
    try:
        await until(lambda: all(instance.hears() for instance in (*shared, single)), "no subscriptions")
        playing = bench(broker, "roulette", 120, 3)
        await asyncio.sleep(1.5)
        shared[0].end(signal.SIGKILL)
        await asyncio.sleep(1.0)
        shared[0].start()
        out, _ = await asyncio.to_thread(playing.communicate)
        lines = [json.loads(line) for line in out.splitlines()]
        summary = lines[-1]
        assert summary["ok"], summary
        planned = Counter({row["rule"]: row["planned"] for row in summary["summary"]})
        await store.open()
        await other.open()

        async def rounds(each: Store) -> int:
            return sum(row["rounds"] for row in await questions.rounds(each, questions.Asked()))

        async def alike() -> bool:
            if await rounds(store) < summary["rounds"] or await rounds(other) < summary["rounds"]:
                return False  # one as far behind as the other is no reason to stop
            left, right = await dump(store), await dump(other)
            return bool(left) and [row[2] for row in left if row[3]] == [row[2] for row in right if row[3]]

        await until(alike, "the archives differ")
        assert [row for row in await dump(store) if row[3]] == [row for row in await dump(other) if row[3]]
        for each in (store, other):
            found = await each.ask("SELECT name, count(*) AS n FROM events WHERE kind = 'irregularity' GROUP BY name")
            assert Counter({row["name"].rpartition("/")[2]: row["n"] for row in found}) == +planned
            assert await rounds(each) == summary["rounds"]
            assert await questions.missing(each, questions.Asked()) == []  # nothing put aside either
        await until(lambda: cases_of(store, planned), "not every irregularity has its case")
        await until(lambda: cases_of(other, planned), "not every irregularity has its case")
        for each in (store, other):
            assert (await verify(each, [])).faults == []
    finally:
        codes = [instance.end(signal.SIGTERM) for instance in (*shared, single)]
        await store.close()
        await other.close()
    assert codes == [0, 0, 0]


@contextlib.asynccontextmanager
async def archiving(broker: Mosquitto, store: Store, name: str = "archive") -> AsyncIterator[Archiver]:
    archiver = Archiver(FloorConfig(mqtt=MqttSection(url=broker.url), archive=ArchiveSection()), store, name)
    task = asyncio.create_task(archiver.run())
    try:
        await until(lambda: archiver.intake.feed and archiver.intake.feed.trouble is None, "the archive does not hear")
        yield archiver
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_what_was_missed_is_asked_for(
    broker: Mosquitto, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaps_module, "LOOK_EVERY", 0.3)
    monkeypatch.setattr(gaps_module, "ASK_EVERY", 0.1)
    table, store, reading = Table(tmp_path, broker), store_at(database), store_at(database)
    await table.daemon.start()
    try:
        async with archiving(broker, store):
            table.play(3)
            await until(table.delivered, "not delivered")
        # The broker forgets the archive: what is published now is nobody's.
        async with aiomqtt.Client("127.0.0.1", broker.port, identifier="archive", clean_session=True):
            pass
        table.play(4)
        await until(table.delivered, "not delivered")
        async with archiving(broker, store):
            table.play(1)
            await until(table.delivered, "not delivered")
            await reading.open()

            async def whole() -> bool:
                (found,) = await reading.ask(SPAN)
                whole = found["n"] and found["n"] == found["last"] - found["first"] + 1
                return bool(whole and found["last"] == table.daemon.journal.last)

            await until(whole, "the gap stays")
            replayed = await reading.ask("SELECT DISTINCT subtopic FROM events WHERE kind = 'observation'")
            assert replayed == [{"subtopic": "observation/wheel"}]
            assert await gaps_module.gaps(reading) == []
    finally:
        await reading.close()
        await table.daemon.stop()


async def test_a_database_that_goes_away_loses_nothing(broker: Mosquitto, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    if not Postgres.installed():
        pytest.skip("PostgreSQL is not installed")
    server = Postgres()
    server.start()
    database = server.fresh()
    table, store, reading = Table(tmp_path, broker), store_at(database), store_at(database)
    await table.daemon.start()
    try:
        async with archiving(broker, store) as archiver:
            table.play(2)
            await until(table.delivered, "not delivered")
            await asyncio.to_thread(server.stop, signal.SIGQUIT)
            table.play(5)
            await until(table.delivered, "not delivered")
            await asyncio.sleep(1.0)
            await asyncio.to_thread(server.start)
            table.play(1)
            await until(table.delivered, "not delivered")
            await reading.open()

            async def whole() -> bool:
                with contextlib.suppress(StoreError):
                    (found,) = await reading.ask(SPAN)
                    whole = found["n"] and found["n"] == found["last"] - found["first"] + 1
                    return bool(whole and found["last"] == table.daemon.journal.last)
                return False

            await until(whole, "records are missing")
            assert archiver.opened >= 2
    finally:
        await reading.close()
        await table.daemon.stop()
        server.stop()


async def test_an_absent_database_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiver, "AGAIN_AFTER", (0.01, 0.01))
    store = store_at(f"sqlite:{tmp_path}/no/such/folder/archive.db")
    attempts, reach = 0, store.open

    async def counted() -> None:
        nonlocal attempts
        attempts += 1
        await reach()

    monkeypatch.setattr(store, "open", counted)
    config = FloorConfig(mqtt=MqttSection(url="mqtt://127.0.0.1:1"))
    running = asyncio.create_task(Archiver(config, store, "one").run())
    async with asyncio.timeout(ENOUGH):
        while attempts < 4:  # noqa: ASYNC110 - an attempt has no event
            await asyncio.sleep(0.01)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert len(caplog.messages) == 1
    assert caplog.messages[0].endswith("; trying again")


def test_the_command_line_answers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "archive"]

    def ask(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run([*command, *arguments], cwd=PROJECT, capture_output=True, text=True, env={**os.environ})
        return done.returncode, done.stdout, done.stderr

    missing = f"sqlite:{tmp_path / 'none.db'}"
    code, _, told = ask("rounds", "--database", missing)
    assert (code, told.count("\n")) == (2, 1)
    assert "no such archive" in told
    there = tmp_path / "floor.db"

    async def make() -> None:
        store = store_at(f"sqlite:{there}")
        await store.open()
        await store.close()

    asyncio.run(make())
    assert ask("gaps", "--database", f"sqlite:{there}") == (0, "nothing\n", "")
    code, _, told = ask("around", "yesterday", "--database", f"sqlite:{there}")
    assert (code, told.count("\n")) == (2, 1)
    assert "2026-11-28T01:30:00Z is right" in told
    code, _, told = ask("export", str(tmp_path / "floor.xls"), "--database", f"sqlite:{there}")
    assert (code, "must end in .csv or .parquet" in told) == (2, True)
