"""A real table, a real broker and the archive as its witness; a second witness that knows only the standard."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.ports import free_port
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.messages import CosignatureData
from pitwatch.daemon.journal import checkpoints
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.tlog.note import Key
from pitwatch.floor import asking
from pitwatch.floor.archive import gaps as gaps_module
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.witness import tables
from pitwatch.floor.witness.config import WitnessSection
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.outside import Outside
from tests.daemon.test_asyncapi import validator
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.test_archiver import until
from tests.floor.one_table import SECOND, Table
from tests.floor.witness.independent import Witness, cosigned_at

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
NAME = "house.example/archive"
DAY = 86_400
BEGIN = 1_800_000_000
HOUR = 3_600 * SECOND


class House:
    """A board's state folder, its daemon a day at a time, and an archive that witnesses it."""

    def __init__(self, broker: Mosquitto, folder: Path, database: str):
        self.broker = broker
        self.folder = folder / "state"
        self.folder.mkdir()
        self.database = database
        self._key = folder / "witness.key"
        self.key = Cosigner(NAME, self._key).prepare()
        self.keys = (self.key,)
        self._days = 0

    @contextlib.asynccontextmanager
    async def day(self, folder: Path | None = None, url: str = "") -> AsyncIterator[Table]:
        self._days += 1
        wall = BEGIN + self._days * DAY
        table = Table(folder or self.folder, self.broker, requests=[], wall=wall, witnesses=self.keys, url=url)
        await table.daemon.start()
        try:
            yield table
        finally:
            await table.daemon.stop()

    @contextlib.asynccontextmanager
    async def archiving(self, *outside: Outside) -> AsyncIterator[Archiver]:
        section = WitnessSection(name=NAME, key=str(self._key), outside=outside)
        config = FloorConfig(mqtt=MqttSection(url=self.broker.url), witness=section)
        archiver = Archiver(config, store_at(self.database), "archive")
        task = asyncio.create_task(archiver.run())
        try:
            await until(lambda: archiver.intake.feed and archiver.intake.feed.trouble is None, "it does not hear")
            yield archiver
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def played(self, spins: int = 2, folder: Path | None = None) -> Table:
        """A day that ends only once all is cosigned that it signed first."""
        async with self.day(folder) as table:
            table.play(spins)
            await until(lambda: cosigned(table) >= signed(table) > 0, "not cosigned")
        return table


def cosigned(table: Table) -> int:
    return max(table.daemon.witnessing._newest.values())


def signed(table: Table) -> int:
    newest = table.daemon.checkpoints.newest
    return newest.sequence if newest is not None else 0


def pruned(folder: Path) -> int:
    with contextlib.closing(JournalStore(folder / "RL-07.db", read_only=True)) as store:
        return store.pruned


async def sign(table: Table) -> None:
    """What would be signed ten minutes later."""
    await until(lambda: signed(table), "not signed")
    table.play(1)
    await until(lambda: table.daemon.journal.committed == table.daemon.journal.last, "not on disk")
    table.daemon.checkpoints._due = 0.0
    table.daemon.checkpoints._wake.set()


async def asked(database: str, sql: str) -> list[dict[str, Any]]:
    store: Store = store_at(database)
    await store.open()
    try:
        return await store.ask(sql)
    finally:
        await store.close()


async def stands(database: str, kind: str) -> list[dict[str, Any]]:
    sql = f"SELECT heard, said FROM troubles WHERE kind = '{kind}' AND over_at IS NULL"
    await until(lambda: asked(database, sql), f"no {kind}")
    rows = await asked(database, sql)
    return [{name: msgspec.json.decode(row[name]) for name in ("heard", "said")} for row in rows]


