"""The Merkle tree's nodes as they stand in the journal's file, and every complete subtree that can be had from them.

Leaf n-1 holds the hash of record n (`chain`), so the leaves need no room of their own while their records are there.
The file keeps, as rows of `newest` with the kind `tree` and the sequence 0, which every version leaves as they are:

    tree/08/ROW    hashes of the subtrees of 256 records, up to 256 of them; tree/16/ROW, tree/24/ROW: of 256 of those
    tree/at/CHUNK  for each signed tree size among these 256 records the hashes left and right of it: what a proof from
                   that size on needs when the records are gone
    tree/cut       the leaves of the removed records of the 256 among which the journal begins
    tree/base      how many records were removed before the tree was begun: leaves of 32 zero bytes

Hashes are in base64. Reads only; what is added is in `tree`.
"""

from __future__ import annotations

import base64
import re
import sqlite3
from functools import cache
from typing import NamedTuple

from pitwatch.daemon.journal.chain import START
from pitwatch.daemon.journal.records import TREE, damage
from pitwatch.daemon.tlog.merkle import HASH_BYTES, ProofError, cover, leaf_hash, node_hash

STEP = 8
"""Levels between those that are kept."""

CHUNK = 1 << STEP
"""Leaves below a node that is kept, and hashes in a row."""

ENCODED = 44
"""Characters of a hash."""

UNKNOWN = "-" * ENCODED
"""In the place of one."""

MOST_EDGES = CHUNK * (22 + (STEP + 1) * ENCODED)
"""Characters of a row of signed sizes, each with at most `STEP + 1` hashes."""

BASE, CUT = "tree/base", "tree/cut"

_KEYS = "SELECT CAST(subtopic AS BLOB) FROM newest WHERE subtopic >= ? AND subtopic < ? AND kind = ?"

_AT = re.compile(r"([0-9]{1,19}) ([A-Za-z0-9+/=]+|-) ([A-Za-z0-9+/=]+|-)\Z", re.ASCII)

_CUT = re.compile(r"([0-9]{1,19}) ([A-Za-z0-9+/=-]*)\Z", re.ASCII)


class Edge(NamedTuple):
    """What is kept of a signed tree size: the hashes of `cover` from the beginning of its 256 leaves to it, and from it
    to their end; `right` is empty until they are complete."""

    size: int
    left: list[bytes]
    right: list[bytes]


def row_key(level: int, row: int) -> str:
    """Where the hashes of a level stand, `CHUNK` to a row."""
    return f"tree/{level:02}/{row:016}"


def at_key(chunk: int) -> str:
    return f"tree/at/{chunk:016}"


@cache
def filler(level: int) -> bytes:
    """The subtree over records of which nothing is known."""
    return node_hash(filler(level - 1), filler(level - 1)) if level else leaf_hash(START)


