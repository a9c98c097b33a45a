"""`pitwatch fleet`: what is refused before anything is asked, and what the archive adds to the list."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.commands import fleet
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.config import load
from tests.floor.fleet.test_ssh import RIGHT

TROUBLE = """INSERT INTO troubles (site, table_id, kind, subject, at, told, heard, said, over_at)
    VALUES ('toledo', 'RL-07', 'rolled_back', '{0}', '2026-11-29T00:00:00Z', 't', 'h', 's', {1})"""


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    (tmp_path / "FLOOR.toml").write_text(RIGHT.replace("mqtt://127.0.0.1", "mqtt://127.0.0.1:1"))
    return tmp_path / "FLOOR.toml"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["upgrade", "{}", "0.2.0;reboot"], '"0.2.0;reboot" is no version of a package'),
        (["rollback", "{}", "-o"], ""),
        (["upgrade", "{}", "0.2.1", "--rings", "all,1"], '--rings "all,1": nothing is left after "all"'),
        (["upgrade", "{}", "0.2.1", "--board", "B-08"], '"B-08" is no board of FLOOR.toml; '),
        (["revert", "{}", "--table", "toledo/RL-09"], '"toledo/RL-09" is on no board of FLOOR.toml; '),
        (["push", "{}", "nowhere"], "nowhere: is no folder; the one with SITE/TABLE.toml and SITE/TABLE/ is right"),
        (["push", "{}", "{folder}"], "has no files of a table; SITE/TABLE.toml or SITE/TABLE/ is right"),
        (["push", "{}", "{folder}", "--table", "toledo/RL-07"], "has no files of toledo/RL-07; "),
    ],
)
def test_a_mistake_is_one_line(floor, capsys, words, says):
    given = [word.format(floor, folder=floor.parent) for word in words]
    if not says:
        with pytest.raises(SystemExit):
            cli.main(["fleet", *given])
        return
    assert cli.main(["fleet", *given]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


def test_without_boards_nothing_can_be_ordered(floor, capsys):
    floor.write_text('[mqtt]\nurl = "mqtt://127.0.0.1:1"\n')
    assert cli.main(["fleet", "rollback", str(floor), "0.2.0"]) == 2
    assert capsys.readouterr().err == f"{floor}: fleet.boards: missing; [fleet.boards.NAME] names each board\n"


def test_without_a_broker_there_is_no_list(floor, capsys, monkeypatch):
    monkeypatch.setattr(fleet, "CONNECT_S", 0.5)
    assert cli.main(["fleet", "list", str(floor)]) == 2
    assert "broker 127.0.0.1:1: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("toledo/RL-07/more/client.key", "only files with plain names can be sent"),
        ("toledo/RL-07/.hidden", "only files with plain names can be sent"),
        ("toledo/RL-07/a b", "only files with plain names can be sent"),
    ],
)
def test_only_plain_files_are_sent(floor, capsys, name, says):
    path = floor.parent / "push" / name
    path.parent.mkdir(parents=True)
    path.touch()
    assert cli.main(["fleet", "push", str(floor), str(floor.parent / "push")]) == 2
    assert says in capsys.readouterr().err


async def test_troubles_that_stand_in_the_archive_are_counted(floor):
    floor.write_text(f'{RIGHT}\n[archive]\ndatabase = "sqlite:{floor.parent}/floor.db"\n')
    store = store_at(f"sqlite:{floor.parent}/floor.db")
    await store.open()
    for subject, over in (("a", "NULL"), ("b", "NULL"), ("c", "'2026-11-29T00:00:01Z'")):
        await store.ask(TROUBLE.format(subject, over))
    await store.close()
    assert await fleet._troubles(load(floor)) == {"toledo/RL-07": 2}


async def test_a_board_that_is_not_reached_does_not_stop_the_rest(floor, monkeypatch, capsys):
    """ssh is not there: no board is reached, and each is tried."""
    monkeypatch.setenv("PATH", str(floor.parent))
    for table in ("RL-07", "RL-08"):
        (floor.parent / "push" / "toledo").mkdir(parents=True, exist_ok=True)
        (floor.parent / "push" / "toledo" / f"{table}.toml").write_text("x")
    args = argparse.Namespace(folder=str(floor.parent / "push"), table=[], json=False)
    assert await asyncio.wait_for(fleet._push(args, load(floor)), 60) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"toledo/{table} on B-07: not reached: ssh cannot be run: No such file or directory; install openssh-client"
        for table in ("RL-07", "RL-08")
    ]
