"""Without the key nobody gets more past `verify` or a start than a board leaves unsigned; and a board always passes."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal import Journal, nodes, open_end, retention, writing
from pitwatch.daemon.journal import checkpoints as checkpoints_module
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.records import COLUMNS
from pitwatch.daemon.journal.retention import Retention
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.statements import signed
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
from tests.daemon.burglar import closed, unguarded
from tests.daemon.refusing_disk import RefusingDisk
from tests.daemon.test_evidence import rehash

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

TABLE = "toledo/RL-07"
SECOND = 1_000_000_000


def seen(seq: int, boot: str = "b00t", t_ns: int | None = None, kind: str = "observation", **more) -> Record:
    fields = {"subtopic": f"{kind}/x", "retained": False, "body": b'{"n":%d}' % seq} | more
    at = seq * SECOND // 10 if t_ns is None else t_ns
    return Record(seq, boot, at, 1_800_000_000 * SECOND + at, True, kind, **fields)


def checkpoint(store: Store, signer: Signer, sequence: int | None = None, linked: bool = True, **more) -> Record:
    """The next record: a signature over all up to a sequence."""
    sequence = sequence or store.last
    before = store.last_of_kind("checkpoint")
    there = msgspec.json.decode(before.body, type=CheckpointData) if before and linked else None
    fields = {"table": TABLE, "first": store.pruned + 1, "sequence": sequence, "key": "", "signature": ""}
    fields |= {"hash": store.one(sequence)[1].hex()}
    fields |= {"previous": there.sequence, "previous_hash": there.hash} if there else {}
    said = signed(CheckpointData(**(fields | more)), str(signer.public), signer)
    return seen(store.last + 1, kind="checkpoint", subtopic="checkpoint", body=msgspec.json.encode(said))


def grown(
    path: Path, *stretches: int, linked: bool = True, delivered: bool = True, signer: Signer | None = None
) -> Signer:
    """A journal as a board writes it, signed after each of the stretches (records)."""
    signer = signer or Signer(key_path(path))
    signer.prepare()
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    for count in stretches:
        store.write([seen(n) for n in range(store.last + 1, store.last + count)], 0)
        store.write([checkpoint(store, signer, linked=linked)], 0)
    store.write([], store.last if delivered else 0)
    store.close()
    return signer


def forged(path: Path, keep: int, count: int, delivered: int = 0, step_ns: int = SECOND // 100, boots: int = 1) -> None:
    """What somebody does who lacks the key: all after record `keep` taken away, others put in its place."""
    db = unguarded(path)
    db.execute("DELETE FROM record WHERE seq > ?", (keep,))
    db.execute("DELETE FROM newest WHERE seq > ?", (keep,))
    rewound(db, keep)
    db.execute(
        f"INSERT OR REPLACE INTO newest ({COLUMNS}) SELECT {COLUMNS} FROM record "
        "WHERE retained OR kind = 'round' ORDER BY seq"
    )
    db.execute("UPDATE mark SET delivered = ?", (min(delivered, keep),))
    closed(db)
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    last = store.last
    many = [seen(last + n, f"forged{n * boots // count}", n * step_ns) for n in range(1, count + 1)]
    store.write(many, min(delivered, store.last + count))
    store.close()


def rewound(db: sqlite3.Connection, keep: int) -> None:
    """The tree as it was after a record: the next start builds the rest from what is there."""
    db.execute("DELETE FROM newest WHERE kind = 'tree' AND subtopic NOT LIKE 'tree/at/%'")
    for key, body in db.execute("SELECT subtopic, body FROM newest WHERE kind = 'tree'").fetchall():
        kept = [edge for edge in nodes.edges(body) if edge.size <= keep]
        if keep // nodes.CHUNK == nodes.chunk_of(key):
            kept = [edge._replace(right=[]) for edge in kept]
        db.execute("UPDATE newest SET body = ? WHERE subtopic = ?", ("".join(map(nodes.edge_line, kept)), key))
    db.execute("DELETE FROM newest WHERE kind = 'tree' AND body = ''")


@pytest.fixture(autouse=True)
def swift(monkeypatch):
    monkeypatch.setattr(checkpoints_module, "LOOK_EVERY", 0.02)
    monkeypatch.setattr(retention, "LOOK_EVERY", 0.02)


class Started:
    """A daemon's journal with what signs it."""

    def __init__(self, path: Path):
        self.journal = Journal(path, SimClock(), "second")
        self.signing = Checkpoints(self.journal, SimClock(), TABLE)
        self.retention = Retention(self.journal, self.signing, SimClock(), TABLE, 14)
        self.signing.sign_first()
        self.journal.start()
        self.journal.note("started", {})

    @property
    def set_aside(self) -> list[dict]:
        bodies = [json.loads(r.body) for r in tuple(self.journal._tail) if r.kind == "system"]
        return [body["detail"] for body in bodies if body["event"] == "journal_set_aside"]

    async def end(self) -> None:
        if self.signing._task is None:
            self.signing.start()
        self.retention.start()
        await until(lambda: self.signing.trouble or (self.signing._signed > 0 and self.journal.begun is None))
        await self.retention.stop()
        await self.signing.stop()
        await until(lambda: self.journal.committed == self.journal.last)
        await self.journal.close()


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