def joined(hashes: list[bytes]) -> bytes:
    """The hash above complete subtrees of one level, whose number is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def encoded(hashes: list[bytes]) -> str:
    return "".join(base64.b64encode(each).decode() for each in hashes)


def decoded(text: str) -> list[bytes]:
    """Raises sqlite3.DatabaseError for anything but hashes as `encoded` gives them."""
    try:
        found = [base64.b64decode(text[at : at + ENCODED], validate=True) for at in range(0, len(text), ENCODED)]
    except ValueError:
        found = [b""]
    if any(len(each) != HASH_BYTES for each in found) or encoded(found) != text:
        raise damage("a hash of its tree is not as it is written")
    return found


def edges(body: str) -> list[Edge]:
    """Raises sqlite3.DatabaseError."""
    if len(body) > MOST_EDGES:
        raise damage("a row of signed sizes of its tree is too long")
    found = []
    for line in body.splitlines():
        match = _AT.match(line)
        if match is None:
            raise damage("a signed size of its tree is not as it is written")
        size, left, right = match.groups()
        found.append(Edge(int(size), *(decoded("" if each == "-" else each) for each in (left, right))))
    return found


def edge_line(edge: Edge) -> str:
    return f"{edge.size} {encoded(edge.left) or '-'} {encoded(edge.right) or '-'}\n"


class Nodes:
    """The tree's nodes in an open file. What is read is kept: make another one when the file has grown. Raises
    sqlite3.Error for a file that cannot be read, or in which a row is not as it is written."""

    def __init__(self, db: sqlite3.Connection):
        self._db = db
        self._rows: dict[str, list[bytes]] = {}
        self._chunks: dict[int, dict[tuple[int, int], bytes]] = {}
        text = self.text(BASE)
        if text is not None and not re.fullmatch(r"[0-9]{1,19}", text, re.ASCII):
            raise damage("the base of its tree is not as it is written")
        self.base = int(text or 0)
        """Leaves of which nothing is known, a multiple of `CHUNK`."""

    def text(self, key: str) -> str | None:
        """The body of a row."""
        row = self._db.execute(
            "SELECT CAST(body AS BLOB) FROM newest WHERE subtopic = ? AND kind = ?", (key, TREE)
        ).fetchone()
        return None if row is None else _text(row[0])

    def keys(self, prefix: str) -> list[str]:
        """Of all rows, in order."""
        rows = self._db.execute(f"{_KEYS} ORDER BY subtopic", (prefix, _end(prefix), TREE))
        return [_text(key) for (key,) in rows]

    def last_key(self, prefix: str) -> str | None:
        row = self._db.execute(f"{_KEYS} ORDER BY subtopic DESC LIMIT 1", (prefix, _end(prefix), TREE)).fetchone()
        return None if row is None else _text(row[0])

    def foreign(self) -> str | None:
        """The key of a row in the place of one of the tree's that differs from them in what is beside its body."""
        row = self._db.execute(
            "SELECT CAST(subtopic AS BLOB) FROM newest "
            "WHERE (kind = ?1 OR (subtopic >= 'tree/' AND subtopic < 'tree0')) AND NOT (kind IS ?1 AND seq IS 0 "
            "AND boot IS '' AND t_ns IS 0 AND wall_ns IS 0 AND synced IS 0 AND retained IS 0)",
            (TREE,),
        ).fetchone()
        return None if row is None else _text(row[0])

    def any(self) -> bool:
        """Whether there is a tree."""
        return self.last_key("tree/") is not None

    def chunks(self) -> int:
        """How many times `CHUNK` leaves are complete and kept."""
        key = self.last_key("tree/08/")
        if key is None:
            return self.base // CHUNK
        row = chunk_of(key)
        return max(row * CHUNK + len(self.row(STEP, row)), self.base // CHUNK)

    def row(self, level: int, row: int) -> list[bytes]:
        """The hashes of a level that stand in a row; none where there is no such row."""
        key = row_key(level, row)
        if key not in self._rows:
            text = self.text(key) or ""
            if len(text) > CHUNK * ENCODED:
                raise damage("a row of its tree is too long")
            self._rows[key] = decoded(text)
        return self._rows[key]

    def subtree(self, level: int, index: int) -> bytes:
        """The hash of a complete subtree. Raises ProofError where it can no longer be had, or not yet."""
        if (index + 1) << level <= self.base:
            return filler(level)
        low = level < STEP
        found = self.chunk(index >> STEP - level).get((level, index)) if low else self._above(level, index)
        if found is None:
            first, last = (index << level) + 1, (index + 1) << level
            raise ProofError(f"the tree's hash over records {first} to {last} is not kept")
        return found

    def _above(self, level: int, index: int) -> bytes | None:
        up = level % STEP
        first = index << up
        hashes = self.row(level - up, first // CHUNK)[first % CHUNK :][: 1 << up]
        if len(hashes) < 1 << up:
            return None
        return joined(hashes)

    def chunk(self, chunk: int) -> dict[tuple[int, int], bytes]:
        """What can be had of the subtrees of one chunk, by level and index."""
        if chunk not in self._chunks:
            self._chunks[chunk] = self._read_chunk(chunk)
        return self._chunks[chunk]

    def _read_chunk(self, chunk: int) -> dict[tuple[int, int], bytes]:
        first, end = chunk * CHUNK, (chunk + 1) * CHUNK
        found = {(0, first + at): leaf for at, leaf in enumerate(self.cut(chunk)) if leaf is not None}
        for seq, hash_ in self._db.execute("SELECT seq, hash FROM record WHERE seq > ? AND seq <= ?", (first, end)):
            if type(hash_) is not bytes:
                raise damage(f"the hash of record {seq!s:.20} is not as it is written")
            found[0, seq - 1] = leaf_hash(hash_)
        for edge in self.edges(chunk):
            found |= zip(cover(first, edge.size), edge.left, strict=False)
            found |= zip(cover(edge.size, end), edge.right, strict=False)
        for level in range(STEP):
            for index in range(first >> level, end >> level, 2):
                left, right = found.get((level, index)), found.get((level, index + 1))
                if left is not None and right is not None:
                    found.setdefault((level + 1, index >> 1), node_hash(left, right))
        return found

    def cut(self, chunk: int) -> list[bytes | None]:
        """The leaves of a chunk's removed records, as far as they are known."""
        text = self.text(CUT)
        if text is None:
            return []
        match = _CUT.match(text) if len(text) < MOST_EDGES else None
        if match is None:
            raise damage("the cut of its tree is not as it is written")
        first, hashes = match.groups()
        parts = [hashes[at : at + ENCODED] for at in range(0, len(hashes), ENCODED)]
        leaves = [None if each == UNKNOWN else decoded(each)[0] for each in parts]
        if len(leaves) >= CHUNK or int(first) % CHUNK:
            raise damage("the cut of its tree is not as it is written")
        return leaves if int(first) == chunk * CHUNK else []

    def edges(self, chunk: int) -> list[Edge]:
        """The signed sizes among the leaves of a chunk."""
        return edges(self.text(at_key(chunk)) or "")

    def newest_edge(self) -> Edge | None:
        key = self.last_key("tree/at/")
        found = edges(self.text(key) or "") if key is not None else []
        return max(found, key=lambda edge: edge.size, default=None)


def _end(prefix: str) -> str:
    """The first text after all that begin so."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _text(raw: object) -> str:
    try:
        return bytes(raw).decode("ascii")  # type: ignore[call-overload, no-any-return]
    except (TypeError, UnicodeDecodeError):
        raise damage("a row of its tree is not as it is written") from None


def chunk_of(key: str) -> int:
    """The number at the end of a key. Raises sqlite3.DatabaseError."""
    last = key.rpartition("/")[2]
    if not re.fullmatch(r"[0-9]{16}", last, re.ASCII):
        raise damage("a row of its tree is not as it is written")
    return int(last)
