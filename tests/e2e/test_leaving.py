"""The recipes of docs/access.md for a lost key and for a table that goes, as they stand there, on a real mosquitto."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.mosquitto import Mosquitto, reload, wait_for

pytest.importorskip("cryptography")
from tests.e2e.test_access import Floor

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
TABLE = "tables/toledo/RL-07"


@pytest.fixture
def floor(tmp_path):
    floor = Floor(tmp_path)
    yield floor
    floor.close()


def recipe(floor, name):
    """Runs it in the house's folder, with this broker in the place of the one in the text."""
    (block,) = re.findall(rf"```sh\n# {name}: in /secure/pitwatch\n(.*?)```", PAGE.read_text(), re.DOTALL)
    text = block.replace("broker.example -p 8883", f"127.0.0.1 -p {floor.port}")
    text = text.replace("/etc/mosquitto/pitwatch", str(floor.house / "broker"))
    text = text.replace("openssl ca ", "openssl ca -batch ")
    done = subprocess.run(["sh", "-e", "-c", text], cwd=floor.house, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


def says(floor, who, topic="pitwatch/1/toledo/RL-07/health"):
    """Whether this client is let in, and the broker takes what it says."""
    command = ["mosquitto_pub", *floor.client(who), "-t", topic, "-m", "{}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    return done.returncode == 0, "Not authorized" not in done.stderr


def test_a_lost_key_opens_nothing_and_its_successor_does(floor):
    shutil.copytree(floor.house / TABLE, floor.house / "thief")
    (floor.house / TABLE / "client.crt").rename(floor.house / "lost.crt")
    (floor.house / TABLE / "client.key").unlink()
    floor.provision()
    assert says(floor, TABLE) == says(floor, "thief") == (True, True)
    recipe(floor, "a lost key")
    config = floor.folder / "mosquitto.conf"
    config.write_text(config.read_text() + (floor.house / "broker" / "pitwatch-revoked.conf").read_text())
    floor.process.terminate()
    floor.process.wait()
    log = floor.folder / "again.log"
    with log.open("wb") as file:
        floor.process = subprocess.Popen(["mosquitto", "-v", "-c", str(config)], stderr=file)
    wait_for(lambda: b"running" in log.read_bytes())
    assert says(floor, "thief")[0] is False
    assert says(floor, TABLE) == (True, True)
    assert says(floor, "tables/toledo/BJ-01", "pitwatch/1/toledo/BJ-01/health") == (True, True)


def test_a_table_that_goes_leaves_nothing_and_may_nothing(floor):
    for topic in ("status", "alert/wheel-offline", "device/wheel", "integrity"):
        floor.publish(TABLE, f"pitwatch/1/toledo/RL-07/{topic}", "{}")
    floor.publish("tables/toledo/BJ-01", "pitwatch/1/toledo/BJ-01/status", "{}")
    recipe(floor, "a table that goes")
    shutil.rmtree(shutil.copytree(floor.house / TABLE, floor.house / "gone").parent / TABLE)
    floor.provision("toledo/BJ-01", "columbus/RL-07")
    reload(floor.process, floor.folder / "mosquitto.log")
    assert says(floor, "gone") == (True, False)
    late = floor.listen("surveillance/eye")
    wait_for(lambda: b"toledo/BJ-01/status" in late.read_bytes())
    assert b"toledo/RL-07" not in late.read_bytes()