def records(path: Path, after: int = 0) -> list[Record]:
    store = Store(path, read_only=True)
    try:
        return store.read(after, 1_000_000)
    finally:
        store.close()


def statements(path: Path) -> list[CheckpointData]:
    return [msgspec.json.decode(r.body, type=CheckpointData) for r in records(path) if r.kind == "checkpoint"]


FORGERIES = {
    "5655 records, delivered": {"count": 5_655, "delivered": 9_999},
    "5655 records, undelivered": {"count": 5_655},
    "one more than is left open": {"count": 2_000},
    "few, half an hour": {"count": 100, "step_ns": 20 * SECOND},
    "few, as many pauses": {"count": 40, "step_ns": 3_600 * SECOND},
    "many runs": {"count": 2_500, "boots": 500},
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
async def test_what_is_forged_after_an_early_checkpoint_is_found_and_not_signed(tmp_path, capsys, forgery):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 1_000, 1_000, 1_000)
    forged(path, 10, **forgery)
    last = 10 + forgery["count"]
    assert cli.main(["journal", "verify", str(path)]) == 1
    assert f"record 10 to {last}: " in capsys.readouterr().out
    start = Started(path)
    (detail,) = start.set_aside
    assert detail["reason"].startswith(f"record 10 to {last}: ")
    assert "someone without the key may have written them" in detail["reason"]
    await start.end()
    assert not [r for r in records(path) if r.boot.startswith("forged") and r.kind != "system"]
    lost = [r.seq for r in records(path) if b"record_lost" in r.body]
    assert lost == list(range(10, last + 1)) if not forgery.get("delivered") else lost == []
    assert records(path)[-1].seq > last
    store = Store(tmp_path / detail["file"], read_only=True)
    hashes = {hash_.hex() for record, hash_ in store.records(10)}
    store.close()
    assert len(hashes) == forgery["count"]
    assert not {said.hash for said in statements(path)} & hashes
    assert statements(path)[-1].key == signer.public
    again = Started(path)
    assert again.set_aside == []
    await again.end()
    assert verify(path, signer.public).fault is None


