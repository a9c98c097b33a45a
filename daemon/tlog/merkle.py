"""Merkle trees as RFC 6962 section 2.1 defines them: hashes, a tree that only grows, proofs and their verification.

A complete subtree is named by `level` and `index`: it covers the leaves from `index << level` on, `1 << level` of them.
Its hash never changes once it is complete. Every hash has 32 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

HASH_BYTES = 32

EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""

Subtree = Callable[[int, int], bytes]
"""Gives the hash of the complete subtree of a level and index. It may raise whatever tells that it cannot."""

Seen = Callable[[int, int, bytes], None]
"""Is called with level, index and hash of a subtree that is complete now."""


class ProofError(ValueError):
    """A proof does not prove what it should; one line."""


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf that holds the data."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two others."""
    return sha256(b"\1" + left + right).digest()


def peaks(size: int) -> list[tuple[int, int]]:
    """Level and index of the complete subtrees, largest first, into which a tree of a size falls apart."""
    return cover(0, size)


def cover(begin: int, end: int) -> list[tuple[int, int]]:
    """Level and index of the fewest complete subtrees that cover the leaves from `begin` to `end`, without `end`."""
    found = []
    while begin < end:
        level = (end - begin).bit_length() - 1
        if begin:
            level = min(level, (begin & -begin).bit_length() - 1)
        found.append((level, begin >> level))
        begin += 1 << level
    return found


class Tree:
    """A tree that only grows: its size, and the hashes of its complete subtrees, about log2(size) of them."""

    __slots__ = ("_hashes", "_size")

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()):
        """`hashes`: those of `peaks(size)`. Raises ValueError if there are more or fewer."""
        if size < 0 or len(hashes) != size.bit_count() or any(len(each) != HASH_BYTES for each in hashes):
            raise ValueError(f"a tree of {size} leaves does not consist of these {len(hashes)} subtrees")
        self._size = size
        self._hashes = list(hashes)

    @classmethod
    def at(cls, size: int, subtree: Subtree) -> Tree:
        """A tree as it was at a size, of subtrees that somebody kept. Raises what `subtree` raises."""
        return cls(size, [subtree(level, index) for level, index in peaks(size)])

    @classmethod
    def from_bytes(cls, state: bytes) -> Tree:
        """A tree as `to_bytes` gave it. Raises ValueError for anything else."""
        if len(state) < 8 or len(state) % HASH_BYTES != 8:
            raise ValueError(f"{len(state)} bytes are not the state of a tree")
        hashes = [state[at : at + HASH_BYTES] for at in range(8, len(state), HASH_BYTES)]
        return cls(int.from_bytes(state[:8], "big"), hashes)

    def to_bytes(self) -> bytes:
        """Size (8 bytes, big-endian) and the hashes of `peaks(size)`."""
        return self._size.to_bytes(8, "big") + b"".join(self._hashes)

    def copy(self) -> Tree:
        return Tree(self._size, self._hashes)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return self._size

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """Those of `peaks(size)`."""
        return tuple(self._hashes)

    def append(self, leaf: bytes, seen: Seen | None = None) -> None:
        """Add a leaf by its hash. `seen` is called for each subtree that it completes, itself first."""
        level, index, hashes = 0, self._size, self._hashes
        if seen is not None:
            seen(0, index, leaf)
        while index & 1:
            leaf = sha256(b"\1" + hashes.pop() + leaf).digest()
            level += 1
            index >>= 1
            if seen is not None:
                seen(level, index, leaf)
        hashes.append(leaf)
        self._size += 1

    def root(self) -> bytes:
        """The hash over all leaves."""
        return _folded(self._hashes) if self._hashes else EMPTY


def root(size: int, subtree: Subtree) -> bytes:
    """The root of a tree as it was at a size. Raises what `subtree` raises."""
    return Tree.at(size, subtree).root()


