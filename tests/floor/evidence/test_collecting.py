"""Packages of the archive: what a real table published, with and without a copy of its journal; both databases."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.evidence import package
from pitwatch.daemon.evidence.proofs import heads_of
from pitwatch.daemon.journal.signing import Signer, public_key
from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.daemon.publishing.envelope import Envelope, VideoHint
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.cosignature import with_cosignature
from pitwatch.daemon.tlog.proof import parse_proof
from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.store import Store
from pitwatch.floor.evidence.config import TimestampSection
from pitwatch.floor.evidence.stamping import Stamper
from pitwatch.floor.message import read_message
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.heads import Heads, Log
from tests.daemon.evidence.table import Table, played
from tests.daemon.evidence.test_by_hand import by_hand, unpacked
from tests.daemon.evidence.test_package import MARK
from tests.floor.evidence.authority import Authority

NAME = "toledo/BA-01"


class Floor:
    """An archive that has received all that a table published, and a FLOOR.toml."""

    def __init__(self, folder: Path, database: str, store: Store, authority: Authority, table: Table):
        self.folder, self.database, self.store, self.authority, self.table = folder, database, store, authority, table
        self.sequence, self.said = table.found()[0]
        self.toml = folder / "floor.toml"
        self.toml.write_text(
            f'[mqtt]\nurl = "mqtt://127.0.0.1:9"\n[archive]\ndatabase = "{database}"\n'
            f'[evidence]\nkey = "evidence.key"\n'
            f'[timestamp]\nurl = "{authority.url}"\nca = "authority/ca.crt"\n'
        )

    async def receive(self) -> None:
        journal = JournalStore(self.table.journal, read_only=True)
        envelope = Envelope("toledo", "BA-01", f"pitwatch/1/{NAME}", "", False, VideoHint("pit-1", 20, 15))
        intake = Intake(self.store, "pitwatch/1")
        for record, _ in journal.records():
            for sent in envelope.messages(record)[:1]:
                intake.take(read_message("pitwatch/1", sent.topic, sent.payload, False))
        journal.close()
        while intake._waiting:
            await intake._store_some()

    async def stamp(self) -> bool:
        config = TimestampSection(url=self.authority.url, ca=str(self.authority.ca))
        return await Stamper(self.store, config, "one").look()

    def _make(self, out: str, more: tuple[str, ...]) -> Path:
        folder = self.folder / out
        folder.mkdir()
        arguments = ["evidence", NAME, str(self.sequence), "--floor", str(self.toml), "--out", str(folder), *more]
        assert cli.main(arguments) == 0
        return folder / f"toledo-BA-01-{self.sequence}.zip"

    async def make(self, out: str, *more: str) -> Path:
        return await asyncio.to_thread(self._make, out, more)

    async def verify(self, made: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
        capsys.readouterr()
        keys = ["--key", str(self.folder / "evidence.pub"), "--key", str(self.table.folder / "journal.pub")]
        arguments = ["evidence", "verify", str(made), *keys, "--json", *more]
        code = await asyncio.to_thread(cli.main, arguments)
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert code == (0 if said["ok"] else 1)
        return said


@pytest.fixture
async def floor(tmp_path: Path, database: str, store: Store, authority: Authority) -> Floor:
    made = Floor(tmp_path, database, store, authority, await played(tmp_path))
    await made.receive()
    return made


async def test_with_a_journal_it_holds_all_that_either_has(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    assert await floor.stamp()
    before = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    copy = floor.folder / "copy.db"
    shutil.copy(floor.table.journal, copy)
    made = await floor.make("out", "--journal", str(copy), "--table", str(floor.table.path))
    said = await floor.verify(made, capsys, "--ca", str(floor.authority.ca), "--table", str(floor.table.path))
    assert said["ok"], said
    shown = " / ".join(said["shown"])
    assert "existed before" in shown
    assert "byte for byte" in shown
    assert "signed tree" in shown
    _, files = package.read(made)
    facts = json.loads(files["package.json"])
    (head,) = facts["heads"]
    assert head["existed_before"] <= before
    assert head["authority"] == floor.authority.url
    assert not any("time stamp" in each for each in said["open"])
    assert set(facts["seen_by_archive"]) >= {floor.sequence, *floor.said["evidence"]}
    number = str(floor.said["round"]).encode()
    assert {mark for content in files.values() for mark in MARK.findall(content)} == {
        (b"mark", number),
        (b"cred", number),
    }
    # the custody log of the archive has it, and tells of it in the next one
    again = await floor.make("again", "--journal", str(copy), "--by", "Bob")
    entries = [json.loads(line) for line in package.read(again)[1]["custody.jsonl"].splitlines()]
    assert len({each["manifest"] for each in entries if "manifest" in each}) == 1
    assert entries[-1]["by"] == "Bob"


async def test_of_the_archive_alone_it_says_what_it_does_not_prove(
    floor: Floor, capsys: pytest.CaptureFixture[str]
) -> None:
    made = await floor.make("out")
    said = await floor.verify(made, capsys)
    assert said["ok"], said
    assert any("archive alone" in each for each in said["open"])
    _, files = package.read(made)
    facts = json.loads(files["package.json"])
    assert not facts["records"]
    assert facts["irregularity"] == floor.said
    assert facts["round"]["round"] == floor.said["round"]
    assert [each["by"] for each in facts["acknowledgements"]] == ["Ann"]
    assert facts["video"]["camera"] == "pit-1"
    assert facts["rule"]["book"] == facts["rule"]["book_here"]
    number = str(floor.said["round"]).encode()
    assert {n for content in files.values() for _, n in MARK.findall(content)} <= {number}


async def test_each_part_of_a_time_stamp_that_is_changed_is_found(
    floor: Floor, capsys: pytest.CaptureFixture[str]
) -> None:
    """By somebody whose key for packages the house trusts."""
    assert await floor.stamp()
    made = await floor.make("out", "--journal", str(floor.table.journal))
    name, files = package.read(made)
    insider = Signer(floor.folder / "evidence.key")
    place = floor.folder / f"{name}.zip"
    ca = ("--ca", str(floor.authority.ca))
    parts = [path for path in files if path.startswith("time/")]
    assert len(parts) == 4
    other = Authority(floor.folder / "other")
    other.close()
    forged = other.stamp(floor.authority.asked[0])

    async def faults(changed: package.Files) -> list[str]:
        fresh = {path: each for path, each in changed.items() if path not in package.SEAL}
        place.write_bytes(package.zipped(name, package.sealed(fresh, insider)))
        found: list[str] = (await floor.verify(place, capsys, *ca))["faults"]
        return found

    assert not await faults(files)
    for path in parts:
        at = len(files[path]) // 2
        bent = files[path][:at] + bytes([files[path][at] ^ 1]) + files[path][at + 1 :]
        for changed in (files[path][:-9], files[path] + b"x\n", b"", bent):
            assert any("time/" in fault for fault in await faults({**files, path: changed})), (path, changed)
    (reply,) = (path for path in parts if path.endswith(".tsr"))
    assert any(reply in fault for fault in await faults({**files, reply: forged}))
    facts = json.loads(files["package.json"])
    facts["heads"][0]["existed_before"] = "2026-01-01T00:00:00Z"
    assert any(reply in fault for fault in await faults({**files, "package.json": json.dumps(facts).encode()}))


async def test_a_journal_with_another_record_is_refused(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = await played(other, faults=(5, 7))
    (sequence, _), *_ = [found for found in elsewhere.found() if found[0] != floor.sequence]
    arguments = ["evidence", NAME, str(floor.sequence), "--floor", str(floor.toml), "--journal", str(elsewhere.journal)]
    assert await asyncio.to_thread(cli.main, arguments) == 2
    told = capsys.readouterr().err
    assert "is no irregularity" in told or "is another than the archive received" in told
    arguments[2] = str(sequence)
    assert await asyncio.to_thread(cli.main, arguments) == 2
    assert "archive has no irregularity" in capsys.readouterr().err


async def test_cosignatures_of_witnesses_are_in_the_proofs_and_verified(
    floor: Floor, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two witnesses; the head that they cosigned is the one that is stamped, and the newer one is not."""
    journal = JournalStore(floor.table.journal, read_only=True)
    newest = heads_of(journal, floor.sequence)[-1]
    journal.close()
    log = Log(Checkpoint.parse(newest.note.text).origin, newest.key, NAME)
    cosigners = [Cosigner(f"witness-{n}.example", floor.folder / f"witness-{n}.key") for n in (1, 2)]
    for n, cosigner in enumerate(cosigners):
        note = with_cosignature(newest.note, cosigner.cosign(newest.note.text, 1_800_000_100 + n))
        await Heads(floor.store).keep(
            log, cosigner.name, Checkpoint.parse(note.text), note.format(), "2027-01-15T08:02:00Z"
        )
    assert await floor.stamp()
    made = await floor.make("out", "--journal", str(floor.table.journal))
    keys = [each for cosigner in cosigners for each in ("--key", cosigner.prepare().format())]
    said = await floor.verify(made, capsys, "--ca", str(floor.authority.ca), *keys)
    assert said["ok"], said
    for n, at in ((1, "2027-01-15T08:01:40Z"), (2, "2027-01-15T08:01:41Z")):
        assert any(f"witness-{n}.example cosigned" in each and at in each for each in said["shown"])
    assert not any("cosigned" in each or "cosignature" in each for each in said["open"])
    assert any("existed before" in each for each in said["shown"])
    said = await floor.verify(made, capsys)
    assert said["ok"]
    assert sum("cosignature of witness-" in each for each in said["open"]) == 2
    other = Cosigner("witness-1.example", floor.folder / "another.key").prepare().format()
    said = await floor.verify(made, capsys, "--key", other)
    assert any("cosignature of witness-1.example was not compared" in each for each in said["open"])
    name, files = package.read(made)  # somebody moves a cosignature's time and signs the package anew
    forged = dict(files)
    for path in files:
        if path.startswith("proofs/"):
            proof = parse_proof(files[path])
            lines = tuple(
                msgspec.structs.replace(each, data=bytes(7) + b"\1" + each.data[8:])
                if each.name == "witness-1.example" else each
                for each in proof.note.signatures
            )  # fmt: skip
            note = msgspec.structs.replace(proof.note, signatures=lines)
            forged[path] = msgspec.structs.replace(proof, note=note).format().encode()
    place = floor.folder / f"{name}.zip"
    fresh = {path: each for path, each in forged.items() if path not in package.SEAL}
    place.write_bytes(package.zipped(name, package.sealed(fresh, Signer(floor.folder / "evidence.key"))))
    said = await floor.verify(place, capsys, *keys)
    assert any("cosignature of 'witness-1.example' is not genuine" in each for each in said["faults"]), said["faults"]


