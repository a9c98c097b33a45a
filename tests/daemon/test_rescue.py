"""A journal that is damaged, out of reach or moved: what goes on, under which numbers, and what is told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3

import pytest

from pitwatch.daemon.journal import Journal, rescue, writing
from pitwatch.daemon.journal import journal as journal_module
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import DamagedError, Store, StoreError
from pitwatch.hal.sim import SimClock
from tests.daemon.burglar import altered
from tests.daemon.refusing_disk import RefusingDisk

DAY = 86_400_000_000_000


def record(n, **more):
    fields = {"wall_ns": n, "synced": True, "kind": "observation", "subtopic": "o", "retained": False, "body": b"{}"}
    return Record(seq=n, boot="b", t_ns=n, **(fields | more))


async def wrote(path, count, delivered=0):
    """A journal that was kept and closed in order."""
    journal = Journal(path, SimClock(), "first")
    journal.start()
    for n in range(count):
        journal.append("observation", "observation/a", n, {"n": n})
    journal.append("device", "device/a", count, {"state": "online"}, True)
    while journal.committed < journal.last:  # noqa: ASYNC110  the journal has one listener already
        await asyncio.sleep(0.001)
    journal.deliver(delivered)
    await journal.close()


def told(journal):
    return [json.loads(r.body)["detail"] for r in journal._tail if b"journal_set_aside" in r.body]


async def settled(journal):
    async with asyncio.timeout(10):
        while journal.committed < journal.last:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def overwrite(path, at, data):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


async def test_a_sound_journal_is_left_alone(tmp_path):
    await wrote(tmp_path / "j.db", 20)
    journal = Journal(tmp_path / "j.db", SimClock(), "second")
    assert journal.last == 21
    assert not [p for p in tmp_path.iterdir() if "damaged" in p.name]
    await journal.close()


async def test_a_journal_without_its_beginning_is_set_aside_and_its_numbers_go_on(tmp_path):
    path = tmp_path / "j.db"
    await wrote(path, 20, 21)
    overwrite(path, 0, b"\xaa" * 4096)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    assert journal.last == 22  # the one that tells
    await settled(journal)
    journal.committed = journal.last
    (aside,) = [p for p in tmp_path.iterdir() if "damaged" in p.name]
    detail = json.loads(Store(path, read_only=True).read(21, 1)[0].body)["detail"]
    assert detail["file"] == aside.name
    assert detail["lost"] == 0
    assert "not a database" in detail["reason"]
    assert aside.read_bytes()[:4] == b"\xaa" * 4  # as it was found
    await journal.close()
    assert Store(path, read_only=True).fault() is None


async def test_what_was_not_delivered_is_carried_over_and_what_cannot_be_read_says_so(tmp_path):
    path = tmp_path / "j.db"
    await wrote(path, 10, 4)
    altered(path, "DELETE FROM record WHERE seq = 7")
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await settled(journal)
    await journal.close()
    store = Store(path, read_only=True)
    assert store.fault() is None
    assert (store.delivered, store.pruned) == (4, 4)
    kept = store.read(0, 100)
    assert [r.seq for r in kept] == list(range(5, 13))
    assert [json.loads(r.body) for r in kept[:2]] == [{"n": 4}, {"n": 5}]
    assert json.loads(kept[2].body) == {"event": "record_lost", "detail": {"sequence": 7}}
    assert json.loads(kept[-1].body)["detail"]["lost"] == 1
    assert [r.subtopic for r in store.retained()] == ["device/a"]


@pytest.mark.parametrize(
    "changed",
    [
        "UPDATE record SET body = CAST(body AS BLOB) WHERE seq = 7",
        "UPDATE record SET subtopic = x'ff' WHERE seq = 7",
        "UPDATE record SET t_ns = 'x' WHERE seq = 7",
        "UPDATE record SET body = CAST(x'ff' AS TEXT) WHERE seq = 7",
        "UPDATE newest SET body = CAST(body AS BLOB) WHERE subtopic = 'device/a'",
        "UPDATE newest SET body = CAST(x'ff' AS TEXT) WHERE subtopic = 'device/a'",
        "UPDATE newest SET seq = 'x' WHERE subtopic = 'device/a'",
        "UPDATE mark SET delivered = 'x'",
        "UPDATE mark SET hash = 'x'",
    ],
)
async def test_what_was_never_written_so_is_damage_like_any_other(tmp_path, changed):
    """One bit of the file makes bytes of a text; the daemon that met them did not start any more."""
    path = tmp_path / "j.db"
    await wrote(path, 10, 4)
    altered(path, changed)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await settled(journal)
    assert [detail["lost"] for detail in told(journal)] == [int("record" in changed)]
    await journal.close()
    with contextlib.closing(Store(path, read_only=True)) as store:
        assert store.fault() is None
        assert [r.seq for r in store.read(0, 100)] == list(range(5, 13))


async def test_of_a_page_that_is_spoiled_the_others_are_carried_over(tmp_path):
    path = tmp_path / "j.db"
    await wrote(path, 3000, 500)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    at = data.rindex(b'{"n":2990}') // 4096 * 4096  # among the newest, which are looked at first
    overwrite(path, at, b"\xaa" * 4096)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await settled(journal)
    (detail,) = told(journal)
    assert 0 < detail["lost"] < 100
    assert detail["carried_over"] == 2501 - detail["lost"]
    await journal.close()


@pytest.mark.parametrize("killed_in", ["begin_after", "write", "close", "_move", "rename"])
async def test_who_is_killed_while_he_sets_a_journal_aside_leaves_it_to_the_next_start(
    tmp_path, monkeypatch, killed_in
):
    path = tmp_path / "j.db"
    await wrote(path, 10, 4)
    altered(path, "DELETE FROM record WHERE seq = 7")
    child = os.fork()
    if not child:
        where = {"rename": os, "_move": rescue}.get(killed_in, Store)
        calls = {"rename": 1, "close": 1}.get(killed_in, 0)  # of the damaged file itself
        real = getattr(where, killed_in)

        def killed(*args):
            nonlocal calls
            if not calls:
                os._exit(9)
            calls -= 1
            return real(*args)

        setattr(where, killed_in, killed)
        try:
            Journal(path, SimClock(), "second")
        finally:
            os._exit(0)
    _, status = await asyncio.to_thread(os.waitpid, child, 0)
    assert os.waitstatus_to_exitcode(status) == 9
    journal = Journal(path, SimClock(), "third")
    journal.start()
    await settled(journal)
    await journal.close()
    store = Store(path, read_only=True)
    assert store.fault() is None
    assert [json.loads(r.body) for r in store.read(0, 2)] == [{"n": 4}, {"n": 5}]
    assert store.read(10, 1)[0].subtopic == "device/a"
    store.close()
    assert not list(tmp_path.glob("*.new*"))


async def test_a_file_that_never_was_a_journal_is_not_moved(tmp_path):
    (tmp_path / "j.db").write_bytes(b"somebody's letters, long enough to be looked at" * 50)
    with pytest.raises(DamagedError, match="not usable as a journal"):
        Journal(tmp_path / "j.db", SimClock(), "first")
    assert (tmp_path / "j.db").exists()


async def test_a_chain_broken_in_the_middle_is_found_while_it_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    monkeypatch.setattr(writing, "SCRUB_ROWS", 3)
    path = tmp_path / "j.db"
    await wrote(path, 30)
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await asyncio.sleep(0.3)
    assert not told(journal)
    with sqlite3.connect(path) as db:
        db.execute("DROP TRIGGER no_update")
        db.execute("UPDATE record SET body = '[]' WHERE seq = 5")
    async with asyncio.timeout(5):
        while not told(journal):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert "record 5 (observation) was altered" in told(journal)[0]["reason"]
    await settled(journal)
    await journal.close()


async def test_a_disk_that_refuses_is_published_past_after_some_seconds(tmp_path, monkeypatch):
    disk = RefusingDisk(monkeypatch, "disk I/O error")
    monkeypatch.setattr(journal_module, "RELEASE_AFTER", 0.5)
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    heard, told, now = [], [], asyncio.get_running_loop().time
    journal.on_trouble = lambda trouble: told.append((now(), trouble, journal.released, list(heard)))
    journal.on_commit = lambda seq: heard.append(seq) or told.append((now(),))
    journal.start()
    journal.append("observation", "observation/a", 1, {})
    async with asyncio.timeout(10):
        while not heard:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    (refused, trouble, *before), (released,) = told
    assert ("disk I/O error" in trouble, before) == (True, [0, []])
    assert released - refused > 0.45  # by the loop's own clock, which both are read from
    assert (journal.committed, journal.released, heard) == (0, 1, [1])
    assert [r.seq for r in journal.fresh(0, 9)] == [1]
    disk.refuses = False
    await settled(journal)
    journal.append("observation", "observation/a", 2, {})
    assert journal.released == 1  # the disk is asked first again
    await settled(journal)
    await journal.close()
    assert [r.seq for r in Store(tmp_path / "j.db").read(0, 9)] == [1, 2]


async def test_the_clock_that_is_set_and_moved_is_told_before_what_follows(tmp_path):
    clock = SimClock(now=10**9, wall=0, synced=False)
    journal = Journal(tmp_path / "j.db", clock, "boot")
    journal.start()
    journal.append("observation", "observation/a", clock.now(), {})
    clock.set_wall(1_800_000_000 * 10**9, True)
    journal.append("observation", "observation/a", clock.now(), {})
    clock.step_wall(-3600 * 10**9)
    journal.look_at_clock()
    clock.advance_to(50 * 10**9)  # and nothing is told of a clock that goes as it should
    journal.look_at_clock()
    await settled(journal)
    await journal.close()
    records = Store(tmp_path / "j.db").read(0, 9)
    assert [(r.kind, r.synced) for r in records] == [
        ("observation", False), ("system", True), ("observation", True), ("system", True),
    ]  # fmt: skip
    set_, stepped = (json.loads(r.body) for r in records[1::2])
    assert set_ == {
        "event": "clock_set",
        "detail": {"step_s": 1.8e9, "synced": True, "wall_minus_monotonic_ns": 1_799_999_999 * 10**9},
    }
    assert (stepped["event"], stepped["detail"]["step_s"]) == ("clock_stepped", -3600.0)


def test_records_from_before_the_clock_was_set_are_as_old_as_what_follows(tmp_path):
    store = Store(tmp_path / "j.db")
    store.write([record(n, wall_ns=0, synced=False) for n in range(1, 9)], 8)
    assert store.older(20 * DAY) is None  # nobody knows how old they are
    store.write([record(9, wall_ns=19 * DAY), record(10, wall_ns=0, synced=False), record(11, wall_ns=21 * DAY)], 11)
    (last, _) = store.older(20 * DAY)
    assert last == 9
    assert [store.remove(last, 5), store.remove(last, 5), store.remove(last, 5)] == [5, 4, 0]
    assert [r.seq for r in store.read(0, 99)] == [10, 11]
    assert store.fault() is None


def test_a_journal_that_lost_what_was_delivered_is_no_whole_journal(tmp_path):
    store = Store(tmp_path / "j.db")
    store.write([record(n) for n in range(1, 6)], 5)
    store.close()
    Store(tmp_path / "j.db").close()
    altered(tmp_path / "j.db", "DELETE FROM record WHERE seq > 3")
    with pytest.raises(StoreError, match="records after 3 are missing"):
        Store(tmp_path / "j.db")


@pytest.mark.parametrize("huge", [1 << 40, 1 << 62, (1 << 63) - 1])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "forged",
    ["UPDATE record SET seq = {} WHERE seq = 9", "UPDATE newest SET seq = {}", "UPDATE mark SET delivered = {}"],
)
async def test_a_start_ends_whatever_number_is_forged(tmp_path, huge, known, forged):
    path = tmp_path / "j.db"
    await wrote(path, 10, 4)
    altered(path, forged.format(huge))
    altered(path, "UPDATE record SET body = '{}' WHERE seq = 7")
    if not known:
        path.with_name("j.db.lock").write_text("")
    journal = Journal(path, SimClock(), "second")
    journal.start()
    await settled(journal)
    (detail,) = told(journal)
    assert detail["lost"] <= 10
    assert journal.committed == journal.last
    if known:
        assert journal.last == 12  # the eleven that were, and the one that tells
    await journal.close()
