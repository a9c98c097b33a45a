"""The evidence stands: whatever is changed in a journal is found, and the first bad record is named."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract import asyncapi
from pitwatch.daemon.contract.messages import CheckpointData, RetentionData, SystemData, encode
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal import checkpoints as module
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.checkpoints import Checkpoints, key_path
from pitwatch.daemon.journal.records import COLUMNS
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.statements import is_genuine, signed
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
from tests.daemon.burglar import closed, unguarded

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

TABLE = "toledo/RL-07"
PAGE = Path(__file__).parents[2] / "docs" / "journal.md"


KINDS = sorted(set(asyncapi.KINDS) - set(asyncapi.STATES) - {"checkpoint", "retention"})
CUTS = {25: 5, 45: 10}
"""Record to where it says that the journal is cut."""


def some(n: int) -> Record:
    """A record; every kind there is comes in turn."""
    kind = KINDS[n % len(KINDS)]
    _, topic, retained, _ = asyncapi.KINDS[kind]
    body = json.dumps({"t": n / 10, "device": "wheel", "event": "ball_settled", "data": {"pocket": str(n % 37)}})
    wall = 1_800_000_000_000_000_000 + n
    return Record(n, "b00t", n, wall, True, kind, topic.partition("{")[0] + "x", retained, body.encode())


def cut(signer: Signer, sequence: int, hash_: bytes) -> RetentionData:
    said = RetentionData(table=TABLE, sequence=sequence, hash=hash_.hex(), reason="age", time="2027-01-15T08:00:00Z")
    return signed(said, str(signer.public), signer)


def made(path: Path, done: bool, count: int = 60, every: int = 20) -> Signer:
    """A journal with a checkpoint after so many records that says twice where it is cut; `done`: and is cut there."""
    signer = Signer(key_path(path))
    key = signer.prepare()
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    for n in range(1, count + 1):
        record = some(n)
        if n % every == 0:
            ((last, hash_),) = store.records(n - 2)
            first = store.pruned + 1
            data = CheckpointData(table=TABLE, first=first, sequence=last.seq, hash=hash_.hex(), key="", signature="")
            data = signed(data, key, signer)
            record = msgspec.structs.replace(
                record, kind="checkpoint", subtopic="checkpoint", retained=False, body=msgspec.json.encode(data)
            )
        elif n in CUTS:
            body = msgspec.json.encode(cut(signer, CUTS[n], store.one(CUTS[n])[1]))
            record = msgspec.structs.replace(record, kind="retention", subtopic="retention", retained=True, body=body)
        store.write([record], max(CUTS.values()) if n > 10 else 0)
        if done and n in CUTS:
            assert store.remove(CUTS[n], 1_000) == 5
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return signer


def rehash(db: sqlite3.Connection, first: int) -> None:
    """Chain everything from `first` on anew, as somebody would who knows how the chain is made."""
    before = db.execute("SELECT hash FROM record WHERE seq = ?", (first - 1,)).fetchone()
    (hash_,) = before or db.execute("SELECT hash FROM mark").fetchone()
    for row in db.execute(
        f"SELECT {COLUMNS} FROM record WHERE seq >= ? ORDER BY seq",
        (first,),
    ).fetchall():
        record = Record(*row[:4], bool(row[4]), row[5], row[6], bool(row[7]), row[8].encode())
        hash_ = link(hash_, record)
        db.execute("UPDATE record SET hash = ? WHERE seq = ?", (hash_, row[0]))


@pytest.fixture(scope="module")
def uncut(tmp_path_factory):
    """Not cut yet: the power went after it was said."""
    path = tmp_path_factory.mktemp("evidence") / "j.db"
    return path, made(path, done=False)


@pytest.fixture(scope="module")
def shortened(tmp_path_factory):
    path = tmp_path_factory.mktemp("shortened") / "j.db"
    return path, made(path, done=True)


@pytest.fixture(scope="module", params=["uncut", "shortened"])
def journal(request):
    return request.getfixturevalue(request.param)


def first_of(path: Path) -> int:
    return verify(path).first


def copy(journal, tmp_path: Path) -> Path:
    target = tmp_path / "j.db"
    shutil.copy(journal[0], target)
    return target


def test_an_unaltered_journal_is_sound_and_signed(journal):
    verdict = verify(journal[0], journal[1].public)
    assert verdict.fault is None
    assert (verdict.last, verdict.signed, verdict.checkpoints) == (60, 59, 3)
    assert (verdict.first, verdict.cut and verdict.cut.sequence) in ((1, None), (11, 10))


def test_records_of_every_kind_are_in_it(uncut):
    kinds = {row[0] for row in sqlite3.connect(uncut[0]).execute("SELECT kind FROM record")}
    assert kinds == set(asyncapi.KINDS) - set(asyncapi.STATES)


TEXTS = ("boot", "kind", "subtopic", "body")
NUMBERS = ("t_ns", "wall_ns", "synced", "retained")


def alter_a_byte(db, rng, low) -> int:
    """One byte of one field of one record."""
    seq = rng.randint(low, 60)
    field = rng.choice([*TEXTS, *NUMBERS, "hash"])
    (value,) = db.execute(f"SELECT {field} FROM record WHERE seq = ?", (seq,)).fetchone()
    if isinstance(value, int):
        changed = value ^ (1 << rng.randrange(8))
    else:
        raw = bytearray(value if isinstance(value, bytes) else value.encode())
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(7)
        changed = bytes(raw) if isinstance(value, bytes) else raw.decode()
    db.execute(f"UPDATE record SET {field} = ? WHERE seq = ?", (changed, seq))
    return seq


def remove(db, rng, low) -> int:
    seq = rng.randint(low, 59)
    db.execute("DELETE FROM record WHERE seq = ?", (seq,))
    return seq


def remove_and_close_the_gap(db, rng, low) -> int:
    seq = remove(db, rng, low)
    for later in range(seq + 1, 61):
        db.execute("UPDATE record SET seq = ? WHERE seq = ?", (later - 1, later))
    return seq


def insert(db, rng, low) -> int:
    seq = rng.randint(low, 60)
    for later in range(60, seq - 1, -1):
        db.execute("UPDATE record SET seq = ? WHERE seq = ?", (later + 1, later))
    source = rng.choice([n for n in range(low, 62) if n not in (seq, seq + 1)])
    db.execute(
        "INSERT INTO record SELECT ?, boot, t_ns, wall_ns, synced, kind, subtopic, retained, body, hash "
        "FROM record WHERE seq = ?",
        (seq, source),
    )
    return seq


def swap(db, rng, low) -> int:
    a, b = sorted(rng.sample(range(low, 61), 2))
    db.execute("UPDATE record SET seq = 0 WHERE seq = ?", (a,))
    db.execute("UPDATE record SET seq = ? WHERE seq = ?", (a, b))
    db.execute("UPDATE record SET seq = ? WHERE seq = 0", (b,))
    return a


@pytest.mark.parametrize("change", [alter_a_byte, remove, remove_and_close_the_gap, insert, swap])
def test_each_of_a_thousand_changes_is_found_at_the_first_bad_record(journal, tmp_path, change):
    rng = random.Random(change.__name__)
    low = first_of(journal[0])
    path = copy(journal, tmp_path)
    db = unguarded(path)
    for _ in range(100):
        db.execute("SAVEPOINT clean")
        seq = change(db, rng, low)
        db.execute("RELEASE clean")
        fault = verify(path, journal[1].public).fault
        assert fault is not None
        assert re.match(rf"record {seq} ", fault), (seq, fault)
        db.close()
        path = copy(journal, tmp_path)
        db = unguarded(path)
    db.close()


def test_a_byte_changed_anywhere_in_the_file_is_found_or_changes_no_record(journal, tmp_path):
    before = [row[:] for row in sqlite3.connect(journal[0]).execute("SELECT * FROM record ORDER BY seq")]
    raw = journal[0].read_bytes()
    rng = random.Random(5)
    found = 0
    for _ in range(500):
        at = rng.randrange(100, len(raw))
        path = tmp_path / "j.db"
        path.write_bytes(raw[:at] + bytes([raw[at] ^ (1 << rng.randrange(8))]) + raw[at + 1 :])
        if verify(path, journal[1].public).fault is not None:
            found += 1
            continue
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        assert db.execute("SELECT * FROM record ORDER BY seq").fetchall() == before, at
        db.close()
    assert found > 150


@pytest.mark.parametrize("kind", ["body", "remove", "swap"])
def test_a_chain_that_was_made_anew_does_not_pass_the_signature(journal, tmp_path, kind):
    rng = random.Random(kind)
    low = first_of(journal[0])
    for _ in range(10):
        path = copy(journal, tmp_path)
        db = unguarded(path)
        seq = {"body": alter_body, "remove": remove_and_close_the_gap, "swap": swap}[kind](db, rng, low)
        rehash(db, seq)
        closed(db)
        verdict = verify(path, journal[1].public)
        if verdict.fault is None:  # after the last checkpoint the chain alone stands guard, and it was made anew
            assert seq > 58
            continue
        assert re.match(r"record \d+ |the copy", verdict.fault)
        assert verdict.signed < seq


def alter_body(db, rng, low) -> int:
    seq = rng.choice([n for n in range(low, 61) if n % 20 and n not in CUTS])
    db.execute("UPDATE record SET body = replace(body, 'pocket', 'Pocket') WHERE seq = ?", (seq,))
    return seq


def test_a_tail_cut_off_is_found_by_the_mark_or_by_a_checkpoint_that_somebody_kept(uncut, tmp_path):
    path = copy(uncut, tmp_path)
    (row,) = sqlite3.connect(path).execute("SELECT body FROM record WHERE seq = 40").fetchall()
    kept = msgspec.json.decode(row[0], type=CheckpointData)
    db = unguarded(path)
    db.execute("DELETE FROM record WHERE seq > 30")
    db.execute("DELETE FROM newest WHERE seq > 30")
    db.execute(
        f"INSERT OR REPLACE INTO newest ({COLUMNS}) SELECT {COLUMNS} FROM record "
        "WHERE retained OR kind = 'round' ORDER BY seq"
    )
    closed(db)
    assert verify(path, uncut[1].public).fault is None  # what the file alone cannot know
    assert verify(path, uncut[1].public, (kept,)).fault == (
        "record 31 is missing: the checkpoint that was kept covers records up to 39"
    )
    db = sqlite3.connect(path)
    db.execute("UPDATE mark SET delivered = 33")
    db.commit()
    db.close()
    assert verify(path).fault == "record 31 is missing: the broker acknowledged records up to 33"


def test_whoever_has_the_key_can_write_any_past_but_not_that_of_a_published_checkpoint(journal, tmp_path):
    path, signer = copy(journal, tmp_path), journal[1]
    db = unguarded(path)
    (row,) = db.execute("SELECT body FROM record WHERE seq = 40").fetchall()
    published = msgspec.json.decode(row[0], type=CheckpointData)
    alter_body(db, random.Random(3), 50)  # after what that checkpoint covers
    forge(db, signer, 45)
    closed(db)
    assert verify(path, signer.public).signed == 59
    assert verify(path, signer.public, (published,)).fault is None
    db = unguarded(path)
    db.execute("UPDATE record SET body = replace(body, 'pocket', 'Pocket') WHERE seq = 30")
    forge(db, signer, 30)
    closed(db)
    assert verify(path, signer.public).fault is None  # what the board alone cannot know
    assert "the checkpoint that was kept signs another hash" in str(verify(path, signer.public, (published,)).fault)


def forge(db: sqlite3.Connection, signer: Signer, first: int) -> None:
    """Chain everything from `first` on anew and sign it again, checkpoint by checkpoint."""
    rehash(db, first)
    for seq, body in db.execute("SELECT seq, body FROM record WHERE kind = 'checkpoint' ORDER BY seq").fetchall():
        if seq < first:
            continue
        (hash_,) = db.execute("SELECT hash FROM record WHERE seq = ?", (seq - 1,)).fetchone()
        made = msgspec.json.decode(body, type=CheckpointData)
        made = signed(msgspec.structs.replace(made, hash=hash_.hex()), made.key, signer)
        db.execute("UPDATE record SET body = ? WHERE seq = ?", (msgspec.json.encode(made).decode(), seq))
        rehash(db, seq)
    db.execute(
        f"INSERT OR REPLACE INTO newest ({COLUMNS}) SELECT {COLUMNS} FROM record "
        "WHERE retained OR kind = 'round' ORDER BY seq"
    )


def test_records_appended_while_the_board_is_off_are_not_told_from_its_own(journal, tmp_path):
    path = copy(journal, tmp_path)
    store = Store(path)
    store.write([msgspec.structs.replace(some(60), seq=61, kind="observation", retained=False)], store.delivered)
    store.close()
    assert verify(path, journal[1].public).fault is None


def test_a_journal_made_anew_without_a_signature_is_not_taken_for_a_signed_one(journal, tmp_path, capsys):
    store = Store(tmp_path / "j.db")
    store.write([some(n) for n in range(1, 9)], 0)
    store.close()
    assert cli.main(["journal", "verify", str(tmp_path / "j.db")]) == 0
    assert "  not signed" in capsys.readouterr().out
    assert cli.main(["journal", "verify", str(tmp_path / "j.db"), "--key", journal[1].public]) == 1
    assert "record 1 to 8: nothing here is signed with that key" in capsys.readouterr().out


def test_a_journal_signed_by_somebody_else_is_not_taken_for_ours(journal, tmp_path):
    stranger = Signer(tmp_path / "s.key")
    assert "signed with another key" in str(verify(journal[0], stranger.prepare()).fault)
    path = copy(journal, tmp_path)
    db = unguarded(path)
    body = json.loads(db.execute("SELECT body FROM record WHERE seq = 20").fetchone()[0])
    body["signature"] = base64.b64encode(bytes(64)).decode()
    db.execute("UPDATE record SET body = ? WHERE seq = 20", (json.dumps(body, separators=(",", ":")),))
    rehash(db, 20)
    closed(db)
    assert "the signature of checkpoint 20 is not genuine" in str(verify(path, journal[1].public).fault)


def test_guards_that_were_taken_away_are_missed(journal, tmp_path):
    path = copy(journal, tmp_path)
    unguarded(path).close()
    told = "no record was altered, but the guards in the file against altering were: the trigger keep_newest is missing"
    assert told in verify(path).fault


def test_a_file_cut_short_or_overwritten_is_told(journal, tmp_path):
    raw = journal[0].read_bytes()
    for damaged in (raw[: len(raw) // 2], raw[:50], b"x" * 5_000, raw[:8192] + bytes(4096) + raw[12288:]):
        (tmp_path / "j.db").write_bytes(damaged)
        assert verify(tmp_path / "j.db").fault


def test_the_command_says_it(journal, tmp_path, capsys):
    assert cli.main(["journal", "verify", str(journal[0])]) == 0
    assert (
        f"records {first_of(journal[0])} to 60 are complete and unaltered\n  signed up to 59 in 3"
        in capsys.readouterr().out
    )
    assert cli.main(["journal", "verify", str(journal[0]), "--key", journal[1].public, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signed"] == 59
    stranger = Signer(tmp_path / "s.key")
    stranger.prepare()
    assert cli.main(["journal", "verify", str(journal[0]), "--key", str(stranger.public_path)]) == 1
    (tmp_path / "kept.json").write_text('{"data": 1}')
    assert cli.main(["journal", "verify", str(journal[0]), "--checkpoint", str(tmp_path / "kept.json")]) == 2
    assert "is no checkpoint" in capsys.readouterr().err


# -- exports


def test_an_export_is_verified_by_a_third_party_by_the_documented_procedure(journal, tmp_path, capsys):
    out = tmp_path / "export.jsonl"
    assert cli.main(["journal", "export", str(journal[0]), "--from", "15", "--to", "50", "--out", str(out)]) == 0
    procedure = re.search(r"```sh\n(# third party.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert procedure
    lines = [line for line in procedure[1].splitlines() if line and not line.startswith("#")]
    assert 1 <= len(lines) <= 10
    assert {word for line in lines for word in re.findall(r"^\s*(\w+)", line)} <= {"openssl", "test", "KEY"}
    script = procedure[1].replace("KEY=…", f"KEY={journal[1].public}")

    def accepts() -> bool:
        return subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, capture_output=True).returncode == 0

    assert accepts()
    good = out.read_bytes()
    for changed in (
        good.replace(b'\\"17\\"', b'\\"18\\"', 1),
        good[:-1],
        good + b"{}\n",
        b"\n".join(good.splitlines()[::-1]),
    ):
        assert changed != good
        out.write_bytes(changed)
        assert not accepts()
    out.write_bytes(good)
    stranger = Signer(tmp_path / "s.key")
    stranger.prepare()
    (tmp_path / "export.jsonl.sig").write_bytes(stranger.sign_file(out))
    (tmp_path / "export.jsonl.pub").write_bytes(stranger.public_path.read_bytes())
    assert not accepts()


def test_an_export_carries_its_chain(journal, tmp_path):
    out = tmp_path / "e.jsonl"
    assert cli.main(["journal", "export", str(journal[0]), "--from", "15", "--out", str(out)]) == 0
    header, *lines = map(json.loads, out.read_text().splitlines())
    assert header["begins_after"] == 14
    hash_ = bytes.fromhex(header["hash_before"])
    for line in lines:
        fields = [line[k] for k in ("seq", "boot", "t_ns", "wall_ns", "synced", "kind", "subtopic", "retained", "body")]
        hash_ = sha256(hash_ + json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()).digest()
        assert hash_.hex() == line["hash"]
    assert [line["seq"] for line in lines] == list(range(15, 61))


def test_a_period_by_the_clock(journal, tmp_path, capsysbinary):
    path = tmp_path / "t.db"
    store = Store(path)
    hour = 3_600_000_000_000
    store.write([Record(n, "b", n, n * hour, True, "observation", "o", False, b"{}") for n in range(1, 11)], 0)
    store.close()
    assert cli.main(["journal", "export", str(path), "--from", "1970-01-01T03:00:00Z", "--to", "1970-01-01 05:30"]) == 0
    lines = capsysbinary.readouterr().out.splitlines()
    assert [json.loads(line)["seq"] for line in lines[1:]] == [3, 4, 5]
    for wrong, told in (
        (["--from", "yesterday"], b'--from "yesterday" is neither a sequence nor a time'),
        (
            ["--from", "11"],
            b"no record of that period; there are 1 (1970-01-01T01:00:00.000000Z) to 10 (1970-01-01T10:00:00.000000Z)",
        ),
    ):
        assert cli.main(["journal", "export", str(path), *wrong]) == 2
        assert told in capsysbinary.readouterr().err
    (tmp_path / "e.jsonl").write_text("")
    assert cli.main(["journal", "export", str(path), "--out", str(tmp_path / "e.jsonl")]) == 2
    assert b"evidence is not written over" in capsysbinary.readouterr().err


def test_a_period_holds_what_was_recorded_before_the_clock_was_set(tmp_path, capsysbinary):
    """A board that starts in 1970: its clock is set at the fourth record, an hour after the first. Another run's clock
    never is."""
    path, hour = tmp_path / "t.db", 3_600_000_000_000
    wall = int(datetime(2026, 11, 28, 20, tzinfo=UTC).timestamp()) * 1_000_000_000
    said = SystemData(event="clock_set", detail={"synced": True, "wall_minus_monotonic_ns": wall - hour})
    never = Record(1, "a", 7 * hour, 9 * hour, False, "observation", "o", False, b"{}")
    early = [
        Record(n, "b", (n - 2) * hour // 3, (n - 2) * hour // 3, False, "observation", "o", False, b"{}")
        for n in (2, 3, 4)
    ]
    clock = Record(5, "b", hour, wall, True, "system", "system", False, encode(said))
    strange = Record(6, "b", hour, wall, True, "system", "system", False, b'{"event":"of a later version"}')
    later = Record(7, "b", 2 * hour, wall + hour, True, "observation", "o", False, b"{}")
    store = Store(path)
    store.write([never, *early, clock, strange, later], 0)
    store.close()

    def exported(*period: str) -> list[int]:
        assert cli.main(["journal", "export", str(path), *period]) == 0
        return [json.loads(line)["seq"] for line in capsysbinary.readouterr().out.splitlines()[1:]]

    assert exported("--from", "2026-11-28T19:10:00Z", "--to", "2026-11-28T19:50:00Z") == [3, 4]
    assert exported("--from", "2026-11-28T19:50:00Z") == [5, 6, 7]
    assert exported("--to", "1970-01-01T12:00:00Z") == [1]
    assert cli.main(["journal", "export", str(path), "--from", "2026-11-29"]) == 2
    assert b"there are 1 (1970-01-01T09:00:00.000000Z, the clock not set) to 7 (2026" in capsysbinary.readouterr().err


def test_an_interrupted_export_leaves_nothing_in_the_way_of_the_next(journal, tmp_path, monkeypatch):
    path, out = journal[0], tmp_path / "e.jsonl"

    def interrupted(self, file):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pitwatch.daemon.journal.signing.Signer.sign_file", interrupted)
        assert cli.main(["journal", "export", str(path), "--out", str(out)]) == 130
    assert list(tmp_path.glob("e.jsonl*")) == []
    assert cli.main(["journal", "export", str(path), "--out", str(out)]) == 0


def test_an_export_has_what_retention_removes_meanwhile(tmp_path, monkeypatch):
    path, out = tmp_path / "t.db", tmp_path / "e.jsonl"
    writer = Store(path)
    writer.write([Record(n, "b", n, n, True, "observation", "o", False, b"{}") for n in range(1, 41)], 40)
    prepare = Signer.prepare
    Signer(path.with_suffix(".key")).prepare()

    def removed(self):
        assert writer.remove(30, 500) == 30
        return prepare(self)

    monkeypatch.setattr("pitwatch.daemon.journal.signing.Signer.prepare", removed)
    assert cli.main(["journal", "export", str(path), "--out", str(out)]) == 0
    header, *lines = map(json.loads, out.read_text().splitlines())
    assert header["begins_after"] == 0
    assert [line["seq"] for line in lines] == list(range(1, 41))
    writer.write([Record(41, "b", 41, 41, True, "observation", "o", False, b"{}")], 40)
    writer.close()


def test_two_exports_to_one_name_leave_that_of_the_first(journal, tmp_path, monkeypatch, capsys):
    path, out, prepare, whole = journal[0], tmp_path / "e.jsonl", Signer.prepare, []

    def first(self):
        monkeypatch.setattr("pitwatch.daemon.journal.signing.Signer.prepare", prepare)
        assert cli.main(["journal", "export", str(path), "--out", str(out)]) == 0
        whole.extend(file.read_bytes() for file in sorted(tmp_path.glob("e.jsonl*")))
        return prepare(self)

    monkeypatch.setattr("pitwatch.daemon.journal.signing.Signer.prepare", first)
    assert cli.main(["journal", "export", str(path), "--out", str(out)]) == 2
    assert "cannot be written: File exists" in capsys.readouterr().err
    assert len(whole) == 3
    assert [file.read_bytes() for file in sorted(tmp_path.glob("e.jsonl*"))] == whole


# -- the daemon's part


async def settled(journal, last):
    while journal.committed < last:  # noqa: ASYNC110
        await asyncio.sleep(0.005)


async def test_the_head_is_signed_when_enough_has_come_and_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_EVERY", 0.02)
    monkeypatch.setattr(module, "RECORDS", 10)
    clock = SimClock()
    journal = Journal(tmp_path / "j.db", clock, "boot")
    journal.start()
    signing = Checkpoints(journal, clock, TABLE)
    told = []
    signing.on_key = lambda key, trouble: told.append((key, trouble))
    journal.append("observation", "observation/a", 0, {})
    await settled(journal, 1)
    signing.start()
    await settled(journal, 2)  # what an earlier run left unsigned
    for n in range(12):
        journal.append("observation", "observation/a", n, {})
    await settled(journal, 15)
    await asyncio.sleep(0.1)
    assert journal.last == 15  # a checkpoint alone is nothing to sign
    journal.append("observation", "observation/a", 99, {})
    await settled(journal, 16)
    await signing.stop()
    await settled(journal, 17)
    await journal.close()
    store = Store(journal.path, read_only=True)
    found = [msgspec.json.decode(r.body, type=CheckpointData) for r, _ in store.records() if r.kind == "checkpoint"]
    store.close()
    assert [c.sequence for c in found] == [1, 14, 16]
    assert all(is_genuine(c) for c in found)
    assert told[-1] == (signing.signer.public, None)
    assert verify(journal.path, signing.signer.public).signed == 16


async def test_a_daemon_that_is_stopped_while_it_makes_its_key_has_one_key(tmp_path, monkeypatch):
    """On a slow board that takes a while. Two keys of which each half is kept would sign nothing ever after."""
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "openssl").write_text(f'#!/bin/sh\n[ "$1" = genpkey ] && sleep 0.3\nexec {shutil.which("openssl")} "$@"\n')
    (slow / "openssl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    monkeypatch.setattr(module, "LOOK_EVERY", 0.02)
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    signing = Checkpoints(journal, SimClock(), TABLE)
    journal.append("observation", "observation/a", 0, {})
    await settled(journal, 1)
    signing.start()
    await asyncio.sleep(0.15)
    await signing.stop()
    await journal.close()
    assert signing.key == signing.signer.prepare()
    assert verify(journal.path, signing.key).signed == 1


async def test_without_openssl_watching_goes_on_and_says_that_nothing_is_signed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    journal = Journal(tmp_path / "j.db", SimClock(), "boot")
    journal.start()
    journal.append("observation", "observation/a", 0, {})
    await settled(journal, 1)
    signing = Checkpoints(journal, SimClock(), TABLE)
    told = []
    signing.on_key = lambda key, trouble: told.append((key, trouble))
    signing.start()
    async with asyncio.timeout(20):
        while not told:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.2)
    await signing.stop()
    assert journal.last == 1
    await journal.close()
    assert told[0][0] is None
    assert "apt install openssl" in told[0][1]
    assert verify(journal.path).signed == 0
