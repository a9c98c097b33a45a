"""Proves records of a journal against heads that the board signed: one `.tlog-proof` a record. Reads only.

The leaf of a record is its hash in the chain, which covers the hash of the record before and its own canonical bytes.
The hash before goes along as `extra`, so the record can be proven without the record before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.evidence.head import StampedHead
from pitwatch.daemon.journal.chain import START, Record, canonical
from pitwatch.daemon.journal.proofs import inclusion, leaf
from pitwatch.daemon.journal.statements import CHECKPOINT, stated
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import HASH_BYTES, ProofError
from pitwatch.daemon.tlog.note import Note, NoteError, parse
from pitwatch.daemon.tlog.proof import Proof


class Stamped(msgspec.Struct, frozen=True, kw_only=True):
    """A head with its time stamp: the leaf and its place, what was stamped, the authority's reply, the time it states
    (UTC, as events carry it)."""

    head: StampedHead
    stamped: str
    reply: bytes
    at: str
    authority: str = ""


class SignedHead(msgspec.Struct, frozen=True, kw_only=True):
    """A signed note over the tree of `size` records, and the key (base64 of DER) that signs for the board."""

    size: int
    root: bytes
    note: Note
    key: str
    stamp: Stamped | None = None


def heads_of(store: Store, since: int) -> list[SignedHead]:
    """What the checkpoints in a journal sign of the records up to `since` or more, in order."""
    found = []
    for record in store.of_kind(CHECKPOINT, since):
        said = stated(record, CheckpointData)
        if said is not None and said.note is not None and said.sequence < record.seq:
            head = read_head(said.note, said.key)
            if head is not None and head.size >= since:
                found.append(head)
    return found


def read_head(note: str, key: str) -> SignedHead | None:
    """None for what is no note of a checkpoint."""
    try:
        parsed = parse(note)
        said = Checkpoint.parse(parsed.text)
    except NoteError:
        return None
    return SignedHead(size=said.size, root=said.root, note=parsed, key=key)


class Proven(msgspec.Struct, frozen=True):
    """`proofs` by sequence; `heads` that they lead to; `unproven` sequences, each with the reason."""

    proofs: dict[int, Proof]
    heads: list[SignedHead]
    unproven: dict[int, str]


def prove(store: Store, records: Iterable[Record], heads: Sequence[SignedHead]) -> Proven:
    """Each record against the best head that covers it: stamped before cosigned before signed, then the earliest."""
    order = sorted(heads, key=lambda each: (each.stamp is None, -len(each.note.signatures), each.size))
    proofs: dict[int, Proof] = {}
    used: dict[int, SignedHead] = {}
    unproven: dict[int, str] = {}
    for record in records:
        covering = [each for each in order if each.size >= record.seq]
        if not covering:
            unproven[record.seq] = "the board has not signed a tree that holds it yet"
        for head in covering:
            try:
                path = tuple(inclusion(store, record.seq, head.size))
                before = _before(store, record.seq)
                proof = Proof(record.seq - 1, path, head.note, before)
                proof.verify(leaf_of(canonical(record), before))
            except ProofError as error:
                unproven[record.seq] = str(error)
                continue
            unproven.pop(record.seq, None)
            proofs[record.seq] = proof
            used[head.size] = head
            break
    return Proven(proofs, [used[size] for size in sorted(used)], unproven)


def _before(store: Store, sequence: int) -> bytes:
    """The hash of the record before. Raises ProofError."""
    if sequence == store.pruned + 1:
        return store.hash_before if sequence > 1 else START
    there = store.one(sequence - 1)
    if there is None:
        raise ProofError(f"record {sequence - 1} is no longer there, and with it its hash")
    return there[1]


def leaf_of(content: bytes, before: bytes) -> bytes:
    """The leaf of a record in the tree. `content`: its canonical bytes; `before`: the hash of the record before. Raises
    ProofError."""
    if len(before) != HASH_BYTES:
        raise ProofError("the hash of the record before is not there")
    return leaf(sha256(before + content).digest())
