"""The board's signed statements about its journal: checkpoints and retention. Builds the signed line and verifies it.

Each statement is a record in the journal and is published. Independent of who makes it and of the file.
"""

from __future__ import annotations

import base64
from typing import TypeVar

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData, RetentionData
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.signing import Signer, verified
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.checkpoint import signed as signed_checkpoint
from pitwatch.daemon.tlog.note import Key, NoteError, parse

CHECKPOINT = "checkpoint"
RETENTION = "retention"
"""Kinds of the records."""

Statement = TypeVar("Statement", CheckpointData, RetentionData)


def stated(record: Record, type_: type[Statement]) -> Statement | None:
    """What a record states; None if it is not readable as this."""
    try:
        return msgspec.json.decode(record.body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def signed_head(record: Record) -> Checkpoint | None:
    """What a checkpoint's note states, unverified; None for another record, or if it has no note that can be read."""
    said = stated(record, CheckpointData) if record.kind == CHECKPOINT else None
    try:
        head = Checkpoint.parse(parse(said.note).text) if said is not None and said.note is not None else None
    except NoteError:
        return None
    return head if head is not None and head.size < record.seq else None


def with_note(said: CheckpointData, origin: str, root: bytes, signer: Signer) -> CheckpointData:
    """The same with a note that signs the root of the tree over the records up to its `sequence`, by the log `origin`.
    Blocks for some milliseconds. Raises SigningError."""
    note = signed_checkpoint(Checkpoint(origin, said.sequence, root), said.key, signer.sign)
    return msgspec.structs.replace(said, note=note.format())


def noted(said: CheckpointData, library: bool = True) -> Checkpoint:
    """What the note of a checkpoint states. Raises NoteError unless the checkpoint's key signed it, for this table and
    the same record, and SigningError if that cannot be found out. `library`: see `signing.verified`."""
    if said.note is None:
        raise NoteError("the checkpoint has no note")
    origin = Checkpoint.parse(parse(said.note).text).origin
    if not origin.endswith(f"/pitwatch/{said.table}"):
        raise NoteError(f"the note is of the log {origin[:80]!a}, and not of table {said.table}")

    def by(public: bytes, data: bytes, signature: bytes) -> bool:
        return verified(Key(origin, public).der, data, signature, library)

    head, _ = opened(said.note, Key.of_der(origin, said.key), by)
    if head.size != said.sequence:
        raise NoteError(f"the note signs {head.size} records, and the checkpoint {said.sequence}")
    return head


def signed_text(said: CheckpointData | RetentionData) -> bytes:
    """What is signed: one line that anybody can write by hand."""
    if isinstance(said, CheckpointData):
        line = f"pitwatch-checkpoint-v1 {said.table} {said.first} {said.sequence} {said.hash}\n"
    else:
        line = f"pitwatch-retention-v1 {said.table} {said.sequence} {said.hash} {said.reason} {said.time}\n"
    return line.encode()


def signed(said: Statement, key: str, signer: Signer) -> Statement:
    """The same with the board's public key and its signature. Blocks for some milliseconds. Raises SigningError."""
    signature = base64.b64encode(signer.sign(signed_text(said))).decode()
    return msgspec.structs.replace(said, key=key, signature=signature)


def is_genuine(said: CheckpointData | RetentionData, library: bool = True) -> bool:
    """Whether the key that is named has signed it. `library`: see `signing.verified`. Raises SigningError if that
    cannot be found out."""
    if said.key is None or said.signature is None:
        return False
    try:
        signature = base64.b64decode(said.signature, validate=True)
    except ValueError:
        return False
    return verified(said.key, signed_text(said), signature, library)
