"""A package of evidence: what is in it and what is not, and that every change of it is found."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
import re
import shutil
import zipfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import WireData, encode
from pitwatch.daemon.evidence import making, package
from pitwatch.daemon.evidence.custody import Entry, entry
from pitwatch.daemon.evidence.gathering import gather
from pitwatch.daemon.evidence.proofs import heads_of, prove
from pitwatch.daemon.evidence.subject import of_journal
from pitwatch.daemon.evidence.wires import Window, cut
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import Store
from tests.daemon.evidence.table import Table, played

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

MARK = re.compile(rb"(mark|cred|between)-(\d+)-")


class House:
    """A table that has played, and a package of one of its irregularities."""

    def __init__(self, table: Table, out: Path):
        self.table, self.out = table, out
        self.sequence, self.said = table.found()[0]
        self.key = table.folder / "journal.pub"

    def make(self, *more: str, out: str = "out") -> Path:
        folder = self.out / out
        folder.mkdir(exist_ok=True)
        arguments = ["evidence", str(self.table.path), str(self.sequence), "--out", str(folder), *more]
        assert cli.main(arguments) == 0
        return folder / f"toledo-BA-01-{self.sequence}.zip"

    def verify(self, what: Path, *more: str, key: Path | None = None) -> int:
        return cli.main(["evidence", "verify", str(what), "--key", str(key or self.key), *more])


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    return House(asyncio.run(played(folder)), folder)


@pytest.fixture(scope="module")
def made(house: House) -> Path:
    return house.make("--by", "Ann")


def verdict(house: House, what: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    capsys.readouterr()
    code = house.verify(what, "--json", *more)
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == (0 if said["ok"] else 1)
    return said


def test_a_package_is_genuine_and_proves_every_record(
    house: House, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verdict(house, made, capsys, "--table", str(house.table.path))
    assert said["ok"]
    assert not said["faults"]
    shown = " / ".join(said["shown"])
    assert re.search(r"(\d+) of \1 records are in the board's signed tree", shown)
    assert "byte for byte" in shown
    _, files = package.read(made)
    facts = json.loads(files["package.json"])
    roles = {role: seq for seq, role in facts["records"].items()}
    assert {"irregularity", "evidence", "round", "integrity", "started", "acknowledgement"} <= set(roles)
    evidence = {int(seq) for seq, role in facts["records"].items() if role == "evidence"}
    assert evidence == set(house.said["evidence"])
    assert facts["replay"] == facts["replay"] | {"same_alone": True, "same_in_full": True, "same_parts": True}
    assert re.fullmatch("[0-9a-f]{64}", facts["started"]["dependencies"]["msgspec"]["sha256"])
    assert facts["started"]["dependencies"]["msgspec"]["sha256"] in " ".join(files["certificate.txt"].decode().split())
    assert facts["rule"]["book"] == facts["rule"]["book_here"]
    assert "third card" in facts["rule"]["says"]
    assert [each["by"] for each in facts["acknowledgements"]] == ["Ann"]
    assert (facts["video"]["camera"], facts["video"]["clip"]) == ("pit-1", None)


def test_it_is_the_same_unpacked_or_not(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made.with_suffix("")
    assert package.read(folder) == package.read(made)
    assert verdict(house, folder, capsys)["ok"]


def test_nothing_of_other_rounds_is_in_it(house: House, made: Path) -> None:
    number = str(house.said["round"]).encode()
    _, files = package.read(made)
    marks = {mark for content in files.values() for mark in MARK.findall(content)}
    assert marks == {(b"mark", number), (b"cred", number)}
    assert set(MARK.findall(made.read_bytes())) == marks
    lines = files["wires.jsonl"].count(b"mark-")
    assert lines == len(house.said["evidence"])


async def test_evidence_of_other_rounds_is_in_it_and_nothing_else_of_them(tmp_path: Path) -> None:
    """A card that came nine times: the rounds in which it came before are evidence by these cards alone."""
    table = Table(tmp_path)
    await table.daemon.start()
    table.begin()
    for number in range(9):
        table.rounds = number * 4 + 3  # the same suit each time
        table.play()
    table._wait(120)
    await table.daemon.stop()
    house = House(table, tmp_path)
    assert house.said["rule"].endswith("duplicate-card")
    assert len(house.said["evidence"]) == 9
    _, files = package.read(await asyncio.to_thread(house.make))
    round_ = str(house.said["round"] * 4).encode()  # as it is marked
    of_others = [content for path, content in files.items() if path.startswith("records/")]
    counts = {n: b"".join(of_others).count(b"mark-%s-" % n) for _, n in MARK.findall(b"".join(of_others))}
    assert len(counts) == 9
    assert {counts[n] for n in counts if n != round_} == {1}
    wires = files["wires.jsonl"]
    for kind, n in MARK.findall(wires):
        assert kind == b"mark" or n == round_
        assert n == round_ or wires.count(b"mark-%s-" % n) == 1


async def test_of_what_belongs_to_no_round_nothing_of_any_round_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(tmp_path)
    await table.daemon.start()
    table.begin()
    for number in range(4):
        table.play()
        if number == 1:
            table.open_box()
    table._wait(120)
    await table.daemon.stop()
    house = House(table, tmp_path)
    assert house.said["round"] is None
    made = await asyncio.to_thread(house.make)
    _, files = package.read(made)
    assert not MARK.findall(b"".join(files.values()))
    assert b'"lid"' in files["wires.jsonl"]
    assert json.loads(files["package.json"])["replay"]["same_in_full"]
    assert verdict(house, made, capsys, "--table", str(table.path))["ok"]


async def test_the_first_card_of_the_next_round_is_not_in_it() -> None:
    """Where the keys are forgotten, the next round's first card is what closes a round."""
    body = encode(
        WireData(
            piece=1, begin=1.0, end=9.0, standing=[],
            lines=[encode_line(t, f"mark-{t}-") for t in (1.0, 2.0, 3.0, 4.0)],
        )
    )  # fmt: skip
    record = Record(7, "b", 0, 0, True, "wire", "wire", False, body)
    for belongs, wanted in ((False, [b"2", b"3"]), (True, [b"2", b"3", b"4"])):
        found = cut([record], Window(2_000_000_000, 4_000_000_000, belongs))
        assert [re.search(rb"mark-(\d)", line)[1] for line in found.lines if b"mark" in line] == wanted  # type: ignore[index]
        assert [part["here"] for part in found.parts] == [len(wanted)]
        assert not found.whole


