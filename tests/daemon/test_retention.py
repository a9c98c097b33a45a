"""The beginning of a journal is where retention cut it, and nobody without the key can cut it further unnoticed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema
import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import RetentionData
from pitwatch.daemon.journal import Journal, retention, writing
from pitwatch.daemon.journal import checkpoints as checkpoints_module
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.checkpoints import Checkpoints, key_path
from pitwatch.daemon.journal.held import Held
from pitwatch.daemon.journal.records import COLUMNS
from pitwatch.daemon.journal.retention import DAY, Retention
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.statements import is_genuine, signed
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.hal.sim import SimClock
from tests.daemon import cloud_events
from tests.daemon.burglar import closed, unguarded

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

PROJECT = Path(__file__).parents[2]
TABLE = "toledo/RL-07"
OLD = 20
"""Records of the journals here that are old enough to go."""


@pytest.fixture(autouse=True)
def swift(monkeypatch):
    for module, name, value in (
        (writing, "MARK_AFTER", 0.02),
        (writing, "REMOVE_EVERY", 0.0),
        (checkpoints_module, "LOOK_EVERY", 0.02),
        (retention, "LOOK_EVERY", 0.02),
        (retention, "FIRST", 0.0),
        (retention, "EVERY", 0.1),
    ):
        monkeypatch.setattr(module, name, value)


def observed(n: int, wall_ns: int, kind: str = "observation") -> Record:
    return Record(n, "b", n, wall_ns, True, kind, f"{kind}/x", False, b'{"n":%d}' % n)


def filled(path: Path, old: int = OLD, young: int = 10, delivered: int | None = None) -> None:
    now = SimClock().wall()[0]
    store = Store(path)
    records = [observed(n, now - (20 * DAY if n <= old else 0)) for n in range(1, old + young + 1)]
    store.write(records, old + young if delivered is None else delivered)
    store.close()


class Running:
    """A journal with what signs and cuts it."""

    def __init__(self, path: Path, clock: SimClock):
        self.journal = Journal(path, clock, "boot")
        self.checkpoints = Checkpoints(self.journal, clock, TABLE)
        self.held = Held(self.journal, clock)
        self.retention = Retention(self.journal, self.checkpoints, clock, TABLE, 14, self.held)

    @property
    def cuts(self) -> list[RetentionData]:
        kept = [record for record in tuple(self.journal._tail) if record.kind == "retention"]
        return [msgspec.json.decode(record.body, type=RetentionData) for record in kept]


@contextlib.asynccontextmanager
async def running(path: Path, clock: SimClock | None = None) -> AsyncIterator[Running]:
    run = Running(path, clock or SimClock())
    run.journal.start()
    run.journal.note("started", {})
    run.checkpoints.start()
    run.retention.start()
    yield run
    await run.retention.stop()
    await run.checkpoints.stop()
    await run.journal.close()


async def until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def begins(path: Path) -> int:
    store = Store(path, read_only=True)
    try:
        return store.pruned + 1
    finally:
        store.close()


def public(path: Path) -> str:
    key = Signer(key_path(path)).public
    assert key is not None
    return key


async def test_what_is_old_is_cut_in_word_and_then_in_deed(tmp_path, capsys):
    path = tmp_path / "j.db"
    filled(path)
    async with running(path) as run:
        await until(lambda: begins(path) == OLD + 1)
        await asyncio.sleep(0.4)  # several turns: what is young stays, and nothing more is said
        (cut,) = run.cuts
    assert (cut.sequence, cut.reason, cut.table, is_genuine(cut)) == (OLD, "age", TABLE, True)
    verdict = verify(path, public(path))
    assert (verdict.fault, verdict.first, verdict.cut) == (None, OLD + 1, cut)
    assert cli.main(["journal", "verify", str(path)]) == 0
    assert (
        f"records up to {OLD} are no longer there: retention took them, signed at {cut.time}" in capsys.readouterr().out
    )


async def test_what_is_not_delivered_stays_and_a_clock_that_nobody_set_cuts_nothing(tmp_path):
    for name, delivered, clock, first in (("a", 7, SimClock(), 8), ("b", None, SimClock(synced=False), 1)):
        path = tmp_path / name
        filled(path, delivered=delivered)
        async with running(path, clock):
            await until(lambda path=path: verify(path).checkpoints > 0)
            await until(lambda path=path, first=first: begins(path) == first)
            await asyncio.sleep(0.4)
        assert begins(path) == first
        assert verify(path, public(path)).fault is None


async def test_without_a_clock_the_oldest_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr(retention, "ROOM_ROWS", 8)
    monkeypatch.setattr(writing, "MOST_BYTES", 0)
    path = tmp_path / "j.db"
    filled(path)
    async with running(path, SimClock(synced=False)) as run:
        await until(lambda: begins(path) == 25)
        await asyncio.sleep(0.2)
        assert [cut.reason for cut in run.cuts] == ["room"] * 3  # and then there are no 8 more that were delivered
    assert verify(path, public(path)).fault is None


async def test_the_published_record_keeps_to_its_schema(tmp_path):
    path = tmp_path / "j.db"
    filled(path)
    async with running(path):
        await until(lambda: begins(path) > 1)
    store = Store(path, read_only=True)
    (record,) = [r for r in store.retained() if r.kind == "retention"]
    store.close()
    message = Envelope("toledo", "RL-07", "pitwatch/1/toledo/RL-07", "boot", False).retained(record)
    schema = json.loads((PROJECT / "docs" / "schemas" / "retention.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(message.payload))
    cloud_events.read(message.payload)


# -- a thief with the disk, who has not the key


@pytest.fixture(scope="module")
def cut_once(tmp_path_factory):
    """A journal of 100 records that retention has cut at 20, with the key away."""
    path = tmp_path_factory.mktemp("retention") / "j.db"
    filled(path, old=OLD, young=60)

    async def play() -> None:
        with pytest.MonkeyPatch.context() as patch:
            for module, name, value in (
                (writing, "MARK_AFTER", 0.02),
                (writing, "REMOVE_EVERY", 0.0),
                (checkpoints_module, "LOOK_EVERY", 0.02),
                (retention, "LOOK_EVERY", 0.02),
                (retention, "FIRST", 0.0),
            ):
                patch.setattr(module, name, value)
            async with running(path) as run:
                await until(lambda: begins(path) == OLD + 1)
                for n in range(15):
                    run.journal.append("observation", "observation/x", n, {})
                await until(lambda: run.journal.committed == run.journal.last)
                run.journal.deliver(run.journal.last)

    asyncio.run(play())
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    key = public(path)
    assert verify(path, key).fault is None
    return path, key


def robbed(source: Path, path: Path) -> sqlite3.Connection:
    shutil.copy(source, path)
    return unguarded(path)


def take_front(db: sqlite3.Connection, last: int) -> None:
    """As retention would do it."""
    db.execute("UPDATE mark SET pruned = ?, hash = (SELECT hash FROM record WHERE seq = ?)", (last, last))
    db.execute("DELETE FROM record WHERE seq <= ?", (last,))


def put_at_end(db: sqlite3.Connection, cut: RetentionData, at: int | None = None) -> None:
    """Append a record of retention, rightly chained, to the end or in the place of what follows `at`."""
    if at is not None:
        db.execute("DELETE FROM record WHERE seq > ?", (at,))
    row = db.execute(f"SELECT {COLUMNS}, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
    body = msgspec.json.encode(cut)
    record = Record(row[0] + 1, row[1], row[2], row[3], bool(row[4]), "retention", "retention", True, body)
    values = (*msgspec.structs.astuple(record)[:-1], body.decode())
    db.execute(f"INSERT INTO record ({COLUMNS}, hash) VALUES (?,?,?,?,?,?,?,?,?,?)", (*values, link(row[9], record)))
    db.execute(f"INSERT OR REPLACE INTO newest ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", values)


def newest_cut(path: Path) -> RetentionData:
    with contextlib.closing(sqlite3.connect(path)) as db:
        (body,) = db.execute("SELECT body FROM newest WHERE kind = 'retention'").fetchone()
    return msgspec.json.decode(body, type=RetentionData)


def test_each_of_two_hundred_thefts_from_the_front_is_found_and_named(cut_once, tmp_path):
    source, key = cut_once
    sound = verify(source, key)
    said, last = newest_cut(source), sound.last
    stranger = Signer(tmp_path / "stranger.key")
    stranger.prepare()
    rng = random.Random(200)
    for n in range(200):
        path = tmp_path / "j.db"
        db = robbed(source, path)
        taken = rng.randrange(OLD + 1, sound.signed)  # without the last signature nothing tells where it began
        hash_ = db.execute("SELECT hash FROM record WHERE seq = ?", (taken,)).fetchone()[0].hex()
        way = ["plain", "as retention", "old cut again", "cut moved", "unsigned", "by another key"][n % 6]
        if way == "plain":
            db.execute("DELETE FROM record WHERE seq <= ?", (taken,))
        else:
            take_front(db, taken)
        moved = msgspec.structs.replace(said, sequence=taken, hash=hash_)
        if way == "old cut again":
            put_at_end(db, said)
        elif way == "cut moved":
            put_at_end(db, moved)
        elif way == "unsigned":
            put_at_end(db, msgspec.structs.replace(moved, key=None, signature=None))
        elif way == "by another key":
            put_at_end(db, signed(moved, str(stranger.public), stranger))
        closed(db)
        fault = verify(path, key).fault
        assert fault is not None, (way, taken)
        assert "\n" not in fault
        there = re.match(r"record (\d+) ", fault)
        assert there, (way, taken, fault)
        if way == "plain":
            assert fault.startswith(f"record {OLD + 1} is missing; the next there is has sequence {taken + 1}")
        elif way in ("as retention", "old cut again"):
            assert f"is missing: records up to {taken} were removed, and no signed record says why" in fault
            assert OLD + 1 <= int(there[1]) <= taken
        elif way == "unsigned":
            assert f"record {last + 1}, which says why, is not signed" in fault
        else:  # what was put in is named
            assert fault.startswith(f"record {last + 1} (retention) "), fault


def test_a_theft_is_told_when_the_board_starts_again_and_is_not_signed_for(cut_once, tmp_path):
    source, key = cut_once
    path = tmp_path / "j.db"
    for suffix in (".key", ".pub"):
        shutil.copy(source.with_suffix(suffix), path.with_suffix(suffix))
    db = robbed(source, path)
    take_front(db, 40)
    closed(db)
    asyncio.run(once(path))
    store = Store(path, read_only=True)
    told = [json.loads(r.body) for r, _ in store.records() if r.kind == "system"]
    store.close()
    assert {"event": "records_removed", "detail": {"up_to": 40}} in told
    assert "records up to 40 were removed, and no signed record says why" in str(verify(path, key).fault)


async def once(path: Path, cut: int = 0) -> None:
    async with running(path) as run:
        await until(lambda: run.retention._examined and begins(path) > cut)
        await asyncio.sleep(0.2)
        await until(lambda: run.journal.committed == run.journal.last)


async def test_an_honest_board_tells_nothing_when_it_starts_again(tmp_path):
    path = tmp_path / "j.db"
    filled(path)
    for _ in range(3):
        await once(path, OLD)
    store = Store(path, read_only=True)
    events = [json.loads(r.body)["event"] for r, _ in store.records() if r.kind == "system"]
    store.close()
    assert events == ["started"] * 3
    assert verify(path, public(path)).fault is None
    assert begins(path) == OLD + 1


def test_a_cut_of_another_journal_excuses_no_theft(cut_once, tmp_path):
    source, key = cut_once
    path = tmp_path / "other.db"
    filled(path, old=30, young=60)
    for suffix in (".key", ".pub"):
        shutil.copy(source.with_suffix(suffix), path.with_suffix(suffix))
    asyncio.run(once(path, 30))
    # signed with the same key, but record 30 is another record there
    db = robbed(source, tmp_path / "j.db")
    take_front(db, 30)
    put_at_end(db, newest_cut(path))
    closed(db)
    assert "no signed record says why" in str(verify(tmp_path / "j.db", key).fault)


# -- boards that cannot sign


async def test_a_board_that_cannot_sign_says_so_of_its_cuts_too(tmp_path, monkeypatch, capsys):
    path = tmp_path / "j.db"
    filled(path)
    usual = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running(path):
        await until(lambda: begins(path) == OLD + 1)
    verdict = verify(path)
    assert (verdict.fault, verdict.checkpoints) == (None, 0)
    assert verdict.cut is not None
    assert (verdict.cut.sequence, verdict.cut.signature) == (OLD, None)
    assert cli.main(["journal", "verify", str(path)]) == 0
    out = capsys.readouterr().out
    assert "not signed\n" in out
    assert f"records up to {OLD} are no longer there: retention took them, NOT signed" in out
    # openssl comes: the key is made, and what was cut before it is signed as such
    monkeypatch.setenv("PATH", usual)
    async with running(path) as run:
        await until(lambda: run.cuts)
        assert [cut.reason for cut in run.cuts] == ["key"]
    verdict = verify(path, public(path))
    assert verdict.fault is None
    assert verdict.cut is not None
    assert (verdict.cut.reason, is_genuine(verdict.cut)) == ("key", True)


async def test_what_is_old_waits_for_a_key_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    filled(path)
    Signer(key_path(path)).prepare()
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running(path) as run:
        await until(lambda: run.checkpoints.trouble)
        await asyncio.sleep(0.3)
        assert run.cuts == []
        assert begins(path) == 1
        monkeypatch.setattr(run.journal._writer, "_measure", lambda store: None)
        run.journal.full = True  # until there is no room
        await until(lambda: begins(path) == OLD + 1)
        assert [cut.signature for cut in run.cuts] == [None]
    fault = verify(path, public(path)).fault
    assert re.match(
        r"record 1 is missing: records up to 20 were removed, and record \d+, which says why, is not", fault
    )


async def test_a_file_that_was_set_aside_is_named_by_a_signed_cut(tmp_path, capsys):
    path = tmp_path / "j.db"
    filled(path)
    await once(path)
    path.write_bytes(b"\xaa" * 4096 + path.read_bytes()[4096:])
    async with running(path) as run:
        await until(lambda: any(cut.reason == "set_aside" for cut in run.cuts))
    (aside,) = [p.name for p in tmp_path.iterdir() if re.search(r"damaged-[^.]*$", p.name) and "-wal" not in p.name]
    assert verify(path, public(path)).fault is None
    assert cli.main(["journal", "verify", str(path)]) == 0
    assert f"their file was damaged and set aside as {aside}, signed at" in capsys.readouterr().out


# -- interrupted


async def test_a_removal_broken_off_is_sound_at_each_portion_and_goes_on_later(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    filled(path)
    rows = writing.REMOVE_ROWS
    monkeypatch.setattr(writing, "REMOVE_ROWS", 0)  # said, not done
    async with running(path) as run:
        await until(lambda: run.cuts)
        await asyncio.sleep(0.3)
        assert len(run.cuts) == 1  # not said again while it is not done
        await until(lambda: run.journal.committed == run.journal.last)
        run.journal.deliver(run.journal.last)
    for taken in range(0, OLD + 1, 4):
        store = Store(path)
        store.remove(taken, 4)
        store.close()
        assert verify(path, public(path)).fault is None
        assert begins(path) == taken + 1
        if taken == 12:
            break
    monkeypatch.setattr(writing, "REMOVE_ROWS", rows)
    async with running(path):
        await until(lambda: begins(path) == OLD + 1)
    assert verify(path, public(path)).fault is None
