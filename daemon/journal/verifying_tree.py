"""Verifies the Merkle tree beside the chain: that it is the one over the records, that every note signs its root, and
that every hash that is kept fits. Reads only.

What it says about removed records is bound to the roots that later notes sign.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from itertools import pairwise

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.nodes import BASE, CHUNK, CUT, STEP, Edge, Nodes, chunk_of, filler, joined
from pitwatch.daemon.journal.statements import noted
from pitwatch.daemon.journal.tree import Growing, begin
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.merkle import ProofError, cover
from pitwatch.daemon.tlog.note import NoteError

KEYS = re.compile(r"tree/(08|16|24|32|40|48|at)/[0-9]{16}\Z", re.ASCII)

GONE = "the tree over the records was altered"


class TreeExamination:
    """To be handed every record in order. Each method returns what is wrong, in one line, or None."""

    def __init__(self, db: sqlite3.Connection, pruned: int):
        self._nodes = Nodes(db)
        self._pruned = pruned
        self._kept = self._nodes.chunks()
        self._present = self._nodes.any()
        try:
            self._grown = Growing(merkle.Tree.at(pruned, self._nodes.subtree), self._nodes.base)
        except ProofError:  # not begun yet, or an earlier version removed records
            self._grown = begin(self._nodes, pruned)
        self._start = self._grown.size
        self._edges: dict[int, Edge] = {}
        self.notes = 0
        """Genuine ones, whose root is that of the tree."""
        self._newest = 0

    def rows(self) -> str | None:
        """Whether what is kept has the form that is written, and fits together."""
        nodes = self._nodes
        if (foreign := nodes.foreign()) is not None:
            return f"{GONE}: the row {foreign[:80]!a} is not as it is written"
        last: dict[int, int] = {}
        for key in nodes.keys("tree/"):
            if key in (BASE, CUT):
                continue
            if not KEYS.match(key):
                return f"{GONE}: {key[:80]!a} is no row of it"
            kind, number = key.split("/")[1], chunk_of(key)
            if kind == "at":
                for edge in nodes.edges(number):
                    if fault := self._edge(number, edge):
                        return fault
                    if edge.size in self._edges:
                        return f"{GONE}: the tree of {edge.size} records is kept twice"
                    self._edges[edge.size] = edge
                continue
            level = int(kind)
            if number != last.get(level, (nodes.base >> level) // CHUNK - 1) + 1:
                return f"{GONE}: the row before {key} is missing"
            last[level] = number
            if fault := self._row(level, number):
                return fault
        return self._cut()

    def _cut(self) -> str | None:
        """The leaves of the records removed last lead to the same hashes as what else is kept of them."""
        first = self._pruned // CHUNK * CHUNK
        leaves = self._nodes.cut(first // CHUNK)
        if len(leaves) == self._pruned - first and None not in leaves:
            for (level, index), found in zip(cover(first, self._pruned), _hashes(leaves), strict=True):
                if self._nodes.subtree(level, index) != found:
                    return f"{GONE}: the leaves of records {first + 1} to {self._pruned} do not fit"
        return None

    def _row(self, level: int, row: int) -> str | None:
        nodes = self._nodes
        hashes = nodes.row(level, row)
        whole = self._kept * CHUNK >> level
        if len(hashes) != min(CHUNK, whole - row * CHUNK):
            return f"{GONE}: {len(hashes)} hashes stand in row {row} of level {level}, where others belong"
        for at, found in enumerate(hashes):
            index = row * CHUNK + at
            if (index + 1) << level <= nodes.base:
                expected = filler(level)
            elif level > STEP:
                expected = joined([nodes.subtree(level - STEP, (index << STEP) + each) for each in range(CHUNK)])
            else:
                continue
            if found != expected:
                return f"{GONE}: the hash over records {(index << level) + 1} to {(index + 1) << level} does not fit"
        return None

    def _edge(self, chunk: int, edge: Edge) -> str | None:
        """What is kept of a signed size must lead to the hash over its 256 records."""
        first, end = chunk * CHUNK, (chunk + 1) * CHUNK
        left, right = cover(first, edge.size), cover(edge.size, end)
        wrong = f"{GONE}: what is kept of the tree of {edge.size} records does not fit"
        if not first < edge.size < end or len(left) != len(edge.left) or len(edge.right) not in (0, len(right)):
            return wrong
        there = self._nodes.cut(chunk)[: edge.size - first]
        if len(there) == edge.size - first and None not in there and _hashes(there) != edge.left:
            return wrong
        if edge.right and chunk < self._kept:
            known = dict(zip([*left, *right], [*edge.left, *edge.right], strict=True))
            if _above(known, chunk) != self._nodes.subtree(STEP, chunk):
                return wrong
        return None

    def add(self, seq: int, hash_: bytes) -> str | None:
        """The next record."""
        if seq <= self._start:
            return None
        self._grown.add(hash_)
        tree = self._grown.tree
        if seq % CHUNK:
            edge = self._edges.get(seq)
            if edge is not None and list(tree.hashes[len(tree.hashes) - len(edge.left) :]) != edge.left:
                return f"{GONE}: what is kept of the tree of {seq} records does not fit"
        elif seq <= self._kept * CHUNK and merkle.root(seq, self._nodes.subtree) != tree.root():
            return f"{GONE}: the hash over records {seq - CHUNK + 1} to {seq} is not theirs"
        return None

    def note(self, source: str, said: CheckpointData, own: bool) -> str | None:
        """A checkpoint whose last record was added last, or before. `own`: it is a record of this journal. Raises
        SigningError."""
        if said.note is None:
            return None
        size = said.sequence
        try:
            head = noted(said)
            root = self._root(size)
        except NoteError as error:
            return f"the note of {source} is not genuine: {error}"
        except ProofError as error:
            return f"{GONE}: {error}, and {source} signs it" if own and size > self._start else None
        if head.root != root:
            return f"a record up to {size} or the tree over them was rewritten: the note of {source} signs another root"
        if own and size > self._start and size % CHUNK and size not in self._edges:
            return f"{GONE}: nothing is kept of the tree of {size} records, which {source} signs"
        self.notes += 1
        self._newest = max(self._newest, size)
        return None

    def _root(self, size: int) -> bytes:
        """Raises ProofError."""
        return self._grown.tree.root() if size == self._grown.size else merkle.root(size, self._nodes.subtree)

    def knows(self, said: CheckpointData) -> bool:
        """Whether a checkpoint of removed records can be compared, by a tree that a later note signs."""
        if said.note is None or self._newest < said.sequence or not self.notes:
            return False
        try:
            merkle.root(said.sequence, self._nodes.subtree)
        except ProofError:
            return False
        return True

    def end(self) -> str | None:
        """When all was added."""
        if self._kept * CHUNK > self._grown.size:
            return f"{GONE}: it reaches to record {self._kept * CHUNK}, and the last is {self._grown.size}"
        if self._newest >= (self._kept + 1) * CHUNK:
            first = self._kept * CHUNK + 1
            return f"{GONE}: the hash over records {first} to {first + CHUNK - 1} is missing, though a note signs it"
        return None


def _hashes(leaves: Sequence[bytes | None]) -> list[bytes]:
    tree = merkle.Tree()
    for leaf in leaves:
        tree.append(leaf or b"")
    return list(tree.hashes)


def _above(known: dict[tuple[int, int], bytes], chunk: int) -> bytes | None:
    for level in range(STEP):
        indexes = sorted(index for at, index in known if at == level)
        for one, other in pairwise(indexes):
            if other == one + 1 and not one & 1:
                known[level + 1, one >> 1] = merkle.node_hash(known[level, one], known[level, other])
    return known.get((STEP, chunk))
