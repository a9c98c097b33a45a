"""An installed table is found by its name: its file in the board's folder, its journal where its service keeps it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import installed
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store
from tests.roulette import roulette

TABLE = roulette("serial:/dev/does-not-exist", "mqtt://127.0.0.1:1", "j.db").replace('[journal]\npath = "j.db"\n', "")


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board with the tables pit-1-left (toledo/RL-07) and RL-08 (toledo/RL-08)."""
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setattr(installed, "FOLDER", tmp_path / "etc")
    monkeypatch.setattr(installed, "STATE", tmp_path / "state")
    (tmp_path / "etc" / "RL-08").mkdir(parents=True)
    (tmp_path / "etc" / "pit-1-left.toml").write_text(TABLE)
    (tmp_path / "etc" / "RL-08.toml").write_text(TABLE.replace("RL-07", "RL-08"))
    (tmp_path / "etc" / "broken.toml").write_text("[table")
    (tmp_path / "state" / "pit-1-left").mkdir(parents=True)
    store = Store(tmp_path / "state" / "pit-1-left" / "pitwatch-RL-07.db")
    store.write([Record(1, "b", 1, 1, True, "observation", "observation/a", False, b"{}")], 0)
    store.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["pit-1-left", "pitwatch@pit-1-left", "pitwatch@pit-1-left.service", "toledo/RL-07"])
def test_its_file_and_its_journal_are_found(board: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    journal = board / "state" / "pit-1-left" / "pitwatch-RL-07.db"
    assert cli.main(["check", name]) == 0
    printed = capsys.readouterr().out
    assert f"{board}/etc/pit-1-left.toml: good" in printed
    assert f"journal  {journal}," in printed
    assert cli.main(["journal", "tail", name]) == 0
    assert "observation/a" in capsys.readouterr().out
    assert cli.main(["journal", "export", name]) == 0
    assert capsys.readouterr().out.count('"kind":"observation"') == 1
    assert cli.main(["doctor", name, "--listen", "0.1", "--json"]) == 1  # neither port nor broker are there
    found = [json.loads(line)["what"] for line in capsys.readouterr().out.splitlines()]
    assert f"journal {journal}" in found


def test_a_table_that_has_no_journal_yet_is_told_where_it_belongs(
    board: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["journal", "verify", "RL-08"]) == 2
    assert capsys.readouterr().err.startswith(f"{board}/state/RL-08/pitwatch-RL-08.db: no such journal; ")
    cli.main(["doctor", "RL-08", "--listen", "0.1"])
    assert f"install -d -o pitwatch -g pitwatch -m 700 {board}/state/RL-08" in capsys.readouterr().out


def test_what_the_file_or_the_service_says_comes_first(
    board: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (board / "etc" / "RL-08.toml").write_text(TABLE + '[journal]\npath = "mine.db"\n')
    assert cli.main(["check", "RL-08", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["journal"] == f"{board}/etc/mine.db"
    monkeypatch.setenv("STATE_DIRECTORY", "/elsewhere")
    assert cli.main(["check", "pit-1-left", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["journal"] == "/elsewhere/pitwatch-RL-07.db"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RL-09", "did you mean 'RL-08'?"),
        ("toledo/RL-17", "did you mean 'toledo/RL-07'?"),
        ("nowhere", "installed: RL-08, broken, pit-1-left"),
        ("pitwatch@../etc/RL-08", "did you mean 'RL-08'?"),
    ],
)
@pytest.mark.parametrize("command", [["check"], ["doctor"], ["journal", "verify"]])
def test_a_name_that_no_table_has_is_refused_with_those_that_are_there(
    board: Path, command: list[str], name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command, name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{name}: no such file, and no table of this name in {board}/etc; ")
    assert said.count("\n") == 1
    if "@" not in name:
        assert hint in said


def test_a_file_comes_before_an_installed_table(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (board / "RL-08").write_text(TABLE.replace("RL-07", "RL-99"))
    assert cli.main(["check", "RL-08", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["table"] == "RL-99"


def test_two_files_of_one_table_are_both_named(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (board / "etc" / "copy.toml").write_text(TABLE)
    assert cli.main(["check", "toledo/RL-07"]) == 2
    said = capsys.readouterr().err
    assert f"{board}/etc/copy.toml and {board}/etc/pit-1-left.toml are both this table" in said


def test_a_board_without_tables_answers_as_before(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.rename(board / "etc", board / "gone")
    assert cli.main(["check", "RL-08"]) == 2
    assert capsys.readouterr().err.startswith("RL-08: no such file; ")
    assert cli.main(["journal", "verify", "RL-08"]) == 2
    assert capsys.readouterr().err == "RL-08: no such journal\n"