@pytest.mark.parametrize("count", [1, 900, 1_500, 2_000])
async def test_what_a_board_may_have_left_open_is_signed_before_anything_else_is_written(tmp_path, count):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 500)
    forged(path, 510, count - 1, 10_000, step_ns=SECOND // 10)  # rightly chained, as by a board that lost its power
    assert verify(path).fault is None
    start = Started(path)
    assert start.set_aside == []
    first = start.journal._tail[0]
    await start.end()
    assert (first.kind == "checkpoint") == (count > 1_000)
    assert verify(path, signer.public).fault is None


async def test_a_table_that_was_idle_or_off_is_no_alarm(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10)
    store = Store(path)
    day = 86_400 * SECOND
    store.write([seen(11 + n, f"run {n // 2}", n * day) for n in range(30)], 40)  # fifteen runs, a pause in each
    store.close()
    assert verify(path, signer.public).fault is None
    start = Started(path)
    assert start.set_aside == []
    await start.end()
    assert verify(path, signer.public).fault is None


async def test_checkpoints_that_are_forged_by_the_thousand_are_seen_through(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 500)
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    real = checkpoint(store, signer)
    for _ in range(3_000):
        said = msgspec.json.decode(real.body, type=CheckpointData)
        said = msgspec.structs.replace(
            said,
            sequence=store.last,
            hash=store._last[1].hex(),
            signature=base64.b64encode(bytes(64)).decode(),
            previous=None,
        )
        store.write([msgspec.structs.replace(real, seq=store.last + 1, body=msgspec.json.encode(said))], 510)
    store.close()
    assert "not genuine" in str(verify(path).fault)
    start = Started(path)
    assert start.set_aside[0]["reason"].startswith("record 510 to 3510: so many are unsigned")
    await start.end()
    assert [r.seq for r in records(path) if b"record_lost" in r.body] == list(range(511, 3_511))
    assert all(said.sequence >= 3_510 for said in statements(path))


async def test_one_forged_checkpoint_among_few_records_is_not_signed_over(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 500)
    store = Store(path)
    real = checkpoint(store, signer)
    body = real.body.replace(b'"signature":"', b'"signature":"A')
    store.write([msgspec.structs.replace(real, body=body), seen(512)], 512)
    store.close()
    start = Started(path)
    assert start.set_aside[0]["reason"] == "record 510 to 512: the signature of record 511 is not genuine"
    await start.end()


async def test_what_is_forged_under_a_running_daemon_is_not_carried_over(tmp_path, monkeypatch):
    """Without a broker, so that what was forged is still to be published; memory has the newest 2,000 only."""
    monkeypatch.setattr(writing, "MARK_AFTER", 0.02)
    path = tmp_path / "j.db"
    signer = grown(path, 10, 500, delivered=False)
    start = Started(path)
    start.signing.start()
    for n in range(4_000):
        start.journal.append("observation", "observation/a", n, {"n": n})
        if not n % 500:
            await until(lambda: start.journal.committed == start.journal.last)
    start.journal.append("device", "device/w", 4_000, {"state": "online"}, True)
    await until(lambda: start.journal.committed == start.journal.last)
    db = unguarded(path)
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE record SET kind = 'observation' WHERE kind = 'checkpoint' AND seq > 511")
    db.execute("UPDATE record SET body = '{\"forged\":1}' WHERE seq IN (600, 3000)")
    db.execute("UPDATE newest SET body = '{\"state\":\"removed\"}' WHERE subtopic = 'device/w'")
    rehash(db, 512)  # on a busy machine a checkpoint is among the records before 600
    db.execute("COMMIT")
    closed(db)
    start.journal.append("observation", "observation/a", 1, {"after": 1})  # on the chain that memory knows
    await until(lambda: start.set_aside)
    await start.end()
    kept = records(path)
    assert not [r.seq for r in kept if b"forged" in r.body]
    assert {r.body for r in kept if r.seq == 600} == {b'{"event":"record_lost","detail":{"sequence":600}}'}
    assert [json.loads(r.body) for r in kept if r.subtopic == "device/w"] == [{"state": "online"}]
    assert len([r for r in kept if b"record_lost" in r.body]) < 2_600  # memory has the newest
    assert verify(path, signer.public).fault is None


async def test_what_was_altered_before_the_last_signature_is_not_carried_over(tmp_path):
    path = tmp_path / "j.db"
    grown(path, 10, 1_500, delivered=False)
    forged(path, 1_510, 3_000)
    db = unguarded(path)
    db.execute("UPDATE record SET body = '{\"n\":0}' WHERE seq = 100")  # deeper than a start goes through the chain
    db.execute("DELETE FROM record WHERE seq = 200")
    closed(db)
    start = Started(path)
    assert len(start.set_aside) == 1
    await start.end()
    assert [r.seq for r in records(path) if b"record_lost" in r.body][:5] == [100, 200, 201, 1_510, 1_511]


async def test_states_and_numbers_are_those_of_what_is_signed(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10)
    store = Store(path)
    body = (
        b'{"round":%d,"game":"g","opened":1,"closed":2,"partial":false,"void":null,'
        b'"cards":{},"counts":{},"result":{},"irregularities":[]}'
    )
    honest = [
        seen(11, kind="round", subtopic="round", body=body % 41),
        seen(12, kind="device", subtopic="device/w", retained=True, body=b'{"state":"online"}'),
    ]
    store.write(honest, 0)
    store.write([checkpoint(store, signer)], 13)
    most = [seen(n, "forged") for n in range(14, 5_000)]
    false = [
        seen(5_000, "forged", kind="round", subtopic="round", body=body % 77),
        seen(5_001, "forged", kind="device", subtopic="device/w", retained=True, body=b'{"state":"removed"}'),
        seen(5_002, "forged", kind="alert", subtopic="alert/x", retained=True),
    ]
    store.write([*most, *false], 5_002)
    store.close()
    start = Started(path)
    assert {topic: r.body for topic, r in start.journal.retained.items() if r.boot != "second"} == {
        "device/w": b'{"state":"online"}'
    }
    assert json.loads(start.journal.last_round.body)["round"] == 77  # no number comes twice
    await start.end()
    assert verify(path, signer.public).fault is None


async def test_a_board_without_a_key_signs_all_it_has_with_its_first(tmp_path):
    path = tmp_path / "j.db"
    store = Store(path)
    store.write([seen(n) for n in range(1, 5_001)], 5_000)
    store.close()
    assert verify(path).fault is None
    start = Started(path)
    assert start.set_aside == []
    await start.end()
    assert verify(path).fault is None
    assert statements(path)[0].sequence >= 5_000


async def test_a_key_that_never_signed_does_not_cover_for_a_journal_without_signatures(tmp_path):
    path = tmp_path / "j.db"
    grown(path, 10, 500)
    forged(path, 0, 3_000)
    assert verify(path).fault is None  # a copy without the key: it may never have been signed
    assert cli.main(["journal", "verify", str(path)]) == 1
    start = Started(path)
    assert len(start.set_aside) == 1
    await start.end()


def test_openssl_that_was_killed_once_is_asked_again(tmp_path, monkeypatch):
    """As a board that is short of memory kills it: without an answer nothing would be known to be forged."""
    path, bin_ = tmp_path / "j.db", tmp_path / "bin"
    signer = grown(path, 10, 500)
    forged(path, 510, 100)
    bin_.mkdir()
    (bin_ / "openssl").write_text(
        f'#!/bin/sh\n[ -e {tmp_path}/was ] && exec {shutil.which("openssl")} "$@"\ntouch {tmp_path}/was\nkill -9 $$\n'
    )
    (bin_ / "openssl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    store = Store(path)
    assert open_end.trusted(store, signer) == 509
    assert (tmp_path / "was").exists()
    store.close()


async def test_what_cannot_be_looked_at_is_neither_moved_nor_signed(tmp_path, monkeypatch):
    """Without openssl at the start, and with it later."""
    path, bare = tmp_path / "j.db", tmp_path / "bare"
    bare.mkdir()
    grown(path, 10, 500)
    forged(path, 11, 3_000)
    monkeypatch.setattr(checkpoints_module, "LOOK_EVERY", 0.02)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(bare))
        start = Started(path)
    assert start.set_aside == []
    start.signing.start()
    await until(lambda: start.signing.trouble)
    assert "are unsigned" in start.signing.trouble
    assert "start the daemon again" in start.signing.trouble
    await asyncio.sleep(0.2)
    await start.signing.stop()
    await start.journal.close()
    assert len(statements(path)) == 1


@pytest.mark.parametrize("linked", [True, False])
async def test_a_disk_that_refused_for_long_is_no_alarm(tmp_path, monkeypatch, linked):
    """5,000 records that waited stand in one stretch: the run that signs them has made them itself."""
    path = tmp_path / "j.db"
    signer = grown(path, 10, linked=linked)
    start = Started(path)
    await until(lambda: start.journal.committed == start.journal.last)
    start.signing.start()
    await until(lambda: start.signing._signed > 0)
    disk = RefusingDisk(monkeypatch, "disk I/O error")
    for n in range(5_000):
        start.journal.append("observation", "observation/a", n * SECOND, {"n": n})
    await asyncio.sleep(0.1)
    disk.refuses = False
    await until(lambda: start.journal.committed >= 5_000)
    await start.end()
    assert verify(path, signer.public).fault is None
    assert Started(path).set_aside == []


@pytest.mark.parametrize(("count", "step_ns"), [(5_000, SECOND), (60, 30 * SECOND)])
async def test_a_disk_that_takes_much_at_once_has_a_signature_with_it(tmp_path, monkeypatch, count, step_ns):
    """The power goes right after the sync: what is on disk then is all there is."""
    path, copied = tmp_path / "j.db", tmp_path / "after" / "j.db"
    copied.parent.mkdir()
    signer = grown(path, 10)
    start = Started(path)
    start.signing.start()
    await until(lambda: start.signing._signed > 0)
    await until(lambda: start.journal.committed == start.journal.last)
    disk = RefusingDisk(monkeypatch, "database or disk is full")
    write, written = Store.write, []

    def then_nothing(store, records, delivered):
        write(store, records, delivered)
        if len(records) >= count and not written:
            written.append(len(records))
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", f"{copied}{suffix}")

    monkeypatch.setattr(Store, "write", then_nothing)
    for n in range(count):
        start.journal.append("observation", "observation/a", n * step_ns, {"n": n})
    await asyncio.sleep(0.1)
    disk.refuses = False
    await until(lambda: written and start.journal.committed >= count)
    await start.end()
    assert verify(path, signer.public).fault is None
    assert len(statements(path)) <= 5  # not one for each attempt
    shutil.copy(key_path(path), key_path(copied))
    assert verify(copied, signer.public).fault is None
    after = Started(copied)
    assert after.set_aside == []
    await after.end()
    assert verify(copied, signer.public).fault is None


def test_journals_of_earlier_versions_are_not_asked(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 5_000, 5_000, linked=False)
    assert verify(path, signer.public).fault is None


def test_a_stretch_of_earlier_runs_that_was_signed_over_is_found(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 100)
    store = Store(path)
    store.write([seen(n, "other") for n in range(111, 3_000)], 0)
    store.write([checkpoint(store, signer)], 2_900)
    store.close()
    assert verify(path).fault.startswith("record 110 to 2999: so many are unsigned")


@pytest.mark.parametrize("link", [{"previous": 8}, {"previous_hash": "0" * 64}, {"previous": 1}])
def test_a_checkpoint_that_names_another_than_the_one_before_is_found(tmp_path, link):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 20, 20)
    assert verify(path).fault is None
    assert [said.previous for said in statements(path)] == [None, 9, 29]
    store = Store(path)
    store.write([checkpoint(store, signer, **link)], 0)
    store.close()
    assert f"checkpoint 51 names one of records up to {link.get('previous', 49)} as the one before" in str(
        verify(path).fault
    )


