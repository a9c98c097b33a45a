"""Packages of the archive: what a real table published, with and without a copy of its journal; both databases."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.evidence import package
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.daemon.publishing.envelope import Envelope, VideoHint
from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.store import Store
from pitwatch.floor.evidence.config import TimestampSection
from pitwatch.floor.evidence.stamping import Stamper
from pitwatch.floor.message import read_message
from tests.daemon.evidence.table import Table, played
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
        for changed in (files[path][:-9], files[path] + b"x\n", b"", files[path][:-9] + b"A" + files[path][-8:]):
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