async def test_the_commands_of_the_page_verify_stamps_and_cosignatures(floor: Floor) -> None:
    journal = JournalStore(floor.table.journal, read_only=True)
    newest = heads_of(journal, floor.sequence)[-1]
    journal.close()
    cosigner = Cosigner("witness.example", floor.folder / "witness.key")
    note = with_cosignature(newest.note, cosigner.cosign(newest.note.text, 1_800_000_100))
    log = Log(Checkpoint.parse(newest.note.text).origin, newest.key, NAME)
    await Heads(floor.store).keep(
        log, cosigner.name, Checkpoint.parse(note.text), note.format(), "2027-01-15T08:02:00Z"
    )
    assert await floor.stamp()
    made = await floor.make("out", "--journal", str(floor.table.journal))
    values = {
        "PACKAGER": public_key(floor.folder / "evidence.pub"),
        "BOARD": public_key(floor.table.folder / "journal.pub"),
        "TSA": str(floor.authority.ca),
        "WITNESS": cosigner.name,
        "WITNESS_KEY": cosigner.prepare().der,
    }
    folder = unpacked(made, floor.folder / "unpacked")
    done = await asyncio.to_thread(by_hand, folder, values)
    assert done.returncode == 0, done.stderr
    assert "Time stamp:" in done.stdout
    other = Authority(floor.folder / "other")
    other.close()
    wrong = Cosigner("witness.example", floor.folder / "wrong.key").prepare().der
    for changed in ({"TSA": str(other.ca)}, {"WITNESS_KEY": wrong}):
        done = await asyncio.to_thread(by_hand, folder, values | changed)
        assert done.returncode != 0, changed
