"""The hash chain over the journal: which bytes are hashed, and how to verify it. Independent of the file format.

hash(n) = SHA-256(hash(n-1) + canonical bytes of record n), hash(0) = 32 zero bytes. The canonical bytes are the JSON
array [seq, boot, t_ns, wall_ns, synced, kind, subtopic, retained, body] without blanks, in UTF-8, `body` being the
stored text as a string. Anyone can check a chain with a JSON encoder and SHA-256.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import msgspec

START = bytes(32)

_encode = msgspec.json.Encoder().encode


class Record(msgspec.Struct, frozen=True, gc=False):
    """One line of evidence. `t_ns` monotonic and `wall_ns` UTC say when it happened; `body` is JSON; `subtopic` is the
    MQTT topic below the table's."""

    seq: int
    boot: str
    t_ns: int
    wall_ns: int
    synced: bool
    kind: str
    subtopic: str
    retained: bool
    body: bytes


def canonical(record: Record) -> bytes:
    """The bytes of a record that are hashed."""
    r = record
    return _encode((r.seq, r.boot, r.t_ns, r.wall_ns, r.synced, r.kind, r.subtopic, r.retained, r.body.decode()))


def link(previous: bytes, record: Record) -> bytes:
    """The hash of a record that follows one whose hash is `previous`."""
    return sha256(previous + canonical(record)).digest()


def first_fault(records: Iterable[tuple[Record, bytes]], seq: int, hash_before: bytes) -> str | None:
    """What is wrong with the first bad record after `seq`, whose hash is `hash_before`; None if all is well."""
    for record, stored in records:
        if record.seq != seq + 1:
            return f"record {seq + 1} is missing; the next there is has sequence {record.seq}"
        expected = link(hash_before, record)
        if stored != expected:
            return (
                f"record {record.seq} ({record.kind}) was altered: its hash is not that of its contents and predecessor"
            )
        seq, hash_before = record.seq, stored
    return None
