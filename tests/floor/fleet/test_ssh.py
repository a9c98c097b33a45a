"""How ssh is called, and which boards FLOOR.toml may name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from pitwatch.floor.fleet.config import Board, Fleet
from pitwatch.floor.fleet.ssh import command

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG5vdCBhIGtleSBidXQgb2YgaXRzIGxlbmd0aCE="
BOARD = Board(name="B-07", host="10.0.0.7", port=2200, host_key=KEY, tables=("toledo/RL-07",))


def test_ssh_reads_no_configuration_and_forwards_nothing(tmp_path):
    line = command(Fleet(key=Path("/k")), BOARD, tmp_path / "known", ("pitwatch", "board", "state"))
    assert line[-3:] == ["--", "10.0.0.7", "pitwatch board state"]
    done = subprocess.run([line[0], "-G", *line[1:]], capture_output=True, text=True, check=True)
    options = dict(each.split(" ", 1) for each in done.stdout.splitlines() if " " in each)
    expected = {
        "stricthostkeychecking": "true", "userknownhostsfile": str(tmp_path / "known"), "forwardagent": "no",
        "globalknownhostsfile": "/dev/null", "forwardx11": "no", "clearallforwardings": "yes", "batchmode": "yes",
        "identityagent": "none", "identitiesonly": "yes", "controlmaster": "false", "permitlocalcommand": "no",
        "updatehostkeys": "false", "hostkeyalias": "b-07", "hostkeyalgorithms": "ssh-ed25519", "requesttty": "false",
        "hostname": "10.0.0.7", "port": "2200", "user": "root", "escapechar": "none", "identityfile": "/k",
    }  # fmt: skip
    assert {name: options.get(name) for name in expected} == expected


RIGHT = f"""
[mqtt]
url = "mqtt://127.0.0.1"
[fleet]
key = "fleet_key"
[fleet.boards.B-07]
host = "10.0.0.7"
host_key = "{KEY} root@board"
tables = ["toledo/RL-07", "toledo/RL-08"]
"""


def test_the_boards_of_a_floor(tmp_path):
    (tmp_path / "FLOOR.toml").write_text(RIGHT)
    fleet = load(tmp_path / "FLOOR.toml").fleet
    assert fleet.key == tmp_path / "fleet_key"
    assert fleet.boards == (
        Board(name="B-07", host="10.0.0.7", port=22, host_key=KEY, tables=("toledo/RL-07", "toledo/RL-08")),
    )


@pytest.mark.parametrize(
    ("right", "wrong", "key"),
    [
        ('"10.0.0.7"', '"-oProxyCommand=reboot"', "fleet.boards.B-07.host"),
        ('"10.0.0.7"', '"a b"', "fleet.boards.B-07.host"),
        ('"10.0.0.7"', '"a;reboot"', "fleet.boards.B-07.host"),
        ('"toledo/RL-07"', '"toledo"', "fleet.boards.B-07.tables"),
        ('"toledo/RL-08"', '"toledo/RL-07"', "fleet.boards.B-07.tables"),
        ("ssh-ed25519 AAAA", "ssh-ed25519\\nother AAAA", "fleet.boards.B-07.host_key"),
        ("ssh-ed25519 ", "ssh-dss ", "fleet.boards.B-07.host_key"),
        ("[fleet.boards.B-07]", '[fleet.boards."*"]', "fleet.boards.*"),
        ('key = "fleet_key"', "", "fleet.key"),
        ("[fleet]", '[fleet]\nuser = "-l"', "fleet.user"),
        ("[fleet]", "[fleet]\npatience_s = 0", "fleet.patience_s"),
        ('host = "10.0.0.7"', 'host = "10.0.0.7"\nport = 70000', "fleet.boards.B-07.port"),
    ],
)
def test_a_mistake_is_reported_by_its_key(tmp_path, right, wrong, key):
    assert right in RIGHT
    (tmp_path / "FLOOR.toml").write_text(RIGHT.replace(right, wrong, 1))
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "FLOOR.toml")
    assert refused.value.key == key
