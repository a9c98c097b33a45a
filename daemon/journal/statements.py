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