def test_a_checkpoint_that_was_left_out_is_missed_by_the_next(tmp_path):
    """By somebody who has the key for one signature: the chain is made anew and its end signed."""
    path = tmp_path / "j.db"
    signer = grown(path, 10, 20, 20)
    db = unguarded(path)
    db.execute("UPDATE record SET kind = 'observation', subtopic = 'observation/x' WHERE seq = 30")
    rehash(db, 30)
    closed(db)
    store = Store(path)
    (hash_,) = store._db.execute("SELECT hash FROM record WHERE seq = 49").fetchone()
    store.close()
    db = unguarded(path)
    said = msgspec.structs.replace(statements(path)[-1], hash=hash_.hex())
    db.execute(
        "UPDATE record SET body = ? WHERE seq = 50",
        (msgspec.json.encode(signed(said, said.key, signer)).decode(),),
    )
    rehash(db, 50)
    closed(db)
    assert "checkpoint 50 names one of records up to 29 as the one before, which is not there" in str(
        verify(path).fault
    )


async def test_a_damaged_journal_of_which_much_was_carried_over_is_no_alarm(tmp_path):
    """One record in the middle cannot be read: the checkpoints after it sign another chain than the new one."""
    path = tmp_path / "j.db"
    signer = grown(path, 10, 1_500, 1_500, 1_500, 1_500, delivered=False)
    await Journal(path, SimClock(), "first").close()
    db = unguarded(path)
    db.execute("UPDATE record SET body = CAST(x'ff' AS TEXT) WHERE seq = 5900")
    db.execute("UPDATE record SET body = CAST(x'ff' AS TEXT) WHERE seq = 700")
    closed(db)
    start = Started(path)
    assert "not usable" in start.set_aside[0]["reason"]
    assert start.set_aside[0]["carried_over"] == 6_010 - 6
    await start.end()
    assert verify(path, signer.public).fault is None
    start = Started(path)
    assert start.set_aside == []
    await start.end()
    assert verify(path, signer.public).fault is None


async def test_a_state_outlives_the_record_that_told_it(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, delivered=False)
    store = Store(path)
    store.write([seen(11, kind="device", subtopic="device/w", retained=True), seen(12)], 9)
    store.close()
    await Journal(path, SimClock(), "first").close()
    db = unguarded(path)
    db.execute("UPDATE record SET body = CAST(x'ff' AS TEXT) WHERE seq = 11")
    closed(db)
    start = Started(path)
    assert start.set_aside[0]["lost"] == 1
    assert start.journal.retained["device/w"].body == b'{"n":11}'
    await start.end()
    assert verify(path, signer.public).fault is None


async def test_a_beginning_that_retention_took_with_every_checkpoint_is_no_alarm(tmp_path):
    path = tmp_path / "j.db"
    signer = grown(path, 10, 300)
    store = Store(path)
    store.write([seen(n) for n in range(311, 330)], 329)
    store.write([checkpoint(store, signer)], 330)
    store.remove(320, 1_000)
    store.close()
    assert "names" not in str(verify(path, signer.public).fault)
    start = Started(path)
    assert start.set_aside == []
    await start.end()
