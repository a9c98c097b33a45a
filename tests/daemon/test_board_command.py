"""`pitwatch board`: only the orders of the fleet, one at a time, each answered in one line of JSON."""

from __future__ import annotations

import fcntl
import io
import json

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import installed
from pitwatch.daemon.upkeep import bundle, putting
from pitwatch.daemon.upkeep.answer import Look
from pitwatch.daemon.upkeep.programs import Done, program


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "FOLDER", tmp_path / "etc")
    monkeypatch.setattr(installed, "STATE", tmp_path / "state")
    for name in ("etc", "state", "bin"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # no systemctl, no apt: whatever would be run is missed
    return tmp_path


@pytest.mark.parametrize(
    "command",
    ["", "sh", "pitwatch", "pitwatch board", "pitwatch run RL-07", "pitwatch board serve", "pitwatch board look RL-07",
     "pitwatch doctor", "scp -t /etc", "pitwatch  board;reboot state"],
)  # fmt: skip
def test_its_key_runs_nothing_else(board, monkeypatch, capsys, command):
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", command)
    assert cli.main(["board", "serve"]) == 2
    assert capsys.readouterr().err == "this key is for the orders of `pitwatch fleet` only\n"


def test_an_order_over_ssh_is_the_order(board, monkeypatch, capsys):
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", "pitwatch board state")
    assert cli.main(["board", "serve"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "result": "done", "reason": "", "package": "", "previous": "", "tables": {}
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["upgrade", "0.2.0;reboot"], '"0.2.0;reboot" is no version of a package'),
        (["upgrade", "--help-me"], ""),
        (["upgrade", "0.2.0"], "Pitwatch is not installed as a package here"),
        (["rollback", "0.2.0"], "no package is installed, not 0.2.0"),
        (["revert", "RL-07"], '"RL-07" is no table; SITE/TABLE of letters, digits, - and _ is right'),
        (["revert", "toledo/RL-07"], "no earlier configuration of toledo/RL-07 is kept"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(board, capsys, words, reason):
    if not reason:
        with pytest.raises(SystemExit):
            cli.main(["board", *words])
        return
    assert cli.main(["board", *words]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["result"], answer["reason"]) == ("refused", reason)


def test_one_order_at_a_time(board, capsys):
    with (putting.fleet_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert cli.main(["board", "state"]) == 1
    assert json.loads(capsys.readouterr().out)["reason"].startswith("another order is being carried out")


def test_programs_begin_where_every_user_may_be_and_end_in_time():
    assert program(["pwd"], 30).out == b"/\n"
    assert program(["no-such-program"], 30) == Done(127, b"", "no-such-program: No such file or directory")
    assert program(["sleep", "60"], 0.1) == Done(124, b"", "sleep did not end within 0 s")


def test_nothing_is_changed_at_a_table_that_cannot_be_seen(board, capsys, monkeypatch):
    answers = {"systemctl": "echo active", "pitwatch": '[ "$1" = check ] || { echo "not readable" >&2; exit 2; }'}
    for name, text in answers.items():
        (board / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (board / "bin" / name).chmod(0o755)
    (board / "etc" / "RL-07.toml").write_text('[table]\nsite = "toledo"\nid = "RL-07"\n')
    sent = bundle.Bundle(table="toledo/RL-07", configuration=b'[table]\nsite = "toledo"\nid = "RL-07"\n# new\n')
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bundle.encode(sent))))
    assert cli.main(["board", "put", "toledo/RL-07"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["result"] == "refused"
    assert answer["reason"] == "how the table is watched now cannot be seen: not readable"
    assert "new" not in (board / "etc" / "RL-07.toml").read_text()
    assert sorted(path.name for path in (board / "etc" / ".fleet").iterdir()) == ["lock"]


BEFORE = Look(boot="a", started=10, delivered=20, devices={"wheel": "online", "panel": "offline"})


@pytest.mark.parametrize(
    ("now", "lacks"),
    [
        (Look(boot="b", started=30, delivered=30, devices={"wheel": "online"}), ""),
        (Look(boot="b", started=30, delivered=31, devices={"wheel": "online", "panel": "offline"}), ""),
        (Look(boot="b", started=30, delivered=30, devices={"wheel": "removed"}), ""),
        (Look(boot="b", started=30, delivered=20, publishes=False, devices={"wheel": "online"}), ""),
        (Look(fault="not readable"), "what its journal says cannot be seen: not readable"),
        (BEFORE, "the table has not started again"),
        (Look(), "the table has not started again"),
        (
            Look(boot="b", started=30, delivered=29, devices={"wheel": "online"}),
            "no broker has accepted its first record",
        ),
        (Look(boot="b", started=30, delivered=30, devices={"wheel": "fault"}), "wheel is fault"),
        (Look(boot="b", started=30, delivered=30), "wheel is not heard yet"),
    ],
)
def test_a_table_is_watched_as_before(now, lacks):
    assert now.lacks(BEFORE) == lacks
