"""`watch` says where a table contradicts what it has published: on the screen and as lines, beside real boards."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pitwatch.floor.identity.approved import Approved
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.identity.guard import Guard
from pitwatch.floor.message import Message, read_message
from pitwatch.floor.watch.looks import headline
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.pages import concern_page
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.stream import seen
from tests.floor.archive.test_archiver import until
from tests.floor.archive.test_rolled_back import House
from tests.floor.identity.history import TABLE, TWO, checkpoint, run

KINDS = {"rolled_back", "began_anew", "other_key", "forged", "rewritten", "not_approved", "trouble_over"}


@pytest.fixture
def house(broker: Mosquitto, tmp_path: Path) -> House:
    return House(broker, tmp_path)


class Watching:
    """`pitwatch watch --json` as a process."""

    def __init__(self, broker: Mosquitto, out: Path, floor: str = ""):
        self._out = out
        file = out.with_suffix(".toml")
        file.write_text(f'[mqtt]\nurl = "{broker.url}"\n{floor}')
        self._command = [sys.executable, "-m", "pitwatch.daemon.cli", "watch", str(file), "--json"]

    async def __aenter__(self) -> Watching:
        with self._out.open("wb") as file:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdout=file)
        await until(lambda: any(each["kind"] == "broker_back" for each in self.lines()), "watch does not listen")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.terminate()
        await self._process.wait()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(each) for each in self._out.read_text().splitlines(keepends=True) if each.endswith("\n")]

    def troubles(self) -> list[str]:
        return sorted(each["kind"] for each in self.lines() if each["kind"] in KINDS)

    def stopped(self, times: int) -> bool:
        told = [
            each for each in self.lines() if each["kind"] == "system" and each["event"]["data"]["event"] == "stopped"
        ]
        return len(told) >= times


async def test_state_put_back_and_emptied(house: House, tmp_path: Path) -> None:
    async with Watching(house.broker, tmp_path / "lines") as watch:
        await house.play()
        shutil.copytree(house.folder, tmp_path / "copy")
        await house.play()
        await house.play()
        await until(lambda: watch.stopped(3), "not heard")
        assert watch.troubles() == []
        shutil.rmtree(house.folder)
        shutil.copytree(tmp_path / "copy", house.folder)
        await house.play(1)
        await until(lambda: watch.troubles() == ["rolled_back"], "not rolled back")
        (told,) = [each for each in watch.lines() if each["kind"] == "rolled_back"]
        assert told["heard"]["boot"] != told["said"]["boot"]
        shutil.rmtree(house.folder)
        house.folder.mkdir()
        await house.play(1)
        await until(lambda: watch.troubles() == ["began_anew", "other_key", "rolled_back"], "not begun anew")


async def test_a_sound_floor_has_none(house: House, tmp_path: Path) -> None:
    """Restarts, a broker that is away, records told again, two tables, a view that comes late."""
    async with Watching(house.broker, tmp_path / "lines") as watch:
        await house.play()
        async with house.day() as table, house.day("RL-08") as beside:
            for each in (table, beside):
                each.play(2)
            await until(table.delivered, "not delivered")
            house.broker.stop()
            for each in (table, beside):
                each.play(2)
            house.broker.start()
            await until(lambda: [each["kind"] for each in watch.lines()].count("broker_back") == 2, "not back")
            await until(lambda: table.delivered() and beside.delivered(), "not delivered")
            ask = {"id": "r1", "first": 1, "last": table.daemon.journal.last}
            async with Watching(house.broker, tmp_path / "late") as late:
                import aiomqtt

                async with aiomqtt.Client("127.0.0.1", house.broker.port) as client:
                    await client.publish("pitwatch/1/toledo/RL-07/request/replay", json.dumps(ask), qos=1)
                table.play(1)
                await asyncio.sleep(3.0)
                assert late.troubles() == []
        await house.play()
        await until(lambda: watch.stopped(4), "not heard")
        await asyncio.sleep(2.5)  # and judged
        assert watch.troubles() == []


async def test_what_the_house_has_not_approved(house: House, tmp_path: Path) -> None:
    floor = f'[approved]\nprogram = "{"0" * 64}"\n'
    async with Watching(house.broker, tmp_path / "lines", floor) as watch, house.day() as table:
        table.play(1)
        await until(lambda: watch.troubles() == ["not_approved"], "approved")


def guarded() -> tuple[Floor, Guard]:
    floor = Floor()
    floor.connection(None, 1.0)
    return floor, Guard(Approved(), floor.contradicted, floor.settled)


def altered(message: Message, **fields: Any) -> Message:
    payload = json.dumps(json.loads(message.payload) | fields).encode()
    return read_message("pitwatch/1", f"pitwatch/1/{message.table}/{message.subtopic}", payload, False)


def test_another_record_under_a_known_id() -> None:
    floor, guard = guarded()
    one = seen("wheel", "ball_launched", 5, 5, direction="cw")
    for message in (one, one, altered(one, camera="c"), one._replace(retained=True)):
        guard.take(message, 1.0)
    assert floor.concerns == {}
    guard.take(altered(one, time="2027-01-15T09:00:00.000000Z"), 1.0)
    (concern,) = floor.ordered()
    assert headline(concern, None, 1.0).startswith("REWRITTEN: record 5 came again with other content (time)")
    shown = " ".join(text for line in concern_page(concern, floor.tables[TABLE], 1.0) for text, _ in line)
    assert "pitwatch archive troubles" in shown


async def test_a_forged_checkpoint_is_found_beside_the_event_loop() -> None:
    floor, guard = guarded()
    running = asyncio.create_task(guard.run())
    for message in [*run("a", 1, 9), checkpoint("a", 10, 9, "a"), checkpoint("a", 11, 10, "b", signer=TWO)]:
        guard.take(message, time.time())
    async with asyncio.timeout(20):
        while not floor.concerns:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    assert [each.data.kind for each in floor.ordered()] == ["forged"]  # type: ignore[union-attr]


def test_a_flood_of_troubles_leaves_room_for_others_and_one_that_is_over_goes() -> None:
    floor, _ = guarded()
    for number in range(500):
        floor.contradicted(Finding(TABLE, "forged", f"{number}", "told", {}, {}), 1.0)
    assert len(floor.concerns) == 64
    assert floor.no_room == 436
    floor.settled(Ended(TABLE, "forged", "3"))
    assert len(floor.concerns) == 63
