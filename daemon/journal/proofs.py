"""Proofs of the journal's Merkle tree: that a record is in it, that it only grew, and its root at any size.

They work on a store that is open for reading while the daemon writes; call `Store.hold` first where several must fit
together. A tree's size is the sequence of its last record, and the index of a record its sequence less one. The leaf of
a record is `leaf`; `tlog.merkle` verifies.
"""

from __future__ import annotations

from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.merkle import ProofError


def leaf(hash_: bytes) -> bytes:
    """The leaf's hash of a record whose `hash` in the chain is this: the leaf's data are these 32 bytes."""
    return merkle.leaf_hash(hash_)


def root(store: Store, size: int) -> bytes:
    """The root of the tree over the first `size` records. Raises ProofError where the file does not keep enough to know
    it, and sqlite3.Error."""
    _there(store, size)
    return merkle.root(size, store.nodes().subtree)


def inclusion(store: Store, seq: int, size: int) -> list[bytes]:
    """The proof that the record `seq` is in the tree of `size` records, to be verified with index `seq - 1`. Raises
    ProofError where the record is not in the file or not in the tree, and sqlite3.Error."""
    _there(store, size)
    if store.one(seq) is None or seq > size:
        raise ProofError(f"record {seq} is not in the journal's tree of {size} records")
    return merkle.inclusion_path(seq - 1, size, store.nodes().subtree)


def consistency(store: Store, old: int, new: int) -> list[bytes]:
    """The proof that the tree of `new` records begins with that of `old` records: of any two sizes as long as the
    records around are there, and from each size that was signed for ever. Raises ProofError where it cannot be given,
    and sqlite3.Error."""
    _there(store, new)
    return merkle.consistency_path(old, new, store.nodes().subtree)


def _there(store: Store, size: int) -> None:
    if not 0 <= size <= store.last:
        raise ProofError(f"the journal has {store.last} records, and not {size}")
