"""Journals with a tree, for tests: records of any number, written and removed as a board does, and the tree of the RFC
over the same records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.chain import START, Record
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.statements import signed, with_note
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.tlog.merkle import Tree, leaf_hash

TABLE = "toledo/RL-07"
ORIGIN = "house/pitwatch/toledo/RL-07"


def seen(seq: int, boot: str = "b00t", **more) -> Record:
    body = b'{"t": %d, "device": "wheel"}' % seq
    fields = {"kind": "observation", "subtopic": "observation/wheel", "body": body, "retained": False, **more}
    return Record(seq, boot, seq * 10_000_000, 1_800_000_000_000_000_000 + seq, True, **fields)


def opened(path: Path) -> Store:
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    return store


def watched(store: Store, count: int, delivered: bool = True, once: int = 97) -> None:
    """So many further records, some at a time."""
    end = store.last + count
    while store.last < end:
        few = [seen(seq) for seq in range(store.last + 1, min(store.last + once, end) + 1)]
        store.write(few, few[-1].seq if delivered else store.delivered)


def sign(store: Store, signer: Signer | None = None, note: bool = True) -> CheckpointData:
    """A checkpoint of what is there, as the next record; without a signer one that only states it."""
    before = store.last_of_kind("checkpoint")
    there = msgspec.json.decode(before.body, type=CheckpointData) if before else None
    said = CheckpointData(
        table=TABLE,
        first=store.pruned + 1,
        sequence=store.last,
        hash=store.head.hex(),
        key=KEY,
        signature="",
        previous=there.sequence if there else None,
        previous_hash=there.hash if there else None,
    )
    signer = signer or Nobody()
    said = signed(said, signer.prepare(), signer)
    if note:
        said = with_note(said, ORIGIN, proofs.root(store, store.last), signer)
    record = seen(store.last + 1, kind="checkpoint", subtopic="checkpoint", body=msgspec.json.encode(said))
    store.write([record], store.delivered)
    return said


KEY = "MCowBQYDK2VwAyEA" + "A" * 43 + "="


class Nobody(Signer):
    """Signs nothing, and takes no time for it."""

    def __init__(self) -> None:
        super().__init__(Path("nobody.key"))

    def prepare(self) -> str:
        return KEY

    def sign(self, data: bytes) -> bytes:
        return bytes(64)


def board(path: Path) -> Signer:
    signer = Signer(key_path(path))
    signer.prepare()
    return signer


class Rfc:
    """The tree by itself: every leaf in memory, each root ever."""

    def __init__(self, leaves: Iterable[bytes] = ()):
        self._tree = Tree()
        self.roots = [self._tree.root()]
        self.leaves: list[bytes] = []
        for leaf in leaves:
            self.add(leaf)

    def add(self, leaf: bytes) -> None:
        self.leaves.append(leaf)
        self._tree.append(leaf)
        self.roots.append(self._tree.root())

    def follow(self, store: Store) -> None:
        """What the store has beyond it; leaves of nothing for what it no longer has."""
        for record, hash_ in store.records(len(self.leaves)):
            while len(self.leaves) < record.seq - 1:
                self.add(leaf_hash(START))
            self.add(leaf_hash(hash_))
