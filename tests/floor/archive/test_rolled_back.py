"""Boards whose state is put back, emptied or damaged, beside a real broker and a running archive."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiomqtt
import msgspec
import pytest

from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.archive import gaps as gaps_module
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.archiver import Archiver
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store
from pitwatch.floor.archive.troubles import Troubles
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.identity.approved import Approved, ForTable
from tests.daemon.refusing_disk import RefusingDisk
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.test_archiver import archiving, until
from tests.floor.archive.test_troubles import standing
from tests.floor.one_table import Table

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
DAY = 86_400
BEGIN = 1_800_000_000


class House:
    """A board's state folder, the runs of its daemon a day apart, and the archive's database."""

    def __init__(self, broker: Mosquitto, folder: Path):
        self.broker = broker
        self.folder = folder / "state"
        self.folder.mkdir()
        self.database = f"sqlite:{folder / 'floor.db'}"
        self._days = 0

    @contextlib.asynccontextmanager
    async def day(self, id: str = "RL-07", folder: Path | None = None) -> AsyncIterator[Table]:
        self._days += 1
        table = Table(folder or self.folder, self.broker, id, wall=BEGIN + self._days * DAY)
        await table.daemon.start()
        try:
            yield table
        finally:
            await table.daemon.stop()

    async def play(self, spins: int = 2, id: str = "RL-07", folder: Path | None = None) -> int:
        """One run: it begins, plays, signs and ends; returns its last sequence."""
        async with self.day(id, folder) as table:
            table.play(spins)
            await until(table.delivered, "not delivered")
        return table.daemon.journal.last

    async def answers(self, last: int) -> list[str]:
        """What stands, once the archive has the record of that sequence and has judged it."""
        store = store_at(self.database)
        await store.open()

        async def there() -> bool:
            found = await store.ask("SELECT max(sequence) AS n FROM events WHERE table_id = 'RL-07'")
            return bool((found[0]["n"] or 0) >= last)

        await until(there, f"record {last} is not archived")
        await asyncio.sleep(0.5)  # and noted
        judge = Troubles(store, Approved())
        for table in await questions.tables(store):
            await judge._load(table)
        found, _ = judge._judge.judge(time.time() + 1_000)  # with nothing more to be waited for
        try:
            return sorted({*await standing(store), *(each.kind for each in found)})
        finally:
            await store.close()

    async def stands(self, *wanted: str) -> None:
        store = store_at(self.database)
        await store.open()

        async def there() -> bool:
            return sorted(await standing(store)) == sorted(wanted)

        try:
            await until(there, f"not {wanted}")
        finally:
            await store.close()


@pytest.fixture
def house(broker: Mosquitto, tmp_path: Path) -> House:
    return House(broker, tmp_path)


async def test_a_state_folder_that_was_put_back(house: House, tmp_path: Path) -> None:
    async with archiving(house.broker, store_at(house.database)):
        await house.play()
        shutil.copytree(house.folder, tmp_path / "copy")
        await house.play()
        assert await house.answers(await house.play()) == []
        shutil.rmtree(house.folder)
        shutil.copytree(tmp_path / "copy", house.folder)
        await house.play(1)
        await house.stands("rolled_back")
        await house.play(20)
        await house.stands("rolled_back")


async def test_a_state_folder_that_was_emptied(house: House) -> None:
    async with archiving(house.broker, store_at(house.database)):
        await house.play()
        assert await house.answers(await house.play()) == []
        for file in house.folder.glob("RL-07.db*"):
            file.unlink()
        await house.play(1)
        await house.stands("began_anew")


async def test_a_clone_beside_its_board(house: House, tmp_path: Path) -> None:
    async with archiving(house.broker, store_at(house.database)):
        await house.play()
        shutil.copytree(house.folder, tmp_path / "clone")
        assert await house.answers(await house.play()) == []
        await house.play(1, folder=tmp_path / "clone")
        await house.stands("rolled_back")


async def test_a_new_board_announced_by_its_key(house: House) -> None:
    """Unannounced it is two troubles; with its key in FLOOR.toml they are over."""
    async with archiving(house.broker, store_at(house.database)):
        await house.play()
        assert await house.answers(await house.play()) == []
        shutil.rmtree(house.folder)
        house.folder.mkdir()
        await house.play(1)
        await house.stands("began_anew", "other_key")
    async with house.day() as table:
        await until(lambda: table.daemon.checkpoints.key, "no key")
        new = table.daemon.checkpoints.key
    assert new is not None
    section = MqttSection(url=house.broker.url)
    config = FloorConfig(mqtt=section, approved=Approved(tables={"toledo/RL-07": ForTable(key=new)}))
    async with running(config, store_at(house.database)):
        await house.play(3)
        await house.stands()


@contextlib.asynccontextmanager
async def running(config: FloorConfig, store: Store) -> AsyncIterator[None]:
    archiver = Archiver(config, store, "archive")
    task = asyncio.create_task(archiver.run())
    try:
        await until(lambda: archiver.intake.feed and archiver.intake.feed.trouble is None, "the archive does not hear")
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_nothing_of_a_sound_floor_is_a_trouble(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restarts, outages of broker and archive, what is told again, retention, a damaged journal, two tables."""
    monkeypatch.setattr(gaps_module, "LOOK_EVERY", 0.3)
    monkeypatch.setattr(gaps_module, "ASK_EVERY", 0.1)
    broker = house.broker
    async with archiving(broker, store_at(house.database)):
        await house.play()
        async with house.day() as table, house.day("RL-08") as beside:
            table.play(2)
            beside.play(2)
            await until(table.delivered, "not delivered")
            broker.stop()
            table.play(2)
            beside.play(2)
            broker.start()
            await until(table.delivered, "not delivered")
            await until(beside.delivered, "not delivered")
    await house.play()  # while the archive is down, the broker keeps it
    async with archiving(broker, store_at(house.database)):
        last = await house.play()
    assert await house.answers(last) == []
    async with aiomqtt.Client("127.0.0.1", broker.port, identifier="archive", clean_session=True):
        pass  # the broker forgets the archive
    await house.play()
    async with archiving(broker, store_at(house.database)) as archive:
        async with house.day() as table:
            table.play(2)
            await until(table.delivered, "not delivered")
            store = store_at(house.database)
            await store.open()

            async def whole() -> bool:
                found = await store.ask("SELECT max(sequence) AS n FROM events WHERE table_id = 'RL-07'")
                missing = [gap for gap in await gaps_module.gaps(store) if gap.table_id == "RL-07"]
                return bool(found[0]["n"] == table.daemon.journal.last and not missing)  # the other one is away

            await until(whole, "the gap stays")
            table.daemon.journal.remove(table.daemon.journal.delivered - 20, table.daemon.journal.last)
        with (house.folder / "RL-07.db").open("r+b") as file:
            file.seek(2_000)
            file.write(b"\xff" * 8_000)
        async with house.day() as table:
            table.play(1)
            await until(table.delivered, "not delivered")
            notes = [msgspec.json.decode(r.body) for r in table.daemon.journal._tail if r.kind == "system"]
            assert "journal_set_aside" in [each["event"] for each in notes]
        broker.stop()
        async with house.day() as table:  # nothing of this run is delivered
            table.play(2)
            await until(lambda: table.daemon.journal.committed >= table.daemon.journal.last, "not on disk")
        with (house.folder / "RL-07.db").open("r+b") as file:
            file.seek(4_096)
            file.write(b"\xff" * 20_000)
        feed = archive.intake.feed
        assert feed is not None
        await until(lambda: feed.trouble is not None, "the archive still hears")
        broker.start()
        await until(lambda: feed.trouble is None, "the archive does not hear")
        last = await house.play()
        assert await house.answers(last) == []
        assert [row for row in await questions.troubles(store, Asked())] == []
        await store.close()


async def test_numbers_given_again_after_a_disk_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published from memory, lost with the process, given again by the next run: told by the table, no trouble."""
    monkeypatch.setattr("pitwatch.daemon.journal.journal.RELEASE_AFTER", 0.3)
    store = store_at(house.database)
    await store.open()
    async with archiving(house.broker, store_at(house.database)):
        await house.play()
        with monkeypatch.context() as context:
            async with house.day() as table:
                table.play(2)
                await until(table.delivered, "not delivered")
                kept = table.daemon.journal.last
                RefusingDisk(context, "disk I/O error")
                table.play(3)
                await until(lambda: table.daemon.journal.delivered > kept + 3, "not published from memory")
        async with house.day() as table:
            table.play(5)
            await until(table.delivered, "not delivered")
        assert await house.answers(table.daemon.journal.last) == []
        found = await store.ask("SELECT sequence FROM events GROUP BY sequence HAVING count(DISTINCT boot) > 1")
        assert found != []
        assert await questions.troubles(store, Asked()) == []
    await store.close()
