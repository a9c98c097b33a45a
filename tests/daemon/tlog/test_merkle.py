"""RFC 6962 trees: the published roots and proofs, and for trees of every shape what the RFC's own recursion gives."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.merkle import ProofError, Tree

# The eight leaves and the roots that certificate transparency logs are tested with.
LEAVES = [
    bytes.fromhex(each)
    for each in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
A = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
B = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
C = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
D = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
E = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
INCLUSION = [
    (0, 1, []),
    (0, 8, [A, B, C]),
    (5, 8, [D, E, ROOTS[4]]),
    (2, 3, [ROOTS[2]]),
    (1, 5, [ROOTS[1], B, D]),
]
CONSISTENCY = [
    (1, 1, []),
    (1, 8, [A, B, C]),
    (6, 8, ["0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a", E, ROOTS[4]]),
    (2, 5, [B, D]),
]


class Kept:
    """Every complete subtree of a tree, as a store would keep it."""

    def __init__(self, leaves):
        self.nodes = {}
        self.tree = Tree()
        self.roots = [self.tree.root()]
        for leaf in leaves:
            self.tree.append(leaf, self._seen)
            self.roots.append(self.tree.root())

    def _seen(self, level, index, found):
        assert (level, index) not in self.nodes
        self.nodes[level, index] = found

    def __call__(self, level, index):
        return self.nodes[level, index]


@pytest.fixture(scope="module")
def published():
    return Kept([merkle.leaf_hash(each) for each in LEAVES])


def test_roots_are_those_that_are_published(published):
    assert [each.hex() for each in published.roots] == ROOTS
    assert [merkle.root(size, published).hex() for size in range(9)] == ROOTS


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_inclusion_proofs_are_those_that_are_published(published, index, size, path):
    made = merkle.inclusion_path(index, size, published)
    assert [each.hex() for each in made] == path
    merkle.verify_inclusion(index, size, merkle.leaf_hash(LEAVES[index]), made, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCY)
def test_consistency_proofs_are_those_that_are_published(published, old, new, path):
    made = merkle.consistency_path(old, new, published)
    assert [each.hex() for each in made] == path
    merkle.verify_consistency(old, bytes.fromhex(ROOTS[old]), new, bytes.fromhex(ROOTS[new]), made)


# RFC 6962 section 2.1, word for word.


def naive_root(leaves):
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = half(len(leaves))
    return sha256(b"\1" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


def naive_path(m, leaves):
    if len(leaves) == 1:
        return []
    k = half(len(leaves))
    if m < k:
        return [*naive_path(m, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_path(m - k, leaves[k:]), naive_root(leaves[:k])]


def naive_proof(m, leaves, whole=True):
    if m == len(leaves):
        return [] if whole else [naive_root(leaves)]
    k = half(len(leaves))
    if m <= k:
        return [*naive_proof(m, leaves[:k], whole), naive_root(leaves[k:])]
    return [*naive_proof(m - k, leaves[k:], False), naive_root(leaves[:k])]


def half(count):
    k = 1
    while 2 * k < count:
        k *= 2
    return k


def leaves_of(count):
    return [merkle.leaf_hash(b"%d" % each) for each in range(count)]


@given(st.integers(0, 300), st.data())
def test_a_tree_of_any_size_is_that_of_the_recursion(size, data):
    leaves = leaves_of(size)
    kept = Kept(leaves)
    assert kept.tree.root() == naive_root(leaves)
    old = data.draw(st.integers(0, size))
    assert merkle.root(old, kept) == kept.roots[old] == naive_root(leaves[:old])
    proof = merkle.consistency_path(old, size, kept)
    if old:
        assert proof == naive_proof(old, leaves)
    merkle.verify_consistency(old, kept.roots[old], size, kept.roots[size], proof)
    if size:
        index = data.draw(st.integers(0, size - 1))
        path = merkle.inclusion_path(index, size, kept)
        assert path == naive_path(index, leaves)
        merkle.verify_inclusion(index, size, leaves[index], path, kept.roots[size])


@given(st.integers(0, 1 << 40), st.integers(0, 1 << 40))
def test_a_cover_is_complete_and_without_gap(one, other):
    begin, end = sorted((one, other))
    at = begin
    for level, index in merkle.cover(begin, end):
        assert index << level == at
        at += 1 << level
    assert at == end
    assert len(merkle.cover(begin, end)) <= 2 * max(end.bit_length(), 1)


@given(st.integers(0, 2_000), st.integers(0, 50))
def test_a_tree_goes_on_from_its_state_in_little_memory(size, more):
    tree = Tree()
    for leaf in leaves_of(size):
        tree.append(leaf)
    state = tree.to_bytes()
    assert len(state) == 8 + 32 * size.bit_count()
    again = Tree.from_bytes(state)
    apart = tree.copy()
    for each in range(more):
        for one in (tree, again):
            one.append(merkle.leaf_hash(b"more %d" % each))
    assert again.root() == tree.root()
    assert again.size == size + more
    assert apart.to_bytes() == state


@pytest.mark.parametrize("state", [b"", bytes(7), bytes(9), bytes(40), (3).to_bytes(8, "big") + bytes(32)])
def test_what_is_no_state_of_a_tree_is_refused(state):
    with pytest.raises(ValueError, match="tree"):
        Tree.from_bytes(state)


def refuses_inclusion(*arguments):
    with pytest.raises(ProofError):
        merkle.verify_inclusion(*arguments)
    return True


def refuses_consistency(*arguments):
    with pytest.raises(ProofError):
        merkle.verify_consistency(*arguments)
    return True


@given(st.integers(1, 70), st.data())
def test_a_changed_inclusion_proof_is_refused(size, data):
    leaves = leaves_of(size)
    kept = Kept(leaves)
    index = data.draw(st.integers(0, size - 1))
    path, root, leaf = merkle.inclusion_path(index, size, kept), kept.roots[size], leaves[index]
    for other in range(size + 2):
        assert other == index or refuses_inclusion(other, size, leaf, path, root)
    assert refuses_inclusion(-1, size, leaf, path, root)
    assert refuses_inclusion(index, size, leaf, path, kept.roots[size - 1])
    assert refuses_inclusion(index, size, merkle.leaf_hash(b"another"), path, root)
    assert refuses_inclusion(index, size, leaf, [*path, root], root)
    assert refuses_inclusion(index, size, leaf[:31], path, root)
    for each in range(len(path)):
        assert refuses_inclusion(index, size, leaf, [*path[:each], bytes(32), *path[each + 1 :]], root)
        assert refuses_inclusion(index, size, leaf, [*path[:each], *path[each + 1 :]], root)
        assert refuses_inclusion(index, size, leaf, [*path[:each], path[each] + b"\0", *path[each + 1 :]], root)


@given(st.integers(1, 70), st.data())
def test_a_changed_consistency_proof_is_refused(size, data):
    kept = Kept(leaves_of(size))
    old = data.draw(st.integers(1, size))
    path, roots = merkle.consistency_path(old, size, kept), kept.roots
    assert refuses_consistency(old, bytes(32), size, roots[size], path)
    assert refuses_consistency(old, roots[old], size, bytes(32), path)
    assert refuses_consistency(size, roots[size], old, roots[old], path) if old != size else True
    assert refuses_consistency(old, roots[old], size, roots[size], [*path, roots[old]])
    for other in range(1, size + 1):
        assert other == old or refuses_consistency(other, roots[old], size, roots[size], path)
    for each in range(len(path)):
        assert refuses_consistency(old, roots[old], size, roots[size], [*path[:each], bytes(32), *path[each + 1 :]])
        assert refuses_consistency(old, roots[old], size, roots[size], [*path[:each], *path[each + 1 :]])


def test_the_empty_tree_has_one_root_and_needs_no_proof():
    kept = Kept(leaves_of(5))
    merkle.verify_consistency(0, merkle.EMPTY, 5, kept.roots[5], [])
    assert refuses_consistency(0, bytes(32), 5, kept.roots[5], [])
    assert refuses_consistency(0, merkle.EMPTY, 5, kept.roots[5], [bytes(32)])
    assert refuses_consistency(0, merkle.EMPTY, 0, bytes(32), [])


def test_a_proof_of_what_is_not_there_is_not_made():
    kept = Kept(leaves_of(5))
    for index, size in ((5, 5), (-1, 5), (0, 0)):
        with pytest.raises(ProofError, match="there is no leaf"):
            merkle.inclusion_path(index, size, kept)
    with pytest.raises(ProofError, match="does not grow"):
        merkle.consistency_path(5, 4, kept)
