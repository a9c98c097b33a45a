"""`archive verify`: what the archive has of a table against its journal, each record; a real broker and board."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.journal.chain import link
from pitwatch.daemon.journal.signing import public_key
from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.floor.archive.database import store_at
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.test_archiver import archiving
from tests.floor.archive.test_rolled_back import House

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")


async def played(house: House, folder: Path, copy: int | None = None) -> Path:
    """Three runs, archived; the journal. `copy`: after so many runs the state is copied to `copy`."""
    last = 0
    async with archiving(house.broker, store_at(house.database)):
        for number in range(3):
            if number == copy:
                shutil.copytree(house.folder, folder / "copy")
            last = await house.play()
        assert await house.answers(last) == []
    return house.folder / "RL-07.db"


Answer = tuple[int, list[dict[str, Any]]]


def verify(house: House, journal: Path | None, capsys: pytest.CaptureFixture[str]) -> Answer:
    capsys.readouterr()
    path = [] if journal is None else [str(journal)]
    code = cli.main(["archive", "verify", "toledo/RL-07", *path, "--database", house.database, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def house(broker: Mosquitto, tmp_path: Path) -> House:
    return House(broker, tmp_path)


def rebuild(journal: Path, seq: int, body: str | None) -> None:
    """As somebody does who has root: change a record, or take away all from it on, and make the chain anew."""
    with sqlite3.connect(journal) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"DROP TRIGGER {name}")
        if body is None:
            db.execute("DELETE FROM record WHERE seq >= ?", (seq,))
        else:
            db.execute("UPDATE record SET body = ? WHERE seq = ?", (body, seq))
        db.commit()
        store = JournalStore(journal, read_only=True)
        before = store.hash_before
        hashes = []
        for record, _ in store.records():
            before = link(before, record)
            hashes.append((before, record.seq))
        store.close()
        db.executemany("UPDATE record SET hash = ? WHERE seq = ?", hashes)
        for _, sql in guards:
            db.execute(sql)
    db.close()


async def ask(house: House, journal: Path | None, capsys: pytest.CaptureFixture[str]) -> Answer:
    return await asyncio.to_thread(verify, house, journal, capsys)


async def test_a_journal_and_its_export_are_what_the_archive_has(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = await played(house, tmp_path)
    code, (found,) = await ask(house, journal, capsys)
    assert code == 0
    assert found["records"] > 20
    assert found["checkpoints"] >= 3
    export = tmp_path / "export.jsonl"
    assert cli.main(["journal", "export", str(journal), "--out", str(export)]) == 0
    code, (of_export,) = await ask(house, export, capsys)
    assert (code, of_export["records"]) == (0, found["records"])
    code, (alone,) = await ask(house, None, capsys)
    assert (code, alone["checkpoints"]) == (0, found["checkpoints"])


async def test_each_record_that_was_changed_or_taken_away_is_named(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = await played(house, tmp_path)
    store = JournalStore(journal, read_only=True)
    seq = min(record.seq for record, _ in store.records() if record.kind == "round")
    last, body = store.last, next(store.records(seq - 1))[0].body.decode()
    store.close()
    changed = body.replace('"17"', '"18"')
    assert changed != body
    rebuild(journal, seq, changed)
    code, faults = await ask(house, journal, capsys)
    assert code == 1
    assert [each["sequence"] for each in faults if each["what"] == "differs"] == [seq]
    assert {each["what"] for each in faults} >= {"differs", "checkpoint", "journal"}
    rebuild(journal, last - 1, None)
    code, faults = await ask(house, journal, capsys)
    assert [each["sequence"] for each in faults if each["what"] == "missing"] == [last - 1, last]


async def test_records_that_no_table_writes_are_named_too(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = await played(house, tmp_path)
    store = JournalStore(journal, read_only=True)
    of = {record.kind: record.seq for record, _ in store.records()}
    store.close()
    changed = sorted(of[kind] for kind in ("device", "observation", "integrity", "system"))
    for seq, body in zip(changed, ("nonsense", "[]", "null", "{" * 2_000), strict=True):
        rebuild(journal, seq, body)
    with sqlite3.connect(journal) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE record SET wall_ns = 9223372036854775807 WHERE seq = ?", (of["round"],))
        for _, sql in guards:
            db.execute(sql)
    db.close()
    code, faults = await ask(house, journal, capsys)
    assert code == 1
    named = [each["sequence"] for each in faults if each["what"] == "differs"]
    assert named == sorted([*changed, of["round"]])


async def test_a_state_that_was_put_back_is_named_from_where_it_differs(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await played(house, tmp_path, copy=1)
    copy = JournalStore(tmp_path / "copy" / "RL-07.db", read_only=True)
    last = copy.last
    copy.close()
    await house.play(1, folder=tmp_path / "copy")
    code, faults = await ask(house, tmp_path / "copy" / "RL-07.db", capsys)
    assert code == 1
    assert min(each["sequence"] for each in faults) == last + 1
    assert {each["what"] for each in faults} >= {"differs", "missing"}


async def test_an_export_that_was_altered(house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = await played(house, tmp_path)
    export = tmp_path / "export.jsonl"
    assert cli.main(["journal", "export", str(journal), "--out", str(export)]) == 0
    lines = export.read_text().splitlines(keepends=True)
    export.write_text("".join([*lines[:9], *lines[10:]]))
    code, faults = await ask(house, export, capsys)
    assert code == 1
    assert [each["sequence"] for each in faults if each["what"] == "missing"] == [9]
    assert [each["what"] for each in faults if not each["sequence"]] == ["journal"]
    export.write_text(lines[0] + "nonsense\n")
    command = ["archive", "verify", "toledo/RL-07", str(export), "--database", house.database]
    assert await asyncio.to_thread(cli.main, command) == 2
    assert "export.jsonl:2: is no record of an export" in capsys.readouterr().err


def test_what_is_no_journal_is_refused_in_one_line(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def make() -> None:
        async with archiving(house.broker, store_at(house.database)):
            assert await house.answers(await house.play(1)) == []

    asyncio.run(make())
    capsys.readouterr()
    (tmp_path / "text").write_text("nothing of the kind\n")
    for path in (tmp_path / "text", tmp_path / "none", tmp_path):
        assert cli.main(["archive", "verify", "toledo/RL-07", str(path), "--database", house.database]) == 2
        assert capsys.readouterr().err.count("\n") == 1


async def test_the_journal_of_a_new_board_lacks_nothing_of_the_one_before(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await played(house, tmp_path)
    old = public_key(house.folder / "RL-07.pub")
    async with archiving(house.broker, store_at(house.database)):
        shutil.rmtree(house.folder)
        house.folder.mkdir()
        await house.play()
        await house.stands("began_anew", "other_key")
        last = await house.play(40)
        await house.answers(last)
    journal = house.folder / "RL-07.db"
    code, faults = await ask(house, journal, capsys)
    assert code == 1
    assert {each["what"] for each in faults} >= {"differs"}
    floor = tmp_path / "floor.toml"
    keys = [old, public_key(house.folder / "RL-07.pub")]
    floor.write_text(f'[mqtt]\nurl = "{house.broker.url}"\n[tables."toledo/RL-07"]\nkey = {json.dumps(keys)}\n')
    command = ["archive", "verify", "toledo/RL-07", str(journal), "--database", house.database, "--floor", str(floor)]
    capsys.readouterr()
    assert await asyncio.to_thread(cli.main, [*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["of_other_boards"] > 20
    assert found["records"] > 20
