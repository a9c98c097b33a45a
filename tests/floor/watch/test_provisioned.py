"""The view under a house's certificates and access lists, acknowledging at a real `pitwatch run`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.config import default
from pitwatch.floor.message import Message
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.table_process import TableProcess
from tests.floor.watch.test_app import SIZE, row, shown, until

pytest.importorskip("textual", reason="the watch extra is not installed")
pytest.importorskip("cryptography")
from pitwatch.floor.watch.app import WatchApp
from tests.e2e.test_access import Floor as House

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.close()


@pytest.fixture
def table(house: House, tmp_path: Path) -> Iterator[TableProcess]:
    folder = tmp_path / "etc"
    shutil.copytree(house.house / "tables" / "toledo" / "RL-07", folder / "RL-07")
    files = "\n".join(
        line
        for line in (folder / "RL-07" / "mqtt.toml").read_text().splitlines()
        if line.startswith(("ca", "cert", "key"))
    )
    requests = 'requests = ["acknowledge", "replay"]'
    table = TableProcess(folder, f"mqtts://127.0.0.1:{house.port}", f"{files}\n{requests}")
    yield table
    table.close()


def surveillance(house: House) -> MqttSection:
    eye = house.house / "surveillance" / "eye"
    files = {"ca": eye / "ca.crt", "cert": eye / "client.crt", "key": eye / "client.key"}
    return MqttSection(url=f"mqtts://127.0.0.1:{house.port}", **{key: str(path) for key, path in files.items()})


async def test_surveillance_acknowledges_a_condition(house: House, table: TableProcess) -> None:
    app = WatchApp(msgspec.structs.replace(default(), mqtt=surveillance(house)), by="Ann")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        table.start()
        await until(lambda: "toledo/RL-07" in app.floor.tables and app.floor.tables["toledo/RL-07"].devices)
        os.dup2(os.open("/dev/null", os.O_RDWR), table._master)  # the wheel's cable is pulled
        await until(lambda: app.concerns.items)
        (concern,) = app.concerns.items
        assert (concern.kind, concern.name) == ("condition", "wheel-offline")
        await pilot.press("a", "enter")
        await until(lambda: concern.acknowledged and concern.acknowledged.where == "table")
        assert concern.acknowledged.by == "Ann"
    assert table.stop() == 0


async def test_a_gap_is_fetched_from_the_table(house: House, table: TableProcess) -> None:
    app = WatchApp(msgspec.structs.replace(default(), mqtt=surveillance(house)))
    take, dropped = app.feed._take, []

    def deaf_to_some(message: Message) -> None:
        """What a broken line does: the second and third record of the table are not heard."""
        if message.event and message.event.sequence in (2, 3) and not message.subtopic.startswith("response/"):
            dropped.append(message.event.sequence)
        else:
            take(message)

    app.feed._take = deaf_to_some
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        table.start()
        await until(lambda: any(each.kind == "gap" for each in app.concerns.items), what=f"{dropped}")
        assert "GAP: 2 records" in row(app.concerns, 0)
        await pilot.press("r")
        await until(lambda: "toledo/RL-07 gave 2 records again" in shown(app)[-1])
        await until(lambda: not app.concerns.items)
        assert app.floor.tables["toledo/RL-07"].state in ("aligning", "ready")
        await pilot.press("tab", "r")
        await pilot.pause(0.1)
        assert "nothing is missing here" in shown(app)[-1]
    assert table.stop() == 0
