"""`pitwatch fleet` at real boards: sshd, dpkg, apt, mosquitto over TLS and the daemon. Thirty: make fleet-test."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.floor.config import load
from pitwatch.floor.fleet import selecting, upgrading
from pitwatch.floor.fleet.ssh import UnreachableError, order
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.fleet.board import SSHD, configuration
from tests.fleet.floor import FleetFloor
from tests.fleet.packages import LATE, OLD, repository

pytest.importorskip("cryptography")
pytestmark = [
    pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed"),
    pytest.mark.skipif(not SSHD or not shutil.which("ssh"), reason="openssh-server is not installed"),
    pytest.mark.skipif(not shutil.which("apt-get"), reason="this is no Debian"),
    pytest.mark.skipif(os.geteuid() != 0, reason="dpkg needs root"),
]

GOOD_BOARDS, HOSTILE, AWAY = ("B-01", "B-02"), "B-03", "B-04"


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """Two good boards, a hostile one, and one that is not there."""
    folder = tmp_path_factory.mktemp("fleet")
    floor = FleetFloor(folder, repository(folder / "repository", (OLD, LATE)), 4)
    shutil.copy(Path(__file__).parent / "hostile.sh", folder)
    floor.make({HOSTILE: f"sh {folder}/hostile.sh", AWAY: "true"})
    floor.boards[AWAY].close()
    yield floor
    floor.close()


def way(floor: FleetFloor, how: str) -> None:
    (floor.folder / "way").write_text(how)


def looks(floor: FleetFloor) -> dict[str, list[str]]:
    return {row["table"]: row["look"] for row in floor.fleet("list")[1]}


def test_the_list_shows_each_table_and_believes_none_of_what_it_is_not(floor, capsys):
    floor.publish("toledo/RL-03", "pitwatch/1/toledo/RL-03/status", "\x1b[2Jready")
    floor.publish("toledo/RL-03", "pitwatch/1/toledo/RL-01/alert/jam", '{"raised":true}')  # not its own topic
    boot = {"specversion": "1.0", "id": "RL-03/x/status", "source": "/toledo/RL-03", "type": "pitwatch.status.v1",
            "bootid": "x", "time": "2999-01-01T00:00:00Z"}  # fmt: skip
    health = {"certificate_ends": "\x1b[1m", "disk_free_mib": 10**30}
    said = {"state": "\x1b[2Jready\n", "version": "\x1b]0;x\x07", "fingerprints": {"book": "\u202ex"}, "key": "\x07"}
    floor.publish("toledo/RL-03", "pitwatch/1/toledo/RL-03/status", json.dumps({**boot, "data": said}))
    floor.publish("toledo/RL-03", "pitwatch/1/toledo/RL-03/health",
                  json.dumps({**boot, "type": "pitwatch.health.v1", "data": health}))  # fmt: skip
    found = looks(floor)
    assert set(found["toledo/RL-01"]) <= {"clock not set"}
    assert found["toledo/RL-04"] == ["never heard"]
    assert any(each.startswith("its clock is ahead by ") for each in found["toledo/RL-03"])
    capsys.readouterr()
    assert cli.main(["fleet", "list", str(floor.folder / "FLOOR.toml"), "--listen", "1"]) == 1
    printed = capsys.readouterr().out
    assert printed.replace("\n", "").isprintable()
    assert f"B-01 toledo/RL-01 aligning {OLD} " in " ".join(printed.split())


def test_a_configuration_is_checked_kept_and_put_back(floor):
    board, folder = floor.boards["B-01"], floor.folder / "push"
    (folder / "toledo").mkdir(parents=True)
    file, in_use = folder / "toledo" / "RL-01.toml", board.folder / "etc" / "RL-01.toml"
    old = in_use.read_text()
    file.write_text(good := configuration("toledo/RL-01", floor.house, floor.wheels.port) + '[video]\ncamera = "c"\n')
    assert floor.fleet("push", str(folder)) == (
        0, [{"event": "done", "table": "toledo/RL-01", "board": "B-01", "reason": ""}]
    )  # fmt: skip
    assert in_use.read_text() == good
    assert floor.fleet("revert", "--table", "toledo/RL-01")[0] == 0
    assert in_use.read_text() == old
    assert floor.fleet("revert", "--table", "toledo/RL-01")[1][0]["event"] == "refused"

    (folder / "toledo" / "RL-02.toml").write_text(good.replace("RL-01", "RL-02"))
    file.write_text(good.replace("camera", "kamera"))
    code, told = floor.fleet("push", str(folder))
    assert (code, told[0]["event"]) == (1, "refused")
    assert told[0]["reason"].endswith('video.kamera: unknown key; did you mean "camera"?')
    assert told[1] == {"event": "stopped", "untouched": ["toledo/RL-02"]}
    floor.write(patience_s=2)
    file.write_text(good.replace(f"127.0.0.1:{floor.wheels.port}", "127.0.0.1:9"))  # no wheel is there
    code, told = floor.fleet("push", str(folder))
    floor.write()
    assert (code, told[0]["event"]) == (1, "put_back")
    assert in_use.read_text() == old


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("flood", "the board answers with more than 65536 bytes"),
        ("hang", "no answer within 1 s"),
        ("escape", r"\x1b[2J\u202eowned B-01: done"),
        ("no-json", r"the board answers what is no answer: \x1b[2J\x1b[1;1HB-01: done"),
        ("deep", "the board answers what is no answer: [[["),
        ("lie", ""),
    ],
)
async def test_a_hostile_board_harms_nobody_by_what_it_answers(floor, how, reason):
    way(floor, how)
    fleet = load(floor.folder / "FLOOR.toml").fleet
    (told,) = await upgrading.ask_all(
        selecting.boards(fleet, [HOSTILE], []), ("state",), 1.0 if how == "hang" else 60.0, upgrading.giving(fleet)
    )
    assert reason in told.reason
    assert told.reason.isprintable()
    assert len(told.reason) < 400
    assert told.done == (how == "lie")


async def test_nothing_is_sent_to_a_host_with_another_key(floor):
    floor.write(B_01=floor.boards["B-02"].host_key)
    fleet = load(floor.folder / "FLOOR.toml").fleet
    floor.write()
    before = floor.boards["B-01"].orders()
    with pytest.raises(UnreachableError, match="Host key verification failed"):
        await order(fleet, fleet.boards[0], ("state",), 60.0)
    assert floor.boards["B-01"].orders() == before


def test_an_upgrade_stops_where_a_ring_is_worse_and_is_rolled_back(floor, monkeypatch):
    monkeypatch.setattr(upgrading, "LASTS_S", 1.0)
    way(floor, "lie")
    code, told = floor.fleet("upgrade", LATE, "--rings", "1,all", "--soak", "120", "--without", HOSTILE)
    assert code == 1
    assert [(each["event"], each.get("board")) for each in told] == [
        ("not_reached", "B-04"), ("ring", None), ("done", "B-01"), ("soak", None), ("stopped", None)
    ]  # fmt: skip
    assert told[-1]["reason"] == "toledo/RL-01: alert wheel-jam is new"
    assert told[-1]["untouched"] == ["B-02"]
    code, told = floor.fleet("rollback", LATE)
    assert {each["board"]: each["event"] for each in told} == {"B-01": "done", "B-04": "not_reached"}
    wait_for(lambda: "alert wheel-jam" not in looks(floor)["toledo/RL-01"], 60, "the alert stays")
    versions = {row["table"]: row["status"]["version"] for row in floor.fleet("list")[1] if row["board"] in GOOD_BOARDS}
    assert versions == {"toledo/RL-01": OLD, "toledo/RL-02": OLD}
    assert not any(order.split()[2:3] == ["upgrade"] for order in floor.boards["B-02"].orders())