def encode_line(t: float, text: str) -> msgspec.Raw:
    return msgspec.Raw(json.dumps({"t": t, "device": "shoe", "rx": text}).encode())


def test_the_keys_must_be_those_of_the_house(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = Signer(house.out / "other.key")
    other.prepare()
    assert cli.main(["evidence", "verify", str(made)]) == 1
    assert "give --key" in capsys.readouterr().out
    assert house.verify(made, key=house.out / "other.pub") == 1
    assert "none of the keys given" in capsys.readouterr().out


def resealed(files: package.Files, signer: Signer) -> package.Files:
    return package.sealed({path: content for path, content in files.items() if path not in package.SEAL}, signer)


def test_each_file_altered_removed_or_swapped_is_found(
    house: House, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, files = package.read(made)
    place = house.out / "changed" / f"{name}.zip"
    place.parent.mkdir()
    tried = 0

    def found(changed: package.Files, *paths: str) -> None:
        nonlocal tried
        tried += 1
        place.write_bytes(package.zipped(name, changed))
        said = verdict(house, place, capsys)
        assert not said["ok"], paths
        assert any(path in fault for path in paths for fault in said["faults"]), (paths, said["faults"])

    for path, content in files.items():
        for at in {0, len(content) // 2, len(content) - 1}:
            altered = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            found({**files, path: altered}, path, "MANIFEST")
        found({**files, path: content + b"\n"}, path, "MANIFEST")
        found({**files, path: content[: len(content) // 2]}, path, "MANIFEST")
        found({**files, path: b""}, path, "MANIFEST")
        if path != package.MANIFEST:
            found({other: each for other, each in files.items() if other != path}, path)
        found({**files, f"{path}.more": content}, f"{path}.more")
    for one, other in itertools.combinations(files, 2):
        if files[one] != files[other]:
            found({**files, one: files[other], other: files[one]}, one, other, "MANIFEST")
    assert tried > 500


def test_one_without_a_manifest_is_none(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, files = package.read(made)
    place = house.out / "none.zip"
    del files[package.MANIFEST]
    place.write_bytes(package.zipped(name, files))
    assert house.verify(place) == 2
    assert "no evidence package" in capsys.readouterr().err


def test_what_is_added_around_the_files_is_found(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = made.read_bytes()
    place = house.out / "around.zip"
    again = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry))
    twice = io.BytesIO(raw)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(twice, "a") as archive:
        archive.writestr(archive.namelist()[0], b"other")
    up = io.BytesIO(raw)
    with zipfile.ZipFile(up, "a") as archive:
        archive.writestr("../up", b"other")
    comment = io.BytesIO(raw)
    with zipfile.ZipFile(comment, "a") as archive:
        archive.comment = b"mark-1-"
    changes = [b"PK" + raw, raw + b"x", again.getvalue(), twice.getvalue(), up.getvalue(), comment.getvalue(), raw[:-5]]
    for changed in changes:
        place.write_bytes(changed)
        assert house.verify(place) == 2, changes.index(changed)
        said = capsys.readouterr().err
        assert str(place) in said
        assert said.count("\n") == 1


def test_who_makes_packages_cannot_alter_what_the_board_wrote(
    house: House, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody with a key that the house trusts for packages signs an altered one anew: the proofs tell."""
    name, files = package.read(made)
    insider = Signer(house.out / "insider.key")
    insider.prepare()
    place = house.out / "insider" / f"{name}.zip"
    place.parent.mkdir()
    records = sorted(path for path in files if path.startswith("records/"))
    proofs = sorted(path for path in files if path.startswith("proofs/"))

    def tried(changed: package.Files) -> dict[str, Any]:
        place.write_bytes(package.zipped(name, resealed(changed, insider)))
        return verdict(house, place, capsys, "--key", str(house.out / "insider.pub"), "--table", str(house.table.path))

    assert tried(files)["ok"]
    for path in records:
        record = json.loads(files[path])
        record[3] += 1  # a nanosecond later
        changed = {**files, path: json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()}
        assert any(path.replace("records", "proofs")[:-5] in fault for fault in tried(changed)["faults"]), path
    for path in proofs[:3]:
        lines = files[path].decode().split("\n")
        for gone in range(len(lines)):
            changed = {**files, path: "\n".join(lines[:gone] + lines[gone + 1 :]).encode()}
            assert tried(changed)["faults"], (path, lines[gone])
        for end in range(1, len(files[path]), 97):
            assert tried({**files, path: files[path][:end]})["faults"], (path, end)
    for one, other in itertools.pairwise(proofs):
        assert tried({**files, one: files[other], other: files[one]})["faults"]
    for one, other in itertools.pairwise(records):
        assert tried({**files, one: files[other], other: files[one]})["faults"]
    facts = json.loads(files["package.json"])
    for seq, role in facts["records"].items():
        fewer = {
            path: each
            for path, each in files.items()
            if path not in (f"records/{seq}.json", f"proofs/{seq}.tlog-proof")
        }
        stated = {**facts, "records": {other: its for other, its in facts["records"].items() if other != seq}}
        if role in ("irregularity", "evidence", "round"):
            assert tried({**fewer, "package.json": json.dumps(stated).encode()})["faults"], role
    for field, value in (("result", {"winner": "banker"}), ("void", "misdeal")):
        stated = {**facts, "round": {**facts["round"], field: value}}
        assert tried({**files, "package.json": json.dumps(stated).encode()})["faults"], field
    lie = files["index.html"].replace(b"third-card-rule", b"misdeal")
    assert any("index.html" in fault for fault in tried({**files, "index.html": lie})["faults"])
    wires = files["wires.jsonl"].replace(b"4D", b"5D")
    assert any("replay.jsonl" in fault for fault in tried({**files, "wires.jsonl": wires})["faults"])


def test_no_package_json_ends_the_verifier(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each value of it in turn is something else, deep, or gone; signed by somebody who makes packages."""
    name, files = package.read(made)
    insider = Signer(house.out / "hostile.key")
    insider.prepare()
    place = house.out / "hostile" / f"{name}.zip"
    place.parent.mkdir()
    facts = json.loads(files["package.json"])

    def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [way, *(found for key, each in inner for found in places(each, (*way, key)))]

    def changed(way: tuple[Any, ...], new: str) -> bytes:
        whole = json.loads(files["package.json"])
        at = whole
        for key in way[:-1]:
            at = at[key]
        at[way[-1]] = "@"
        return json.dumps(whole).replace('"@"', new).encode()

    deep = "[" * 5_000 + "]" * 5_000
    others = itertools.cycle(("null", "-1", '"\\u001b[2J<b>"', "{}", '[{"a": []}]', "null", "{}"))
    for way in places(facts)[1:]:
        for new in (next(others),):
            place.write_bytes(package.zipped(name, resealed({**files, "package.json": changed(way, new)}, insider)))
            capsys.readouterr()
            code = house.verify(place, "--key", str(house.out / "hostile.pub"))
            said = capsys.readouterr()
            assert code in (0, 1), (way, new)
            assert "\x1b" not in said.out
    for content in (b"", b"[]", b"\xff", deep.encode(), changed(("irregularity",), deep), changed(("started",), deep)):
        place.write_bytes(package.zipped(name, resealed({**files, "package.json": content}, insider)))
        assert house.verify(place, "--key", str(house.out / "hostile.pub")) == 1


def test_another_board_of_the_house_proves_nothing_of_this_table(
    house: House, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package that is whole, signed and proven, but for another table's name in it."""
    name, files = package.read(made)
    facts = json.loads(files["package.json"])
    facts["table"] = "toledo/BA-02"
    place = house.out / "other-table" / f"{name}.zip"
    place.parent.mkdir()
    signer = Signer(house.table.folder / "journal.key")
    changed = {**files, "package.json": json.dumps(facts).encode()}
    place.write_bytes(package.zipped(name, resealed(changed, signer)))
    faults = verdict(house, place, capsys)["faults"]
    assert any("not of the table" in fault for fault in faults)


def material_of(house: House) -> making.Material:
    store = Store(house.table.journal, read_only=True)
    found = gather(store, house.sequence)
    proven = prove(store, [each for each, _ in found.records().values()], heads_of(store, house.sequence))
    store.close()
    made = Entry(
        at="2027-01-15T09:00:00Z", table=found.table, sequence=house.sequence, by="Ann", user="u", host="h",
        command="c", version="0",
    )  # fmt: skip
    return making.Material(subject=of_journal(found), custody=[made], journal=found, proven=proven)


def test_the_same_material_makes_the_same_bytes(house: House) -> None:
    def once() -> bytes:
        files = making.make(material_of(house))
        return package.zipped("x", package.sealed(files, Signer(house.table.folder / "journal.key")))

    assert once() == once()


def test_the_log_of_packages_tells_of_each_and_of_its_own_changes(
    house: House, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = house.out / "log"
    arguments = ("--custody", str(log), "--by")
    first = house.make(*arguments, "Ann", out="first")
    second = house.make(*arguments, "Bob", out="second")
    entries = [json.loads(line) for line in package.read(second)[1]["custody.jsonl"].splitlines()]
    assert [each["by"] for each in entries] == ["Ann", "Bob"]
    assert str(log) in entries[1]["command"]
    assert entries[0]["manifest"] == sha256(package.read(first)[1]["MANIFEST"]).hexdigest()
    lines = log.read_bytes().splitlines(keepends=True)
    assert len(lines) == 2
    for changed in (lines[1:], [lines[0].replace(b"Ann", b"Eve"), lines[1]], [b"x\n", *lines]):
        log.write_bytes(b"".join(changed))
        capsys.readouterr()
        folder = house.out / "third"
        assert (
            cli.main(["evidence", str(house.table.path), str(house.sequence), "--out", str(folder), *arguments, "Eve"])
            == 2
        )
        assert str(log) in capsys.readouterr().err
        assert not folder.exists() or not list(folder.iterdir())


def test_no_password_is_in_the_log_of_packages() -> None:
    command = ["pitwatch", "evidence", "a/b", "7", "--database", "postgresql://floor:se@cr:et@db.example/floor"]
    made = entry("a/b", 7, None, command, datetime(2027, 1, 15, tzinfo=UTC))
    assert "cr" not in made.command
    assert "postgresql://floor:...@db.example/floor" in made.command


def test_a_clip_is_named_by_its_hash(house: House) -> None:
    clip = house.out / "clip.mp4"
    clip.write_bytes(os.urandom(3_000_000))
    _, files = package.read(house.make("--clip", str(clip), out="with-clip"))
    video = json.loads(files["package.json"])["video"]
    assert (video["clip"], video["clip_bytes"]) == ("clip.mp4", 3_000_000)
    assert video["clip_sha256"] == sha256(clip.read_bytes()).hexdigest()
    assert video["clip_sha256"].encode() in files["index.html"]


def test_a_package_is_never_written_over_another(house: House, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = made.read_bytes()
    assert cli.main(["evidence", str(house.table.path), str(house.sequence), "--out", str(made.parent)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert made.read_bytes() == before


@pytest.mark.parametrize(
    ("which", "told"),
    [("999999", "there is no record"), ("1", "is no irregularity"), ("x", "is no number")],
)
def test_what_is_no_irregularity_is_refused(
    house: House, which: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evidence", str(house.table.path), which]) == 2
    assert told in capsys.readouterr().err


def test_the_page_needs_nothing_from_elsewhere_and_escapes(house: House, made: Path) -> None:
    html = package.read(made)[1]["index.html"].decode()
    assert not re.search(r"(src|href)=|https?://|<script", html)
    assert html.count("<h2>") == 7


def test_before_the_board_signs_it_says_so(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """A package of records that no checkpoint covers yet."""
    material = material_of(house)
    assert material.journal is not None
    store = Store(house.table.journal, read_only=True)
    unsigned = prove(store, [each for each, _ in material.journal.records().values()], [])
    store.close()
    files = making.make(msgspec.structs.replace(material, proven=unsigned))
    assert not any(path.startswith("proofs/") for path in files)
    place = house.out / "unsigned.zip"
    place.write_bytes(package.zipped("x", package.sealed(files, Signer(house.table.folder / "journal.key"))))
    said = verdict(house, place, capsys)
    assert said["ok"]
    assert any(f"{house.sequence}" in each and "not proven by a signature" in each for each in said["open"])
    assert not any("signed tree" in each for each in said["shown"])


async def test_a_clock_that_was_never_set_is_told(tmp_path: Path) -> None:
    house = House(await played(tmp_path, rounds=3, faults=(2,), synced=False), tmp_path)
    _, files = package.read(await asyncio.to_thread(house.make))
    clock = json.loads(files["package.json"])["clock"]
    assert (clock["synced"], clock["corrected"]) == (False, False)
    assert b"never set" in files["README.txt"]
