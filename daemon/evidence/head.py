"""A signed head of a table as text, and its place in the tree that a time stamp covers. Pure.

The text of a head of an earlier form is three lines: what was signed, the key, the signature.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.statements import is_genuine, signed_text
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import ProofError, leaf_hash, verify_inclusion
from pitwatch.daemon.tlog.note import NoteError

ORIGIN = "pitwatch-heads-v1"
"""First line of what a time stamp covers; then the number of heads and the root of their tree."""

FORM = re.compile(
    r"pitwatch-checkpoint-v1 (\S+) (\d+) (\d+) ([0-9a-f]{64})\n"
    r"key ([A-Za-z0-9+/]{59}=)\nsignature ([A-Za-z0-9+/]{86}==)\n\Z",
    re.ASCII,
)


class Head(NamedTuple):
    """`text` is all of it. `hash` of the record `sequence` in the chain; `key` is base64 of its DER form."""

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


def of(said: CheckpointData) -> Head:
    """Of a checkpoint as a table publishes it."""
    text = f"{signed_text(said).decode()}key {said.key}\nsignature {said.signature}\n"
    return Head(said.table, said.sequence, said.hash, said.key, text)


def read(text: str) -> Head | None:
    """The head in a text; None if it is none, or if its signature is not genuine. Raises SigningError."""
    found = FORM.match(text)
    if found is None:
        return None
    table, first, sequence, hash_, key, signature = found.groups()
    said = CheckpointData(
        table=table, first=int(first), sequence=int(sequence), hash=hash_, key=key, signature=signature
    )
    made = of(said)
    return made if made.text == text and is_genuine(said) else None


def stamped_text(count: int, root: bytes) -> str:
    """What a time stamp covers: in the form of a checkpoint, three lines."""
    return Checkpoint(ORIGIN, count, root).format()


def is_covered(text: str, position: int, path: list[str], stamped: str) -> bool:
    """Whether a head is a leaf of the tree that was stamped."""
    try:
        tree = Checkpoint.parse(stamped)
        hashes = [base64.b64decode(each, validate=True) for each in path]
        verify_inclusion(position, tree.size, leaf_hash(text.encode()), hashes, tree.root)
    except (NoteError, ProofError, ValueError):
        return False
    return tree.origin == ORIGIN and not tree.extensions
