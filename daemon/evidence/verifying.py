"""Verifies a package alone: files against the manifest, records against signed trees, heads against witnesses and time
stamps. Needs the package and the house's public keys, and reads nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.captures.capture import CaptureError
from pitwatch.daemon.evidence import facts as names
from pitwatch.daemon.evidence import package
from pitwatch.daemon.evidence.certificate import certificate
from pitwatch.daemon.evidence.facts import Facts
from pitwatch.daemon.evidence.package import Files
from pitwatch.daemon.evidence.page import page
from pitwatch.daemon.evidence.readme import readme
from pitwatch.daemon.evidence.replayed import answer
from pitwatch.daemon.evidence.verifying_heads import Found, HeadExamination, Trust
from pitwatch.daemon.journal.signing import verified
from pitwatch.daemon.service.integrity import program_fingerprint
from pitwatch.rules.text.one_line import one_line


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """`faults`: what is wrong, by file. `shown`: what is proven. `open`: what was not compared, or is not proven.
    `compared`: the keys that signed were among those from the house."""

    name: str
    faults: list[str]
    shown: list[str]
    open: list[str]
    compared: bool

    @property
    def ok(self) -> bool:
        return not self.faults and self.compared


def verify(path: Path, trust: Trust) -> Verdict:
    """Raises UsageError for what is no package, or where openssl cannot be run."""
    name, files = package.read(path)
    examination = _Examination(files, trust)
    faults = package.faults(files)
    if not faults:
        examination.signature()
        faults = examination.found.faults
    if not faults:
        try:
            examination.content()
        except _UnusableError as error:
            faults.append(str(error))
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            faults.append(f"{names.FACTS}: is not as Pitwatch writes it: {error!r}")
    compared = bool(trust.keys) and not faults
    if not trust.keys:
        examination.found.open.insert(
            0, f"the keys were not compared with any of the house ({examination.signed_by}): give --key"
        )
    return Verdict(
        name=name, faults=faults, shown=examination.found.shown, open=examination.found.open, compared=compared
    )


class _UnusableError(Exception):
    pass


class _Examination:
    def __init__(self, files: Files, trust: Trust):
        self._files = files
        self._trust = trust
        self.found = Found()
        self.signed_by = ""

    def signature(self) -> None:
        """Of the manifest."""
        key = package.key_in(self._files[package.PUBLIC])
        if key is None:
            self.found.faults.append(f"{package.PUBLIC}: is no Ed25519 public key in PEM form")
            return
        self.signed_by = key
        if self._trust.keys and key not in self._trust.keys:
            self.found.faults.append(
                f"{package.PUBLIC}: is none of the keys given: another key signed this package: {key}"
            )
        if not verified(key, self._files[package.MANIFEST], self._files[package.SIGNATURE]):
            self.found.faults.append(f"{package.SIGNATURE}: the signature of {package.MANIFEST} is not genuine")
        self.found.shown.append(
            f"{len(self._files) - len(package.SEAL)} files are as they were when key {key} signed them"
        )

    def content(self) -> None:
        """Raises _UnusableError where the rest cannot be looked at."""
        try:
            facts = msgspec.json.decode(self._files.get(names.FACTS, b""), type=Facts)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _UnusableError(f"{names.FACTS}: cannot be read: {error}") from None
        if facts.form != names.FORM:
            raise _UnusableError(f"{names.FACTS}: is of the form {facts.form[:40]!a}; this program reads {names.FORM}")
        self._which(facts)
        records = {int(seq): self._record(seq) for seq in facts.records}
        self._as_stated(facts, records)
        HeadExamination(self._files, self._trust, self.found).proofs(facts, list(records))
        self._published(facts, records)
        self._replayed()
        self._for_people(facts)
        self.found.open += facts.limits()

    def _which(self, facts: Facts) -> None:
        """The files that the facts ask for, and no others."""
        wanted = {names.FACTS, names.PAGE, names.CERTIFICATE, names.README, names.CUSTODY}
        wanted |= {f"records/{seq}.json" for seq in facts.records}
        wanted |= {f"proofs/{seq}.tlog-proof" for seq in facts.records if seq not in facts.unproven}
        for each in facts.heads:
            if each.existed_before is not None:
                wanted |= {f"time/{each.size}.{kind}" for kind in ("head", "path", "stamped", "tsr")}
        wanted |= {names.PUBLISHED} if facts.seen_by_archive else set()
        wanted |= {names.WIRES} if facts.wires.lines else set()
        wanted |= {names.ANSWER} if facts.wires.lines and facts.replay is not None else set()
        there = set(self._files) - set(package.SEAL)
        self.found.faults += [f"{path}: missing: {names.FACTS} asks for it" for path in sorted(wanted - there)]
        self.found.faults += [
            f"{path}: is no part of this package: {names.FACTS} does not ask for it" for path in sorted(there - wanted)
        ]
        if self.found.faults:
            raise _UnusableError(f"{names.FACTS}: other files are there than it asks for")
        if self._files.get(names.WIRES, b"").count(b"\n") != facts.wires.lines:
            self.found.faults.append(
                f"{names.WIRES}: does not have the {facts.wires.lines} lines that {names.FACTS} states"
            )

    def _record(self, seq: str) -> dict[str, Any]:
        """A record by what it says."""
        path = f"records/{seq}.json"
        try:
            fields = msgspec.json.decode(self._files[path], type=_Canonical)
            body = msgspec.json.decode(fields.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _UnusableError(f"{path}: is no record: {error}") from None
        if str(fields.seq) != seq:
            self.found.faults.append(f"{path}: is record {fields.seq}")
        return {"boot": fields.boot, "t_ns": fields.t_ns, "kind": fields.kind, "data": body}

    def _as_stated(self, facts: Facts, records: dict[int, dict[str, Any]]) -> None:
        """What the facts say of the records is what the records say."""
        there = records.get(facts.sequence)
        if records and (there is None or there["kind"] != "irregularity" or there["data"] != facts.irregularity):
            self.found.faults.append(
                f"records/{facts.sequence}.json: is not the irregularity that {names.FACTS} states"
            )
        for seq in facts.irregularity.get("evidence", ()):
            if records and seq not in records and seq not in facts.gone:
                self.found.faults.append(f"records/{seq}.json: missing: the irregularity names it as evidence")
        for seq, role in facts.records.items():
            kind = records[int(seq)]["kind"]
            if KINDS.get(role, kind) != kind:
                self.found.faults.append(
                    f"records/{seq}.json: is a record of kind {kind}, and {names.FACTS} states {role}"
                )
            if role == "round" and records[int(seq)]["data"] != facts.round:
                self.found.faults.append(f"records/{seq}.json: is not the round that {names.FACTS} states")
        if records and "round" not in facts.records.values() and facts.round is not None:
            self.found.faults.append(f"{names.FACTS}: states a round of which there is no record")

    def _published(self, facts: Facts, records: dict[int, dict[str, Any]]) -> None:
        lines = self._files.get(names.PUBLISHED, b"").splitlines()
        if len(lines) != len(facts.seen_by_archive):
            self.found.faults.append(f"{names.PUBLISHED}: does not hold the messages that {names.FACTS} states")
            return
        for number, (line, seq) in enumerate(zip(lines, facts.seen_by_archive, strict=True), 1):
            where = f"{names.PUBLISHED}:{number}"
            try:
                said = msgspec.json.decode(line, type=_Published)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                self.found.faults.append(f"{where}: is no message: {error}")
                continue
            record = records.get(seq)
            if str(said.sequence) != str(seq) or said.source != f"/{facts.table}":
                self.found.faults.append(f"{where}: is not message {seq} of {facts.table}")
            elif record is not None and (said.bootid, int(said.monotonic)) != (record["boot"], record["t_ns"]):
                self.found.faults.append(f"{where}: was published of another record than records/{seq}.json")
            if seq == facts.sequence and said.data != facts.irregularity and record is None:
                self.found.faults.append(f"{where}: is not the irregularity that {names.FACTS} states")

    def _replayed(self) -> None:
        config = self._trust.config
        if config is None:
            if names.ANSWER in self._files:
                self.found.open.append("the wire data were not judged again: give --table")
            return
        if names.ANSWER not in self._files:
            return
        try:
            same = answer(config, self._files[names.WIRES]) == self._files[names.ANSWER]
        except CaptureError as error:
            self.found.faults.append(f"{names.WIRES}: {error}")
            return
        if same:
            self.found.shown.append(f"the wire data, judged again by {config.path}, give {names.ANSWER} byte for byte")
        else:
            self.found.faults.append(
                f"{names.ANSWER}: {names.WIRES}, judged again by {config.path}, gives another answer"
            )

    def _for_people(self, facts: Facts) -> None:
        """Where the same program made them, the texts for people are made again."""
        if facts.maker != _this_program():
            return
        for path, made in ((names.PAGE, page), (names.CERTIFICATE, certificate), (names.README, readme)):
            if self._files[path] != made(facts):
                self.found.faults.append(f"{path}: does not say what {names.FACTS} states")


KINDS = {"round": "round", "integrity": "integrity", "started": "system", "clock": "system", "wire": "wire",
         "acknowledgement": "request", "irregularity": "irregularity"}  # fmt: skip
"""Kind of the record by what it is in the package."""


class _Canonical(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The bytes of a record that are hashed."""

    seq: int
    boot: str
    t_ns: int
    wall_ns: int
    synced: bool
    kind: str
    subtopic: str
    retained: bool
    body: str


class _Published(msgspec.Struct):
    source: str
    bootid: str
    monotonic: str
    sequence: int | str
    data: Any


_this_program = cache(program_fingerprint)


def lines_of(verdict: Verdict) -> Iterator[str]:
    """For people."""
    yield f"{verdict.name}: {'genuine' if verdict.ok else 'NOT VERIFIED'}"
    yield from (f"  fault: {one_line(each)}" for each in verdict.faults)
    yield from (f"  {one_line(each)}" for each in verdict.shown)
    yield from (f"  open: {one_line(each)}" for each in verdict.open)


def digest(path: Path) -> tuple[int, str]:
    """Bytes and SHA-256 of a file of any length. Raises OSError."""
    size, hash_ = 0, sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            size += len(part)
            hash_.update(part)
    return size, hash_.hexdigest()
