"""The Merkle tree of an open journal file: taken up where it stands, extended, handed on from another file.

Blocking calls, as all of `store`, which writes records and tree in one transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.nodes import Nodes
from pitwatch.daemon.journal.records import Records, damage
from pitwatch.daemon.journal.statements import CHECKPOINT, signed_head
from pitwatch.daemon.journal.tree import PORTION, Growing, begin, carry
from pitwatch.daemon.tlog.merkle import ProofError

SIGNED = 5_000
"""Newest records among which the last signature of the tree is looked for when a journal is opened."""

AT_ONCE = 20_000
"""Records by which a tree that lacks some is extended before the journal is used, in some hundredths of a second."""


class Planted(Records):
    """What of a file concerns its tree. `pruned` is the last record that was removed."""

    pruned: int
    _last: tuple[int, bytes]
    """The last record's sequence and hash."""
    _grown: Growing

    @property
    def last(self) -> int:
        return self._last[0]

    @property
    def head(self) -> bytes:
        """The hash of the last record."""
        return self._last[1]

    def _plant(self) -> None:
        """Take up the tree where it stands in the file, and extend it by the next records that it lacks."""
        heads = [head for record in self.of_kind(CHECKPOINT, self.last - SIGNED) if (head := signed_head(record))]
        self._grown = begin(self.nodes(), self.pruned, heads[-1] if heads else None)
        if self._grown.size > self.last:
            raise damage(f"its tree reaches to record {self._grown.size}, and the last is {self.last}")
        self._grown.extend(self._db, AT_ONCE)

    def nodes(self) -> Nodes:
        """The tree as it is in the file now."""
        return Nodes(self._db)

    @property
    def behind(self) -> int:
        """How many records the tree lacks."""
        return self.last - self._grown.size

    def extend(self, limit: int = PORTION) -> None:
        """Extend the tree by some of the records that it lacks. Raises sqlite3.Error, changing nothing."""
        grown = self._grown.copy()
        grown.extend(self._db, limit)
        if grown.unsaved:
            self._begin()
            try:
                grown.save(self._db)
                self._db.execute("COMMIT")
            except sqlite3.Error:
                self._rollback()
                raise
        self._grown = grown

    def take_over(self, old: Nodes, size: int, signed: int) -> None:
        """Go on with the tree that another file keeps, which is right up to a size: what was signed of it, up to the
        size `signed`, stays true. Raises ProofError where it does not reach that far, and sqlite3.Error; the tree is
        then begun anew."""
        self._begin()
        try:
            carry(old, self._db, size, signed)
            self._plant()
            self._db.execute("COMMIT")
        except (sqlite3.Error, ProofError):
            self._rollback()
            self._plant()
            raise

    def root_after(self, records: Sequence[Record]) -> bytes | None:
        """The root of the tree when these will have been appended; None while it lacks any."""
        if self.behind:
            return None
        tree, hash_ = self._grown.copy(), self.head
        for record in records:
            hash_ = link(hash_, record)
            tree.add(hash_)
        return tree.tree.root()

    def _begin(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def _rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
