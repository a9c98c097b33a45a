"""A signed head of a table as text, and its place in the tree that a time stamp covers. Pure.

The text is the note of the checkpoint (C2SP tlog-checkpoint), with the cosignatures there are. Of a checkpoint without
a note it is three lines: what was signed, the key, the signature.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.signing import verified
from pitwatch.daemon.journal.statements import is_genuine, signed_text
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.merkle import ProofError, leaf_hash, verify_inclusion
from pitwatch.daemon.tlog.note import DER, Key, NoteError, parse

ORIGIN = "pitwatch-heads-v1"
"""First line of what a time stamp covers; then the number of heads and the root of their tree."""

FORM = re.compile(
    r"pitwatch-checkpoint-v1 (\S+) (\d+) (\d+) ([0-9a-f]{64})\n"
    r"key ([A-Za-z0-9+/]{59}=)\nsignature ([A-Za-z0-9+/]{86}==)\n\Z",
    re.ASCII,
)


class Head(NamedTuple):
    """`text` is all of it. `sequence`: the last record that it covers. `hash` in hexadecimal: the root of the tree, or
    of that record in the chain where there is no note. `key` is base64 of its DER form."""

    table: str
    sequence: int
    hash: str
    key: str
    text: str


class StampedHead(NamedTuple):
    """`position` of the head in the tree that was stamped, `path` to its root: hashes in base64."""

    head: Head
    position: int
    path: list[str]


def of(said: CheckpointData, cosigned: str | None = None) -> Head:
    """Of a checkpoint as a table publishes it. `cosigned`: its note with cosignatures, where somebody has it."""
    if said.note is not None:
        root = Checkpoint.parse(parse(said.note).text).root.hex()
        return Head(said.table, said.sequence, root, said.key, cosigned or said.note)
    text = f"{signed_text(said).decode()}key {said.key}\nsignature {said.signature}\n"
    return Head(said.table, said.sequence, said.hash, said.key, text)


def read(text: str, key: str) -> Head | None:
    """The head in a text; None if it is none, or if this key did not sign it. Raises SigningError."""
    found = FORM.match(text)
    if found is None:
        return _of_note(text, key)
    table, first, sequence, hash_, named, signature = found.groups()
    said = CheckpointData(
        table=table, first=int(first), sequence=int(sequence), hash=hash_, key=named, signature=signature
    )
    made = of(said)
    return made if made.text == text and named == key and is_genuine(said) else None


def _of_note(text: str, key: str) -> Head | None:
    try:
        origin = Checkpoint.parse(parse(text).text).origin
        said, _ = opened(text, Key.of_der(origin, key), by_key)
    except NoteError:
        return None
    table = "/".join(origin.split("/")[-2:])
    return Head(table, said.size, said.root.hex(), key, text)


def by_key(public: bytes, data: bytes, signature: bytes) -> bool:
    """Whether the holder of an Ed25519 key (32 bytes) signed the data. Raises SigningError."""
    return verified(base64.b64encode(DER + public).decode(), data, signature)


def stamped_text(count: int, root: bytes) -> str:
    """What a time stamp covers: in the form of a checkpoint, three lines."""
    return Checkpoint(ORIGIN, count, root).format()


def path_text(position: int, path: list[str]) -> str:
    """A head's place in the tree that was stamped, then the hashes up to its root, one a line."""
    return "".join(f"{line}\n" for line in (position, *path))


def is_covered(text: str, position: int, path: list[str], stamped: str) -> bool:
    """Whether a head is a leaf of the tree that was stamped."""
    try:
        tree = Checkpoint.parse(stamped)
        hashes = [base64.b64decode(each, validate=True) for each in path]
        verify_inclusion(position, tree.size, leaf_hash(text.encode()), hashes, tree.root)
    except (NoteError, ProofError, ValueError):
        return False
    return tree.origin == ORIGIN and not tree.extensions
