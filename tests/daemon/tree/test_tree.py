"""The journal's tree is that of RFC 6962 over its records, whatever is written, removed, and opened again."""

from __future__ import annotations

import random
import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.store import DamagedError, Store
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.merkle import ProofError
from tests.daemon.burglar import altered
from tests.daemon.tree.growing import Rfc, opened, seen, sign, watched


def agree(store: Store, rfc: Rfc, signed: list[int], chosen: random.Random, after: int = 0) -> None:
    """Every proof that must be there is right: of kept records after one, and from every size that was signed."""
    last = store.last
    assert proofs.root(store, last) == rfc.roots[last]
    for size in signed:
        assert proofs.root(store, size) == rfc.roots[size]
        path = proofs.consistency(store, size, last)
        merkle.verify_consistency(size, rfc.roots[size], last, rfc.roots[last], path)
        for between in chosen.sample(signed, min(len(signed), 3)):
            if between >= size:
                path = proofs.consistency(store, size, between)
                merkle.verify_consistency(size, rfc.roots[size], between, rfc.roots[between], path)
    kept = range(max(store.pruned, after) + 1, last + 1)
    for seq in chosen.sample(kept, min(len(kept), 8)):
        for size in {last, *(each for each in signed[-3:] if each >= seq)}:
            path = proofs.inclusion(store, seq, size)
            merkle.verify_inclusion(seq - 1, size, proofs.leaf(store.one(seq)[1]), path, rfc.roots[size])


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("watch"), st.integers(1, 700)),
        st.tuples(st.just("sign"), st.just(0)),
        st.tuples(st.just("remove"), st.integers(1, 900)),
        st.tuples(st.just("open"), st.just(0)),
    ),
    min_size=3,
    max_size=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(STEPS, st.randoms(use_true_random=False))
def test_whatever_is_written_removed_and_opened_again_every_proof_is_right(tmp_path_factory, steps, chosen):
    path = tmp_path_factory.mktemp("tree") / "j.db"
    store, rfc, signed = opened(path), Rfc(), []
    for step, count in steps:
        if step == "watch":
            watched(store, count, once=chosen.choice((1, 97, 300)))
        elif step == "sign":
            signed.append(store.last)
            sign(store)
        elif step == "remove":
            store.write([], store.last)
            store.remove(store.pruned + count, 500)
        else:
            store.close()
            store = opened(path)
        rfc.follow(store)
    agree(store, rfc, signed, chosen)
    store.close()
    reader = Store(path, read_only=True)
    agree(reader, rfc, signed, chosen)
    reader.close()


def test_a_long_journal_keeps_few_hashes_and_all_proofs(tmp_path):
    store, rfc, signed = opened(tmp_path / "j.db"), Rfc(), []
    while store.last < 70_000:
        watched(store, 990, once=990)
        signed.append(store.last)
        sign(store)
        store.write([], store.last)
        while store.pruned < store.last - 3_000:
            store.remove(store.last - 3_000, 500)
        rfc.follow(store)
    agree(store, rfc, signed, random.Random(1))
    rows = dict(store._db.execute("SELECT subtopic, length(body) FROM newest WHERE kind = 'tree'"))
    assert {"tree/08/" + "0" * 16, "tree/08/" + "0" * 15 + "1", "tree/16/" + "0" * 16} <= set(rows)
    assert sum(rows.values()) < store.last  # less than a byte a record
    assert len(store._grown.tree.hashes) <= 17


def test_what_is_not_there_is_not_proven(tmp_path):
    store = opened(tmp_path / "j.db")
    watched(store, 1_000)
    store.remove(600, 600)
    for seq, size in ((600, 1_000), (1_001, 1_000), (1_000, 999), (700, 1_001), (0, 1_000)):
        with pytest.raises(ProofError):
            proofs.inclusion(store, seq, size)
    with pytest.raises(ProofError, match="not kept"):
        proofs.consistency(store, 300, 1_000)  # removed, and never signed
    for old, new in ((700, 1_001), (700, 600), (-1, 700)):
        with pytest.raises(ProofError):
            proofs.consistency(store, old, new)
    assert proofs.consistency(store, 512, 1_000)  # a size at which complete subtrees end


@pytest.mark.parametrize("removed", [1, 255, 256, 300, 512, 2_000])
@pytest.mark.parametrize("more", [0, 5, 600, 5_000])
def test_a_journal_from_before_gets_its_tree_from_its_records(tmp_path, removed, more):
    path = tmp_path / "j.db"
    store = opened(path)
    watched(store, removed + more, once=2_000)
    while store.pruned < removed:
        store.remove(removed, 500)
    store.close()
    altered(path, "DELETE FROM newest WHERE kind = 'tree'")
    store, rfc = opened(path), Rfc()
    rfc.follow(store)
    while store.behind:
        store.extend()
    watched(store, 300)
    signed = [store.last]
    sign(store)
    watched(store, 300)
    rfc.follow(store)
    while len(rfc.leaves) < store.last:
        rfc.add(merkle.leaf_hash(bytes(32)))
    agree(store, rfc, signed, random.Random(1))
    store.close()
    store = opened(path)
    agree(store, rfc, signed, random.Random(2))
    store.remove(store.last - 20, 5_000)
    agree(store, rfc, signed, random.Random(3))


def test_what_the_disk_refuses_leaves_the_tree_as_it_was(tmp_path):
    store, rfc = opened(tmp_path / "j.db"), Rfc()
    watched(store, 500)
    with pytest.raises(sqlite3.Error, match="gapless"):
        store.write([seen(501), seen(503)], 0)
    watched(store, 500)
    rfc.follow(store)
    assert proofs.root(store, 1_000) == rfc.roots[1_000]


def refused(path):
    with pytest.raises(DamagedError) as told:
        Store(path)
    return str(told.value)


@pytest.mark.parametrize("removed", [0, 700, 1_500])
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM newest WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("DELETE FROM newest WHERE kind = 'tree'", "tree"),
        ("UPDATE newest SET body = 'x' WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("UPDATE newest SET body = substr(body, 45) WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("UPDATE newest SET body = body || body WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("UPDATE newest SET body = 1 WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("UPDATE newest SET subtopic = 'tree/08/x' WHERE subtopic LIKE 'tree/08/%'", "tree"),
        ("INSERT INTO newest VALUES ('tree/base', 0, '', 0, 0, 0, 'tree', 0, '1024')", "tree"),
    ],
)
def test_a_tree_that_was_tampered_with_is_not_gone_on_with(tmp_path, removed, statement, told):
    path = tmp_path / "j.db"
    store = opened(path)
    watched(store, 2_000)
    sign(store)
    watched(store, 100)
    while store.pruned < removed:
        store.remove(removed, 500)
    store.close()
    altered(path, statement)
    if not removed and "DELETE" in statement:  # the records are all there, and so is the tree
        store, rfc = opened(path), Rfc()
        rfc.follow(store)
        while store.behind:
            store.extend()
        assert proofs.root(store, 2_000) == rfc.roots[2_000]
        return
    assert told in refused(path)
