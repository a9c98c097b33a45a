"""`pitwatch archive` as a person asks it: which table, which database, and what it says when it has neither."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store as Journal
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.message import Message
from pitwatch.floor.options import OVERRIDES
from tests.floor.archive.stream import closed, event, irregular

RULE = "toledo-2020/roulette/same-direction-spin"


def archived(path: Path, *messages: Message) -> str:
    """The address of a file of SQLite with these in it."""

    async def make() -> None:
        store = store_at(f"sqlite:{path}")
        await store.open()
        rows = [row for each in messages if (row := row_of(each, datetime.now(UTC))) is not None]
        await store.put(rows, [])
        await store.close()

    asyncio.run(make())
    return f"sqlite:{path}"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["archive", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


QUESTIONS = (["irregularities"], ["around", "2027-01-15T08:00:00Z"], ["export", "floor.csv"], ["gaps"])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[0])
def test_a_table_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, question: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    archived(tmp_path / "pitwatch-floor.db", irregular(RULE, 1, 1), closed(1, 2, 1, "toledo/BJ-01"))
    for table in ("RL-07", "toledo/", "/RL-07", "toledo/RL-07/x", ""):
        code, out, err = told(capsys, *question, "--table", table)
        assert (code, out, err) == (
            2, "", f'--table "{table}" is no table; SITE/TABLE of letters, digits, - and _ is right\n'
        )  # fmt: skip
    code, out, err = told(capsys, *question, "--table", "toledo/RL-01")
    assert (code, out) == (2, "")
    assert err == "--table toledo/RL-01: the archive has no record of it; there are toledo/BJ-01, toledo/RL-07\n"
    assert not (tmp_path / "floor.csv").exists()
    code, out, err = told(capsys, *question, "--table", "toledo/RL-07")
    assert (code, err) == (0, "")
    assert out


def test_nothing_is_said_of_a_table_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = archived(tmp_path / "floor.db", closed(1, 2, 1))
    assert told(capsys, "irregularities", "--table", "toledo/RL-07", "--database", database) == (0, "nothing\n", "")


def test_many_tables_are_not_all_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = archived(tmp_path / "floor.db", *(closed(1, 2, 1, f"toledo/T-{n:03}") for n in range(30)))
    _, _, err = told(capsys, "rounds", "--table", "toledo/RL-07", "--database", database)
    assert err.endswith("toledo/T-018, toledo/T-019 and 10 more\n")
    _, _, err = told(capsys, "rounds", "--table", "toledo/RL-07", "--database", archived(tmp_path / "none.db"))
    assert err.endswith("; nor of any other table yet\n")


def test_a_question_needs_no_broker(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    brokers = ["--broker", *(f"--{name.replace('_', '-')}" for name in OVERRIDES)]
    for action in ("run", "rounds", "around", "export", "gaps"):
        with pytest.raises(SystemExit):
            cli.main(["archive", action, "--help"])
        listed = capsys.readouterr().out
        assert [name for name in brokers if name in listed] == (brokers if action == "run" else [])
        assert "sqlite:pitwatch-floor.db" in listed
        assert "sqlite:PATH" in listed


def test_a_table_lost_before_the_archive_listened_is_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = {"state": "lost"}
    wills = [
        event("status", "status", lost, 1, None, f"toledo/{name}", retained=name == "BJ-01")
        for name in ("BJ-01", "RL-07")
    ]
    database = archived(tmp_path / "floor.db", *wills)
    _, out, _ = told(capsys, "downtime", "--database", database)
    early, live = out.splitlines()[1:]
    assert "before 20" in early
    assert "before" not in live
    _, out, _ = told(capsys, "downtime", "--json", "--database", database)
    assert [json.loads(line)["earlier"] for line in out.splitlines()] == [True, False]


@pytest.mark.parametrize("action", ["rounds", "run"])
def test_another_database_is_refused_and_stays_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    """A table's journal, named by mistake: the archive's tables in it would be found by `journal verify`."""
    journal = Journal(tmp_path / "j.db")
    journal.write([Record(1, "b", 1, 1, True, "system", "system", False, b"{}")], 0)
    journal.close()
    before = (tmp_path / "j.db").read_bytes()
    code, out, err = told(capsys, action, "--database", f"sqlite:{tmp_path}/j.db")
    assert (code, out, err) == (2, "", f"{tmp_path}/j.db: is no archive but another database; name a file of its own\n")
    assert (tmp_path / "j.db").read_bytes() == before
    assert cli.main(["journal", "verify", f"{tmp_path}/j.db"]) == 0


def test_a_group_that_could_not_be_subscribed_to_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = told(capsys, "run", "--group", "a/#")
    assert (code, err) == (2, '--group "a/#" is no name; letters, digits, - and _ are right\n')