@pytest.fixture
def house(broker: Mosquitto, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(tables, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(tables, "ASK_EVERY", 0.1)
    monkeypatch.setattr(tables, "SILENT_FOR", 0.5)
    monkeypatch.setattr(asking, "ANSWERED_WITHIN", 3.0)  # a table that is stopped meanwhile never answers
    monkeypatch.setattr(checkpoints, "LOOK_EVERY", 0.2)
    return House(broker, tmp_path, database)


async def test_a_cosigned_head_is_a_record_that_anybody_can_verify(house: House) -> None:
    async with house.archiving():
        for _ in range(3):
            await house.played()
        await until(lambda: asked(house.database, "SELECT 1 FROM events WHERE kind = 'cosignature'"), "not published")
    path = house.folder / "RL-07.db"
    assert verify(path).fault is None
    store = JournalStore(path, read_only=True)
    made = [msgspec.json.decode(r.body, type=CosignatureData) for r, _ in store.records(0) if r.kind == "cosignature"]
    store.close()
    assert len(made) >= 3
    for each in made:
        at = cosigned_at(each.note, NAME, house.key.public)
        assert at is not None
        assert each.witness == NAME
        assert each.note.split("\n")[1] == str(each.sequence)
    assert await asked(house.database, "SELECT * FROM troubles") == []
    schema = validator("cosignature")
    for row in await asked(house.database, "SELECT payload FROM events WHERE kind = 'cosignature'"):
        assert list(schema.iter_errors(json.loads(row["payload"]))) == []


async def test_an_older_copy_of_the_state_folder(house: House, tmp_path: Path) -> None:
    async with house.archiving():
        await house.played()
        shutil.copytree(house.folder, tmp_path / "copy")
        await house.played(6)
        shutil.rmtree(house.folder)
        shutil.copytree(tmp_path / "copy", house.folder)
        async with house.day() as table:
            await sign(table)
            (found, *_) = await stands(house.database, "split_view")
        assert found["heard"]["note"] != found["said"]["note"]
        assert found["said"]["records"] < max(found["heard"]["size"], found["said"]["size"])


async def test_another_past_that_the_table_s_own_key_signed(house: House, tmp_path: Path) -> None:
    """Longer than the one that was cosigned, without a gap, and sound: `verify` on the board finds nothing."""
    async with house.archiving():
        await house.played()
        shutil.copytree(house.folder, tmp_path / "thief")
        await house.played()
        async with house.day(tmp_path / "thief", f"mqtt://127.0.0.1:{free_port()}") as table:
            table.play(30)
            await until(lambda: table.daemon.journal.committed == table.daemon.journal.last, "not on disk")
        assert verify(tmp_path / "thief" / "RL-07.db").fault is None
        async with house.day(tmp_path / "thief") as table:
            await sign(table)
            (found, *_) = await stands(house.database, "split_view")
        assert found["heard"]["note"] != found["said"]["note"]
        newest = (await asked(house.database, "SELECT max(size) AS size FROM witness_heads"))[0]["size"]
        assert newest < 100, "the longer past was cosigned"


async def test_nothing_of_a_sound_table_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restarts, outages of broker and archive, what is told again, retention."""
    monkeypatch.setattr(gaps_module, "LOOK_EVERY", 0.3)
    monkeypatch.setattr(gaps_module, "ASK_EVERY", 0.1)
    async with house.archiving():
        await house.played()
        async with house.day() as table:
            await sign(table)
            house.broker.stop()
            await sign(table)
            await until(lambda: signed(table) > cosigned(table), "not signed")
            house.broker.start()
            await until(lambda: cosigned(table) >= signed(table), "not cosigned")
        await house.played()
    async with house.day() as table:  # the archive is down
        await sign(table)
        await until(table.delivered, "not delivered")
    async with house.archiving():
        await house.played()
        async with house.day() as table:
            table.play(4)
            await until(table.delivered, "not delivered")
            journal = table.daemon.journal
            journal.remove(20, journal.last)
            await sign(table)
            await until(lambda: pruned(house.folder) == 20, "not removed")
            await until(lambda: cosigned(table) >= signed(table) > 0, "not cosigned")
        await house.played()
        assert pruned(house.folder) == 20
    assert await asked(house.database, "SELECT * FROM troubles") == []
    assert await asked(house.database, "SELECT * FROM tree_heads WHERE verdict NOT IN ('cosigned', 'older')") == []


async def test_a_head_that_waits_for_an_hour(house: House) -> None:
    def alerts(table: Table) -> list[bool]:
        kept = [r for r in table.daemon.journal._tail if r.subtopic == "alert/witness"]
        return [msgspec.json.decode(record.body)["raised"] for record in kept]

    async with house.day() as table:
        await until(lambda: table.daemon.checkpoints.newest, "not signed")
        for _ in range(59):
            table.clock.advance_to(table.clock.now() + HOUR // 60)
        assert alerts(table) == []
        for _ in range(3):
            table.clock.advance_to(table.clock.now() + HOUR // 60)
        assert alerts(table) == [True]
        await until(table.delivered, "not delivered")
        async with house.archiving() as archive:
            await until(lambda: archive.intake.stored, "nothing comes")
            await sign(table)
            await until(lambda: cosigned(table), "not cosigned")
        assert alerts(table) == [True, False]


async def test_a_table_without_a_witness_is_as_it_was(house: House) -> None:
    house.keys = ()
    async with house.archiving(), house.day() as table:
        table.play(2)
        await until(table.delivered, "not delivered")
        table.clock.advance_to(table.clock.now() + 3 * HOUR)
        kinds = {record.kind for record in table.daemon.journal._tail}
        assert kinds & {"cosignature", "request"} == set()
        assert not [record for record in table.daemon.journal._tail if record.subtopic == "alert/witness"]


async def test_a_second_witness_outside_the_house(house: House) -> None:
    made = Signer(key_path(house.folder / "RL-07.db")).prepare()
    board = Key.of_der("house/pitwatch/toledo/RL-07", made)
    other = Witness("regulator.example/w1", {board.name: [board.public]})
    outside = Outside(other.url, Key.parse(other.vkey))
    house.keys = (house.key, Key.parse(other.vkey))
    try:
        async with house.archiving(outside):
            sql = "SELECT note, witness FROM cosignatures WHERE told"
            async with house.day() as table:
                await sign(table)
                await until(lambda: both(house.database, sql), "not cosigned by both")
                least = min(table.daemon.witnessing._newest.values())
                await sign(table)  # now a proof from what each of them has cosigned is needed
                await until(lambda: min(table.daemon.witnessing._newest.values()) > least, "not cosigned by both again")
            for row in await asked(house.database, sql):
                public = house.key.public if row["witness"] == NAME else other.public
                assert cosigned_at(row["note"], row["witness"], public) is not None
        assert await asked(house.database, "SELECT * FROM troubles") == []
    finally:
        other.close()


async def both(database: str, sql: str) -> bool:
    return len({row["witness"] for row in await asked(database, sql)}) == 2
