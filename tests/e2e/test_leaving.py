"""A lost key is revoked, and a table that goes leaves nothing (the recipe of docs/access.md): on a real mosquitto."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pitwatch.daemon import cli
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
    done = subprocess.run(["sh", "-e", "-c", text], cwd=floor.house, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


def says(floor, who, topic="pitwatch/1/toledo/RL-07/health"):
    """Whether this client is let in, and the broker takes what it says."""
    command = ["mosquitto_pub", *floor.client(who), "-t", topic, "-m", "{}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    return done.returncode == 0, "Not authorized" not in done.stderr


def revoke(floor, *more):
    arguments = ["provision", str(floor.house), "--broker", "127.0.0.1", "--port", str(floor.port)]
    return cli.main([*arguments, "--broker-folder", str(floor.house / "broker"), *more])


def configure(floor):
    """The broker's configuration as it was, with the list of what is revoked if the house has one by now."""
    config = floor.folder / "mosquitto.conf"
    listed = re.findall(r"^crlfile .*$", (floor.house / "broker" / "pitwatch.conf").read_text(), re.MULTILINE)
    text = re.sub(r"^crlfile .*\n", "", config.read_text(), flags=re.MULTILINE)
    config.write_text(re.sub(r"^keyfile .*$", lambda own: "\n".join([own[0], *listed]), text, flags=re.MULTILINE))
    return config


def restart(floor):
    config = configure(floor)
    floor.process.terminate()
    floor.process.wait()
    log = floor.folder / "again.log"
    with log.open("wb") as file:
        floor.process = subprocess.Popen(["mosquitto", "-v", "-c", str(config)], stderr=file)
    wait_for(lambda: b"running" in log.read_bytes(), 30)


@pytest.mark.parametrize("who", [TABLE, "surveillance/desk", "live/pit"])
def test_a_lost_key_opens_nothing_and_its_successor_does(floor, capsys, who):
    name = who.removeprefix("tables/")
    option = "--table" if "/" in name.removeprefix("surveillance/").removeprefix("live/") else f"--{name.split('/')[0]}"
    name = name if option == "--table" else name.split("/")[1]
    shutil.copytree(floor.house / who, floor.house / "thief")
    assert says(floor, "thief")[0] is True
    assert revoke(floor, "--revoke", name) == 0
    listed = (floor.house / "broker" / "revoked.pem").read_bytes()
    assert revoke(floor, "--revoke", name) == 0  # once is enough
    assert (floor.house / "broker" / "revoked.pem").read_bytes() == listed
    restart(floor)
    assert says(floor, "thief")[0] is False
    assert says(floor, "tables/toledo/BJ-01", "pitwatch/1/toledo/BJ-01/health") == (True, True)
    capsys.readouterr()
    assert revoke(floor, "--revoke", name, option, name) == 2
    assert "revoke it first" in capsys.readouterr().err
    assert revoke(floor, option, name) == 0
    reload(floor.process, floor.folder / "again.log")
    assert says(floor, who)[0] is True
    assert says(floor, "thief")[0] is False


def test_one_more_is_read_by_a_restart_and_the_first_stays_out(floor):
    for who in ("desk", "eye"):
        shutil.copytree(floor.house / "surveillance" / who, floor.house / f"thief-{who}")
    assert revoke(floor, "--revoke", "desk") == 0
    configure(floor)
    reload(floor.process, floor.folder / "mosquitto.log")
    assert says(floor, "thief-desk")[0] is True  # the first list is read at a start only
    restart(floor)
    assert [says(floor, f"thief-{who}")[0] for who in ("desk", "eye")] == [False, True]
    assert revoke(floor, "--revoke", "eye") == 0
    restart(floor)
    assert [says(floor, f"thief-{who}")[0] for who in ("desk", "eye")] == [False, False]
    assert says(floor, "live/pit")[0] is True


def test_who_is_not_there_is_not_revoked(floor, capsys):
    capsys.readouterr()
    assert revoke(floor, "--revoke", "toledo/XX-01") == 2
    assert "no certificate of toledo/XX-01 is here" in capsys.readouterr().err
    assert not (floor.house / "ca" / "revoked.pem").exists()
    assert "crlfile" not in (floor.house / "broker" / "pitwatch.conf").read_text()


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