def inclusion_path(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """The proof that the leaf of an index, from 0, is in the tree of a size. Raises ProofError where there is no such
    leaf, and what `subtree` raises."""
    if not 0 <= index < size:
        raise ProofError(f"there is no leaf {index} in a tree of {size} leaves")
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _left(end - begin)
        if index < middle:
            path.append(_range(middle, end, subtree))
            end = middle
        else:
            path.append(_range(begin, middle, subtree))
            begin = middle
    return path[::-1]


def consistency_path(old_size: int, new_size: int, subtree: Subtree) -> list[bytes]:
    """The proof that a tree of the new size begins with the tree of the old size. Raises ProofError if the old size is
    larger, and what `subtree` raises."""
    if not 0 <= old_size <= new_size:
        raise ProofError(f"a tree of {old_size} leaves does not grow to {new_size}")
    path: list[bytes] = []
    if old_size in (0, new_size):
        return path
    begin, end = 0, new_size
    while end != old_size:
        middle = begin + _left(end - begin)
        if old_size <= middle:
            path.append(_range(middle, end, subtree))
            end = middle
        else:
            path.append(_range(begin, middle, subtree))
            begin = middle
    if begin:  # else the hash of this part is the old root, which the verifier has
        path.append(_range(begin, end, subtree))
    return path[::-1]


def verify_inclusion(index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> None:
    """Raises ProofError unless the path proves that the leaf of this hash stands at the index in the tree of this size
    and root (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        raise ProofError(f"there is no leaf {index} in a tree of {size} leaves")
    _hashes(path, leaf, root)
    node, last = index, size - 1
    found = leaf
    for each in path:
        if not last:
            raise ProofError("the inclusion proof is too long")
        if node & 1 or node == last:
            found = node_hash(each, found)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            found = node_hash(found, each)
        node >>= 1
        last >>= 1
    if last:
        raise ProofError("the inclusion proof is too short")
    if found != root:
        raise ProofError(f"leaf {index} is not in the tree of {size} leaves with this root")


def verify_consistency(old_size: int, old_root: bytes, new_size: int, new_root: bytes, path: Sequence[bytes]) -> None:
    """Raises ProofError unless the path proves that the new tree begins with the old one (RFC 9162 section 2.1.4.2)."""
    if not 0 <= old_size <= new_size:
        raise ProofError(f"a tree of {old_size} leaves does not grow to {new_size}")
    _hashes(path, old_root, new_root)
    if not old_size and old_root != EMPTY:
        raise ProofError("the root of the empty tree is another")
    if old_size == new_size and old_root != new_root:
        raise ProofError(f"two trees of {old_size} leaves have different roots")
    if old_size in (0, new_size):
        if path:
            raise ProofError("the consistency proof is too long")
        return
    whole = old_size & (old_size - 1) == 0
    if not whole and not path:
        raise ProofError("the consistency proof is too short")
    first, rest = (old_root, path) if whole else (path[0], path[1:])
    node, last = old_size - 1, new_size - 1
    while node & 1:
        node >>= 1
        last >>= 1
    old = new = first
    for each in rest:
        if not last:
            raise ProofError("the consistency proof is too long")
        if node & 1 or node == last:
            old, new = node_hash(each, old), node_hash(each, new)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            new = node_hash(new, each)
        node >>= 1
        last >>= 1
    if last:
        raise ProofError("the consistency proof is too short")
    if old != old_root or new != new_root:
        raise ProofError(f"the tree of {new_size} leaves does not begin with the tree of {old_size} leaves")


def _left(count: int) -> int:
    """The largest power of two below a count of leaves: how many are on the left."""
    return 1 << (count - 1).bit_length() - 1


def _range(begin: int, end: int, subtree: Subtree) -> bytes:
    """The hash over some of the leaves, `begin` being where a proof may divide a tree."""
    return _folded([subtree(level, index) for level, index in cover(begin, end)])


def _folded(hashes: Sequence[bytes]) -> bytes:
    found = hashes[-1]
    for each in hashes[-2::-1]:
        found = node_hash(each, found)
    return found


def _hashes(path: Sequence[bytes], *others: bytes) -> None:
    if any(len(each) != HASH_BYTES for each in (*path, *others)):
        raise ProofError("a hash in the proof does not have 32 bytes")
