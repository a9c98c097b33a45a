"""Verifies the proofs of a package: records against heads, heads against the keys of boards, witnesses and time-stamp
authorities.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from pitwatch.daemon.config import Config
from pitwatch.daemon.evidence import facts as names
from pitwatch.daemon.evidence import head
from pitwatch.daemon.evidence.facts import Facts
from pitwatch.daemon.evidence.facts import Head as HeadFacts
from pitwatch.daemon.evidence.package import Files
from pitwatch.daemon.evidence.proofs import leaf_of
from pitwatch.daemon.evidence.timestamps import StampError, checked
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.cosignature import verified as cosigned
from pitwatch.daemon.tlog.merkle import ProofError
from pitwatch.daemon.tlog.note import Key, NoteError, parse
from pitwatch.daemon.tlog.proof import Proof, parse_proof


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """What the verifier has from the house: public keys (base64 of DER) of boards and of those who make packages, keys
    of witnesses, the certificates that vouch for the time-stamp authority, the table's configuration."""

    keys: frozenset[str] = frozenset()
    witnesses: tuple[Key, ...] = ()
    ca: bytes | None = None
    config: Config | None = None


class Found(msgspec.Struct):
    """`faults`: what is wrong, by file; `shown`: what is proven; `open`: what was not compared, or is not proven."""

    faults: list[str] = []
    shown: list[str] = []
    open: list[str] = []


class HeadExamination:
    """Adds to `found` what the proofs in these files prove."""

    def __init__(self, files: Files, trust: Trust, found: Found):
        self._files = files
        self._trust = trust
        self._found = found

    def proofs(self, facts: Facts, records: Sequence[int]) -> None:
        """Of every record that has one, and of the heads that they lead to."""
        notes: dict[str, HeadFacts] = {}
        proven = 0
        for seq in records:
            path = f"proofs/{seq}.tlog-proof"
            if path not in self._files:
                continue
            try:
                proof = parse_proof(self._files[path])
                said = proof.checkpoint
                if proof.index != seq - 1:
                    raise NoteError(f"it is of record {proof.index + 1}")
                proof.verify(leaf_of(self._files[f"records/{seq}.json"], proof.extra))
                stated = next((each for each in facts.heads if each.size == said.size), None)
                if stated is None:
                    raise NoteError(f"{names.FACTS} does not state its head of {said.size} records")
                self._signed(proof, said, stated, facts.table)
                notes[proof.note.format()] = stated
                proven += 1
            except (NoteError, ProofError) as error:
                self._found.faults.append(f"{path}: does not prove record {seq}: {error}")
        if proven:
            sizes = ", ".join(str(size) for size in sorted({each.size for each in notes.values()}))
            self._found.shown.append(
                f"{proven} of {len(records)} records are in the board's signed tree (size {sizes})"
            )
        for note, stated in sorted(notes.items()):
            self._cosigned(note, stated)
        for stated in facts.heads:
            if stated.existed_before is not None:
                self._stamped(stated, [note for note, its in notes.items() if its is stated])

    def _signed(self, proof: Proof, said: Checkpoint, stated: HeadFacts, table: str) -> None:
        """Raises NoteError unless the head is the table's, and signed by a key that is trusted."""
        if said.origin != stated.origin or not said.origin.endswith(f"/pitwatch/{table}"):
            raise NoteError(f"it is of the log {said.origin[:80]!a}, and not of the table {table}")
        if self._trust.keys and stated.key not in self._trust.keys:
            raise NoteError(f"none of the keys given signed its head, but {stated.key}")
        opened(proof.note.format(), Key.of_der(said.origin, stated.key), head.by_key)

    def _cosigned(self, raw: str, stated: HeadFacts) -> None:
        note = parse(raw)
        for each in note.signatures:
            if each.name == stated.origin:
                continue
            key = next(
                (known for known in self._trust.witnesses if (known.name, known.id) == (each.name, each.key_id)), None
            )
            if key is None:
                self._found.open.append(f"the cosignature of {each.name} was not compared: give its key with --key")
                continue
            try:
                at = cosigned(note.text, each, key, head.by_key)
            except NoteError as error:
                self._found.faults.append(f"the head of {stated.size} records: {error}")
                continue
            when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._found.shown.append(f"witness {key.name} cosigned the tree of {stated.size} records at {when}")

    def _stamped(self, stated: HeadFacts, notes: list[str]) -> None:
        parts = {kind: self._files[f"time/{stated.size}.{kind}"] for kind in ("head", "path", "stamped", "tsr")}
        try:
            text, stamped = parts["head"].decode(), parts["stamped"].decode()
            position, *path = parts["path"].decode().splitlines()
            place = int(position)
            if head.path_text(place, path).encode() != parts["path"]:
                raise ValueError("is not as it is written")
        except ValueError:
            self._found.faults.append(f"time/{stated.size}.path: cannot be read")
            return
        if not any(parse(note).text == _text_of(text) for note in notes):
            self._found.faults.append(f"time/{stated.size}.head: is not the head that the records are proven against")
        elif not head.is_covered(text, place, path, stamped):
            self._found.faults.append(f"time/{stated.size}.path: does not lead from the head to what was stamped")
        elif self._trust.ca is None:
            self._found.open.append(f"the time stamp over {stated.size} records was not verified: give --ca")
        else:
            try:
                at = checked(parts["tsr"], parts["stamped"], self._trust.ca).at.strftime("%Y-%m-%dT%H:%M:%SZ")
            except StampError as error:
                self._found.faults.append(f"time/{stated.size}.tsr: {error}")
                return
            if at[:19] != (stated.existed_before or "")[:19]:
                self._found.faults.append(
                    f"time/{stated.size}.tsr: states {at}, and {names.FACTS} {stated.existed_before}"
                )
            self._found.shown.append(f"records up to {stated.size} existed before {at}")


def _text_of(raw: str) -> str | None:
    """The text that a head signs; None for what is no note."""
    try:
        return parse(raw).text
    except NoteError:
        return None
