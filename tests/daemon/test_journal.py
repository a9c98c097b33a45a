"""The journal: gapless over restarts, many records to a sync, unchangeable, verified by its chain."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import threading
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.daemon.journal import Journal, writing
from pitwatch.daemon.journal import journal as journal_module
from pitwatch.daemon.journal.chain import Record, first_fault, link
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.hal.sim import SimClock
from tests.daemon.refusing_disk import RefusingDisk

DAY = 86_400_000_000_000


def fill(path, count, boot="boot", retained_every=0):
    store = Store(path)
    first = store.last + 1
    records = [
        Record(n, boot, n, n, True, "observation", "observation/a", bool(retained_every), b'{"n":%d}' % n)
        for n in range(first, first + count)
    ]
    store.write(records, store.delivered)
    return store


async def settled(journal):
    while journal.committed < journal.last:  # noqa: ASYNC110  on_commit is under test itself
        await asyncio.sleep(0.005)


async def until(condition):
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_sequences_go_on_without_a_gap_after_a_restart(tmp_path):
    path = tmp_path / "j.db"
    for run in range(3):
        journal = Journal(path, SimClock(), f"boot{run}")
        journal.start()
        assert [journal.append("observation", "observation/a", 0, {"n": n}) for n in range(5)] == [
            run * 5 + n for n in range(1, 6)
        ]
        await journal.close()
    store = Store(path, read_only=True)
    assert [(r.seq, r.boot) for r in store.read(0, 100)] == [(n, f"boot{(n - 1) // 5}") for n in range(1, 16)]
    assert store.fault() is None


async def test_a_burst_costs_one_sync(tmp_path, monkeypatch):
    writes = []
    write = Store.write
    monkeypatch.setattr(
        Store, "write", lambda self, records, delivered: (writes.append(len(records)), write(self, records, delivered))
    )
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    for n in range(500):
        journal.append("observation", "observation/a", n, {})
    await settled(journal)
    await journal.close()
    assert writes == [500]


async def test_commits_are_told_in_order_and_only_when_on_disk(tmp_path):
    path = tmp_path / "j.db"
    journal = Journal(path, SimClock(), "boot")
    told = []

    def committed(seq):
        with sqlite3.connect(path) as other:
            told.append((seq, other.execute("SELECT max(seq) FROM record").fetchone()[0]))

    journal.on_commit = committed
    journal.start()
    for n in range(20):
        journal.append("observation", "observation/a", n, {})
        await asyncio.sleep(0.001)
    await settled(journal)
    await journal.close()
    assert told[-1][0] == 20
    assert [seq for seq, _ in told] == sorted(seq for seq, _ in told)
    assert all(on_disk >= seq for seq, on_disk in told)


async def test_the_loop_does_not_wait_for_a_slow_disk(tmp_path, monkeypatch):
    write, writing_now, enough = Store.write, threading.Event(), threading.Event()
    in_time = []

    def slow(self, records, delivered):
        writing_now.set()
        in_time.append(enough.wait(20))  # longer than the test takes, unless the loop waits for it
        write(self, records, delivered)

    monkeypatch.setattr(Store, "write", slow)
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    for n in range(50):
        journal.append("observation", "observation/a", n, {})
        await asyncio.sleep(0.001)
    await asyncio.to_thread(writing_now.wait, 20)
    journal.append("observation", "observation/a", 50, {})
    assert (journal.committed, journal.last) == (0, 51)
    enough.set()
    await settled(journal)
    await journal.close()
    assert in_time[0]


async def test_a_disk_that_refuses_is_told_and_loses_nothing_once_it_writes_again(tmp_path, monkeypatch):
    disk = RefusingDisk(monkeypatch, "database or disk is full")
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    trouble = []
    journal.on_trouble = trouble.append
    journal.start()
    for n in range(10):
        journal.append("observation", "observation/a", n, {})
        await asyncio.sleep(0.01)
    await until(lambda: trouble)
    assert journal.committed == 0
    assert trouble == [f"{tmp_path}/j.db cannot be written: database or disk is full"]
    disk.refuses = False
    await settled(journal)
    await until(lambda: trouble[1:])
    await journal.close()
    assert trouble[1:] == [None]
    assert [r.seq for r in Store(tmp_path / "j.db").read(0, 100)] == list(range(1, 11))


async def test_what_waits_for_a_dead_disk_is_bounded_and_the_loss_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_module, "WAITING", 5)
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")  # not started: nothing is written
    given_numbers = [journal.append("observation", "observation/a", n, {}) for n in range(8)]
    assert given_numbers == [1, 2, 3, 4, 5, 5, 5, 5]
    assert journal.append("round", "round", 9, {}) == 6  # what matters most is kept
    assert journal.dropped == 3
    await journal.close()


async def test_fresh_records_come_from_memory_and_old_ones_from_the_file(tmp_path, monkeypatch):
    fill(tmp_path / "j.db", 10).close()
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    journal.append("observation", "observation/a", 0, {})
    assert journal.fresh(10, 5) == []  # not yet on disk
    await settled(journal)
    assert [r.seq for r in journal.fresh(10, 5)] == [11]
    assert journal.fresh(5, 5) == []
    got = asyncio.get_running_loop().create_future()
    journal.read(5, 3, got.set_result)
    assert [r.seq for r in await got] == [6, 7, 8]
    await journal.close()


async def test_a_second_process_is_refused(tmp_path):
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    with pytest.raises(StoreError, match="in use by another pitwatch"):
        Journal(tmp_path / "j.db", SimClock(), "boot2")
    await journal.close()
    await Journal(tmp_path / "j.db", SimClock(), "boot3").close()


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(StoreError, match="No such file or directory; name a folder"):
        Journal(tmp_path / "no" / "j.db", SimClock(), "boot")


def test_a_file_that_is_no_journal_is_one_line(tmp_path):
    (tmp_path / "j.db").write_bytes(b"something else, long enough to be looked at" * 50)
    with pytest.raises(StoreError, match="not usable as a journal"):
        Journal(tmp_path / "j.db", SimClock(), "boot")


async def test_the_delivery_mark_survives_a_restart(tmp_path):
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    for n in range(5):
        journal.append("observation", "observation/a", n, {})
    await settled(journal)
    journal.deliver(3)
    await journal.close()
    journal = Journal(tmp_path / "j.db", SimClock(), "boot2")
    assert (journal.delivered, journal.last) == (3, 5)
    await journal.close()


async def killed(folder, monkeypatch):
    """The files of a journal of six records as kill -9 leaves them: five delivered, unknown to the mark."""
    monkeypatch.setattr(writing, "MARK_AFTER", 60.0)
    (folder / "running").mkdir()
    journal = Journal(folder / "running" / "j.db", SimClock(), "boot")
    journal.start()
    for n in range(5):
        journal.append("observation", "observation/a", n, {})
    await settled(journal)
    journal.deliver(5)
    journal.append("observation", "observation/a", 5, {})
    while (folder / "running" / "j.db.lock").read_text().split()[1:] != ["5", "6", "boot"]:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    shutil.copytree(folder / "running", folder / "left")
    await journal.close()
    store = Store(folder / "left" / "j.db", read_only=True)
    assert (store.delivered, store.last) == (0, 6)
    store.close()
    return folder / "left" / "j.db"


async def test_nobody_who_reads_the_file_holds_up_a_start(tmp_path):
    """`journal verify` and `export` of a long journal read one view of it for many seconds."""
    path = tmp_path / "j.db"
    store = fill(path, 50)
    reader = Store(path, read_only=True)
    reader.hold()
    fill(path, 1).close()
    journal = Journal(path, SimClock(), "boot")
    journal.start()
    journal.append("observation", "observation/a", 0, {})
    async with asyncio.timeout(3):  # SQLite would wait for five
        await settled(journal)
    assert reader.last == 50
    assert len(reader.read(0, 100)) == 50
    await journal.close()
    reader.close()
    store.close()


def test_the_write_ahead_file_gets_short_again_when_a_long_reader_has_gone(tmp_path):
    path, wal = tmp_path / "j.db", tmp_path / "j.db-wal"
    store = fill(path, 5)
    reader = Store(path, read_only=True)
    reader.hold()
    body = b'"' + b"x" * 1_000_000 + b'"'
    for n in range(6, 18):
        store.write([Record(n, "boot", n, n, True, "observation", "o", False, body)], 0)
    assert wal.stat().st_size > 12_000_000
    reader.close()
    for n in range(18, 20):
        store.write([Record(n, "boot", n, n, True, "observation", "o", False, b"{}")], 0)
    assert wal.stat().st_size <= 4 << 20
    store.close()


async def test_who_was_killed_knows_what_was_delivered_before_the_last_commit(tmp_path, monkeypatch):
    path = await killed(tmp_path, monkeypatch)
    journal = Journal(path, SimClock(), "boot2")
    assert (journal.delivered, journal.last) == (5, 6)
    await journal.close()


@pytest.mark.parametrize("other", [("else", 9), ("boot", 5)])
async def test_what_is_known_of_another_file_says_nothing_of_this_one(tmp_path, monkeypatch, other):
    path = await killed(tmp_path, monkeypatch)
    for part in ("", "-wal", "-shm"):
        path.with_name(path.name + part).unlink(missing_ok=True)
    boot, count = other
    fill(path, count, boot).close()
    journal = Journal(path, SimClock(), "boot2")
    assert (journal.delivered, journal.last) == (0, count)
    await journal.close()


async def test_the_delivery_mark_is_written_by_itself_when_no_record_comes(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    journal.append("observation", "observation/a", 0, {})
    await settled(journal)
    journal.deliver(1)
    async with asyncio.timeout(20):
        while True:
            other = Store(tmp_path / "j.db", read_only=True)
            other.close()
            if other.delivered == 1:
                break
            await asyncio.sleep(0.02)
    await journal.close()


async def test_times_are_of_the_event_not_of_the_writing(tmp_path):
    clock = SimClock(now=10_000_000_000)
    journal = Journal(tmp_path / "j.db", clock, "boot")
    journal.start()
    journal.append("observation", "observation/a", 9_000_000_000, {})
    await settled(journal)
    (record,) = journal.fresh(0, 1)
    assert record.wall_ns == clock.wall()[0] - 1_000_000_000
    await journal.close()


# -- the file


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET body = '{}' WHERE seq = 3",
        "DELETE FROM record WHERE seq = 3",
        "DELETE FROM record",
        "INSERT INTO record SELECT 9, boot, t_ns, 0, 0, kind, subtopic, retained, body, hash FROM record LIMIT 1",
        "UPDATE mark SET pruned = 3",
    ],
)
def test_the_file_itself_refuses_to_be_changed(tmp_path, statement):
    fill(tmp_path / "j.db", 5).close()
    with sqlite3.connect(tmp_path / "j.db") as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(statement)


def tamper(path, *statements):
    with sqlite3.connect(path) as db:
        for trigger in ("no_update", "no_delete", "no_gap", "no_undelivered_pruned"):
            db.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            db.execute(statement)
        db.commit()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE record SET body = '{\"n\":99}' WHERE seq = 3", "record 3 (observation) was altered"),
        ("UPDATE record SET wall_ns = 0 WHERE seq = 4", "record 4 (observation) was altered"),
        ("DELETE FROM record WHERE seq = 2", "record 2 is missing"),
        ("DELETE FROM record WHERE seq <= 2", "record 1 is missing"),
        ("UPDATE record SET hash = zeroblob(32) WHERE seq = 5", "record 5 (observation) was altered"),
        ("UPDATE mark SET delivered = 7", "record 6 is missing: the broker acknowledged records up to 7"),
        ("UPDATE record SET seq = 9 WHERE seq = 5", "record 5 is missing; the next there is has sequence 9"),
    ],
)
def test_tampering_is_found_at_the_first_bad_record(tmp_path, statement, told):
    fill(tmp_path / "j.db", 5).close()
    assert Store(tmp_path / "j.db", read_only=True).fault() is None
    tamper(tmp_path / "j.db", statement)
    assert told in Store(tmp_path / "j.db", read_only=True).fault()


def test_the_chain_can_be_checked_with_nothing_but_json_and_sha256(tmp_path):
    store = fill(tmp_path / "j.db", 3)
    previous = bytes(32)
    for r, stored in store.records():
        fields = [r.seq, r.boot, r.t_ns, r.wall_ns, r.synced, r.kind, r.subtopic, r.retained, r.body.decode()]
        canonical = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
        previous = sha256(previous + canonical).digest()
        assert previous == stored


@given(st.text(), st.booleans())
def test_canonical_bytes_are_plain_json_whatever_is_in_them(text, flag):
    body = json.dumps({"x": text}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        body.decode()
    except UnicodeDecodeError:
        return
    r = Record(1, "b", 2, 3, flag, "k", "s", not flag, body)
    fields = [1, "b", 2, 3, flag, "k", "s", not flag, body.decode()]
    canonical = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
    assert link(bytes(32), r) == sha256(bytes(32) + canonical).digest()


@settings(max_examples=50)
@given(st.integers(2, 8), st.data())
def test_any_one_changed_field_is_found(count, data):
    chain, previous = [], bytes(32)
    for n in range(1, count + 1):
        record = Record(n, "b", n, n, True, "k", "s", False, b"{}")
        previous = link(previous, record)
        chain.append((record, previous))
    assert first_fault(chain, 0, bytes(32)) is None
    at = data.draw(st.integers(0, count - 1))
    change = data.draw(
        st.sampled_from(
            [("boot", "c"), ("t_ns", 99), ("wall_ns", 99), ("synced", False), ("kind", "l"), ("body", b"[]")]
        )
    )
    import msgspec

    chain[at] = (msgspec.structs.replace(chain[at][0], **{change[0]: change[1]}), chain[at][1])
    assert f"record {at + 1} " in (first_fault(chain, 0, bytes(32)) or "")


def test_what_is_old_and_delivered_is_removed_and_the_chain_goes_on(tmp_path):
    store = Store(tmp_path / "j.db")
    store.write([Record(n, "b", n, n * DAY, True, "observation", "o", False, b"{}") for n in range(1, 21)], 12)
    assert store.older(DAY) is None
    assert store.older(9 * DAY)[0] == 8
    seq, hash_ = store.older(15 * DAY)  # up to the delivered 12, though 13 and 14 are old too
    assert (seq, hash_) == (12, store.one(12)[1])
    assert [store.remove(seq, 5) for _ in range(4)] == [5, 5, 2, 0]
    assert store.older(15 * DAY) is None
    assert [r.seq for r in store.read(0, 100)] == list(range(13, 21))
    assert store.fault() is None
    with pytest.raises(sqlite3.IntegrityError, match="not delivered"):
        store.remove(15, 100)
    assert store.oldest(3) is None  # they are not delivered
    store.close()
    store = Store(tmp_path / "j.db")
    store.write([Record(21, "b", 21, 21 * DAY, True, "observation", "o", False, b"{}")], 21)
    assert store.oldest(3) == (15, store.one(15)[1])
    assert store.remove(21, 100) == 9
    store.close()
    store = Store(tmp_path / "j.db")
    assert (store.last, store.fault()) == (21, None)  # an empty file still knows where to go on


def test_states_and_round_numbers_outlive_removal(tmp_path):
    store = Store(tmp_path / "j.db")
    store.write(
        [
            Record(1, "b", 1, 1, True, "device", "device/a", True, b'{"state":"offline"}'),
            Record(2, "b", 2, 2, True, "device", "device/a", True, b'{"state":"online"}'),
            Record(3, "b", 3, 3, True, "round", "round", False, b'{"round":41}'),
            Record(4, "b", 4, 4, True, "observation", "observation/a", False, b"{}"),
        ],
        4,
    )
    assert store.remove(4, 100) == 4
    assert [(r.seq, r.body) for r in store.retained()] == [(2, b'{"state":"online"}')]
    assert store.last_round().body == b'{"round":41}'


async def test_nothing_is_removed_before_the_record_that_says_so_is_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    monkeypatch.setattr(writing, "REMOVE_EVERY", 0.0)
    monkeypatch.setattr(writing, "REMOVE_ROWS", 2)
    store = Store(tmp_path / "j.db")
    store.write([Record(n, "b", n, n, True, "observation", "o", False, b"{}") for n in range(1, 8)], 7)
    store.close()
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    journal.remove(5, once=8)
    await asyncio.sleep(0.15)
    assert len(Store(journal.path, read_only=True).read(0, 10)) == 7
    journal.append("observation", "o", 8, {})
    async with asyncio.timeout(20):
        while Store(journal.path, read_only=True).pruned < 5:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await journal.close()
    assert [r.seq for r in Store(journal.path).read(0, 10)] == [6, 7, 8]


async def test_room_in_the_file_counts_as_room(tmp_path, monkeypatch):
    store = Store(tmp_path / "j.db")
    store.write([Record(n, "b", n, n, True, "o", "o", False, b'"' + b"x" * 4000 + b'"') for n in range(1, 60)], 59)
    assert store.spare() == 0
    store.remove(59, 100)
    assert store.spare() > 200_000
    store.close()
    free = os.statvfs(tmp_path)
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    monkeypatch.setattr(writing.os, "statvfs", lambda path: os.statvfs_result((*free[:4], 0, *free[5:])))
    for least, full in ((150_000, False), (10_000_000, True)):
        monkeypatch.setattr(writing, "LEAST_FREE", least)
        journal = Journal(tmp_path / "j.db", SimClock(), "boot")
        journal.start()
        journal.append("system", "system", 1, {})
        if full:
            await until(lambda journal=journal: journal.full)
        else:
            await asyncio.sleep(0.15)
        await journal.close()
        assert journal.full is full


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_one_line(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="Permission denied"):
        Journal(tmp_path / "j.db", SimClock(), "boot")
