"""One daemon has a journal, whatever name leads to it and whatever befalls the file that says so."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.daemon.doctor.beside import runs
from pitwatch.daemon.journal import Journal, writing
from pitwatch.daemon.journal.holding import Hold, lock_file
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.hal.sim import SimClock
from tests.roulette import roulette


@pytest.fixture
async def journal(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    journal = Journal(tmp_path / "j.db", SimClock(), "first")
    journal.start()
    journal.note("started", {})
    await until(lambda: journal.committed == 1)
    yield journal
    await journal.close()


async def until(condition) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def told(path: Path) -> list[dict]:
    store = Store(path, read_only=True)
    try:
        return [json.loads(record.body) for record in store.read(0, 100) if b"lock_removed" in record.body]
    finally:
        store.close()


def run(folder: Path, journal: Path) -> tuple[int, str]:
    """Exit code and errors of another daemon of the table that names its journal so."""
    table = folder / "table.toml"
    table.write_text(roulette("none", "mqtt://127.0.0.1:1", str(journal)))
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "run", str(table)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("link", [os.symlink, os.link])
async def test_another_name_for_the_journal_does_not_open_it_twice(journal, tmp_path, link):
    other = tmp_path / "other"
    other.mkdir()
    link(journal.path, other / "same.db")
    with pytest.raises(StoreError, match="in use by another pitwatch"):
        Hold(other / "same.db")
    code, error = await asyncio.to_thread(run, tmp_path, other / "same.db")
    assert code == 2
    assert error.endswith("in use by another pitwatch; one table has one daemon\n")


async def test_a_lock_file_that_was_deleted_lets_nobody_in(journal, tmp_path):
    lock_file(journal.path).unlink()
    code, error = await asyncio.to_thread(run, tmp_path, journal.path)
    assert (code, error) == (2, f"{journal.path}: in use by another pitwatch; one table has one daemon\n")


async def test_a_lock_file_that_was_deleted_is_told_and_made_anew(journal):
    lock = lock_file(journal.path)
    lock.unlink()
    await until(lambda: told(journal.path))
    assert told(journal.path) == [{"event": "lock_removed", "detail": {"file": lock.name, "made_anew": True}}]
    assert runs(journal.path)
    assert f" {journal.boot} " in lock.read_text()
    await asyncio.sleep(0.3)
    assert len(told(journal.path)) == 1


async def test_a_lock_file_that_somebody_else_holds_is_told_once(journal):
    lock, strange = lock_file(journal.path), journal.path.with_name("strange")
    with strange.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        strange.rename(lock)
        await until(lambda: told(journal.path))
        await asyncio.sleep(0.3)
        found = [each["detail"]["made_anew"] for each in told(journal.path)]
    await until(lambda: told(journal.path)[-1]["detail"]["made_anew"])
    assert found == [False]


async def test_a_journal_that_is_a_link_is_set_aside_where_it_lies(tmp_path):
    """A damaged file, not the link, is moved; the daemon goes on at the same place."""
    (tmp_path / "disk").mkdir()
    path = tmp_path / "j.db"
    path.symlink_to(tmp_path / "disk" / "real.db")
    await Journal(path, SimClock(), "first").close()
    (tmp_path / "disk" / "real.db").write_bytes(b"\xaa" * 8192)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await until(lambda: journal.committed == journal.last)
    await journal.close()
    assert path.is_symlink()
    assert Store(path, read_only=True).fault() is None
    assert [each.name[:16] for each in (tmp_path / "disk").glob("*damaged*")] == ["real.db.damaged-"]


async def test_a_journal_that_was_set_aside_leaves_the_new_one_held(journal, tmp_path):
    journal.path.unlink()
    await until(lambda: journal.path.exists() and journal.committed == journal.last > 1)
    os.link(journal.path, tmp_path / "same.db")
    await until(lambda: _held(tmp_path / "same.db"))


def _held(path: Path) -> bool:
    try:
        Hold(path).release()
    except StoreError:
        return True
    return False
