"""The Merkle tree beside the hash chain as it grows: what each record adds to it, and what is kept of it in the file.

In memory are the hashes of about log2(records) subtrees. Everything is written in the same transaction as the records.
A tree that lacks records, since an earlier version wrote them or began the journal, is extended by them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable

from pitwatch.daemon.journal.nodes import (
    BASE,
    CHUNK,
    CUT,
    STEP,
    UNKNOWN,
    Edge,
    Nodes,
    at_key,
    chunk_of,
    edge_line,
    edges,
    encoded,
    filler,
    row_key,
)
from pitwatch.daemon.journal.records import COLUMNS, TREE, damage
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import ProofError, Tree, cover, leaf_hash

_PUT = f"INSERT INTO newest ({COLUMNS}) VALUES (0, '', 0, 0, 0, '{TREE}', ?, 0, ?) ON CONFLICT (subtopic) DO UPDATE SET"
REPLACE = f"{_PUT} body = excluded.body"
APPEND = f"{_PUT} body = body || excluded.body"


PORTION = 2_000
"""Records by which a tree that lacks some is extended at a time."""


class Growing:
    """The tree of a journal that is written. What `add` brings is in the file once it was saved."""

    def __init__(self, tree: Tree, base: int = 0):
        self.tree = tree
        self._base = base
        self._complete: list[tuple[int, int, bytes]] = []
        self._texts: dict[str, str] = {}
        self._signed: Checkpoint | None = None

    @property
    def size(self) -> int:
        """Up to which record it reaches."""
        return self.tree.size

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._complete or self._texts)

    def copy(self) -> Growing:
        """Another one that grows on its own."""
        other = Growing(self.tree.copy(), self._base)
        other._complete, other._texts, other._signed = self._complete.copy(), self._texts.copy(), self._signed
        return other

    def add(self, hash_: bytes) -> None:
        """The next record, by its hash."""
        self._append(leaf_hash(hash_))

    def _append(self, leaf: bytes) -> None:
        complete = not (self.tree.size + 1) % CHUNK
        self.tree.append(leaf, self._seen if complete else None)

    def _seen(self, level: int, index: int, found: bytes) -> None:
        if level and not level % STEP:
            self._complete.append((level, index, found))

    def extend(self, db: sqlite3.Connection, limit: int) -> None:
        """Add records that are in the file, `limit` at most. Raises sqlite3.Error, also where the root comes to differ
        from the one that was signed."""
        for seq, hash_ in db.execute(
            "SELECT seq, hash FROM record WHERE seq > ? ORDER BY seq LIMIT ?", (self.size, limit)
        ):
            if seq != self.size + 1 or type(hash_) is not bytes:
                raise damage(f"record {self.size + 1} is missing, or its hash is not as it is written")
            self.add(hash_)
            if self._signed is not None and self._signed.size == self.size:
                self._check(self.tree.root())

    def _check(self, root: bytes) -> None:
        assert self._signed is not None
        if self._signed.root != root:
            raise damage(f"its tree over {self._signed.size} records has another root than the board has signed")

    def save(self, db: sqlite3.Connection) -> None:
        """Write what was added since the last time; to be called in a transaction. Raises sqlite3.Error."""
        db.executemany(REPLACE, self._texts.items())
        for level, index, found in self._complete:
            row, at = divmod(index, CHUNK)
            first = index == self._base >> level  # before it nothing is known, and nothing is kept
            before = [filler(level)] * at if first else []
            db.execute(APPEND, (row_key(level, row), encoded([*before, found])))
        nodes = None
        for level, index, _ in self._complete:
            if level == STEP and db.execute("SELECT 1 FROM newest WHERE subtopic = ?", (at_key(index),)).fetchone():
                nodes = nodes or Nodes(db)
                put = [edge if edge.right else _edge(nodes, edge.size, True) or edge for edge in nodes.edges(index)]
                db.execute(REPLACE, (at_key(index), "".join(map(edge_line, put))))
        self._complete, self._texts = [], {}

    def sign(self, db: sqlite3.Connection, size: int) -> None:
        """Keep what proofs from a signed size on need; to be called in a transaction, after `save`. Raises
        sqlite3.Error."""
        if not size % CHUNK:
            return
        nodes = Nodes(db)
        chunk = size // CHUNK
        if any(edge.size == size for edge in nodes.edges(chunk)):
            return
        edge = _edge(nodes, size, (chunk + 1) * CHUNK <= self.size)
        if edge is not None:
            db.execute(APPEND, (at_key(chunk), edge_line(edge)))


def _edge(nodes: Nodes, size: int, complete: bool) -> Edge | None:
    """What is to be kept of a size; None where it cannot be had."""
    first = size // CHUNK * CHUNK
    try:
        left = [nodes.subtree(level, index) for level, index in cover(first, size)]
        right = [nodes.subtree(level, index) for level, index in cover(size, first + CHUNK)] if complete else []
    except ProofError:
        return None
    return Edge(size, left, right)


def begin(nodes: Nodes, pruned: int, signed: Checkpoint | None = None) -> Growing:
    """The tree of a file as far as it is kept, at least to the last record that was removed. Leaves that nobody knows
    any more, since an earlier version removed their records, are added as such. `signed`: what the board stated last,
    and must stay true. Raises sqlite3.DatabaseError for a tree of which something is missing or was altered."""
    texts = {}
    if not nodes.any() and pruned >= CHUNK:
        nodes.base = pruned // CHUNK * CHUNK
        texts[BASE] = str(nodes.base)
    try:
        grown = _begun(nodes, pruned, signed)
        grown._signed = signed
        if signed is not None and signed.size <= grown.size:
            with contextlib.suppress(ProofError):  # then the tree goes on from a later size that was signed
                grown._check(merkle.root(signed.size, nodes.subtree))
    except ProofError as error:
        raise damage(f"its tree is not whole: {error}") from None
    grown._texts |= texts
    return grown


def _begun(nodes: Nodes, pruned: int, signed: Checkpoint | None) -> Growing:
    """Raises ProofError."""
    kept = nodes.chunks() * CHUNK
    forgotten = signed is not None and 0 < signed.size <= nodes.base
    with contextlib.suppress(ProofError):
        if not forgotten:
            return Growing(Tree.at(max(kept, pruned), nodes.subtree), nodes.base)
    newest = nodes.newest_edge()
    start = max(kept, newest.size if newest else 0)
    if signed is not None and (forgotten or start < min(signed.size, pruned)):
        raise ProofError(f"a root over {signed.size} records was signed")
    grown = Growing(Tree.at(start, nodes.subtree), nodes.base)
    first = pruned // CHUNK * CHUNK
    known = nodes.cut(first // CHUNK)[: pruned - first]
    known += [None] * (pruned - first - len(known))
    while grown.size < pruned:
        at = grown.size - first
        if at < 0:
            grown._append(filler(0))
        else:
            leaf = known[at] = known[at] or filler(0)
            grown._append(leaf)
    end = (start // CHUNK + 1) * CHUNK
    if newest is not None and newest.size == start and end <= pruned:
        right = [filler(level) for level, _ in cover(start, end)]
        put = [edge._replace(right=right) if edge.size == start else edge for edge in nodes.edges(start // CHUNK)]
        grown._texts[at_key(start // CHUNK)] = "".join(map(edge_line, put))
    if start < pruned:
        grown._texts[CUT] = _cut_text(first // CHUNK, known)
    return grown


def cut(db: sqlite3.Connection, up_to: int) -> None:
    """Keep of the records up to a sequence, which are about to be removed, what proofs of those after them need; to be
    called in the transaction that removes them. Raises sqlite3.Error."""
    chunk, count = divmod(up_to, CHUNK)
    found = Nodes(db).chunk(chunk) if count else {}
    leaves = [found.get((0, chunk * CHUNK + at)) for at in range(count)]
    db.execute(REPLACE, (CUT, _cut_text(chunk, leaves)))


def _cut_text(chunk: int, leaves: Iterable[bytes | None]) -> str:
    return f"{chunk * CHUNK} " + "".join(UNKNOWN if each is None else encoded([each]) for each in leaves)


def carry(old: Nodes, new: sqlite3.Connection, size: int, signed: int) -> None:
    """Take over into a new file what an old one keeps of its tree up to a size. `signed`: the last size that was signed
    (0: none), of which proofs must be possible. Raises ProofError where something is missing, and sqlite3.Error."""
    texts = {BASE: str(old.base)} if old.base else {}
    for level in range(STEP, size.bit_length(), STEP):
        count = size >> level
        for row in range((old.base >> level) // CHUNK, -(-count // CHUNK) if count > old.base >> level else 0):
            hashes = old.row(level, row)[: count - row * CHUNK]
            if len(hashes) < min(CHUNK, count - row * CHUNK):
                raise ProofError(f"row {row} of level {level} of the tree is not whole")
            texts[row_key(level, row)] = encoded(hashes)
    chunk, count = divmod(size, CHUNK)
    for key in old.keys("tree/at/"):
        number = chunk_of(key)
        kept = [edge for edge in old.edges(number) if edge.size <= size]
        if number == chunk:
            kept = [edge._replace(right=[]) for edge in kept]
        if kept:
            texts[key] = "".join(map(edge_line, kept))
    key = at_key(signed // CHUNK)
    if signed % CHUNK and signed <= size and not any(edge.size == signed for edge in edges(texts.get(key, ""))):
        edge = _edge(old, signed, False)
        texts[key] = texts.get(key, "") + (edge_line(edge) if edge is not None else "")
    found = old.chunk(chunk)
    texts[CUT] = _cut_text(chunk, [found.get((0, chunk * CHUNK + at)) for at in range(count)])
    new.executemany(REPLACE, texts.items())
