"""A journal that is set aside hands on its tree: what was published stays true, whatever was damaged or forged."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from contextlib import closing

import pytest

from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.holding import Hold
from pitwatch.daemon.journal.opening import open_journal
from pitwatch.daemon.journal.rescue import set_aside
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.statements import noted
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from tests.daemon.burglar import altered, closed, unguarded
from tests.daemon.tree.growing import board, opened, sign, watched

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

ANEW = "begun anew"


def grown(path, delivered: int) -> list[Checkpoint]:
    """2,000 records and more, three times signed; returns what was published."""
    signer = board(path)
    store = opened(path)
    heads = []
    for count in (800, 700, 500):
        watched(store, count, delivered=False)
        heads.append(noted(sign(store, signer)))
    watched(store, 40, delivered=False)
    store.write([], delivered)
    store.close()
    return heads


def started(path) -> Store:
    """The journal as the next start finds it, or makes it."""
    hold = Hold(path)
    try:
        found = open_journal(path, hold, Signer(key_path(path)))
        assert found.store is not None
        return found.store
    finally:
        hold.release()


def served(path) -> None:
    started(path).close()


def true_still(store: Store, heads: list[Checkpoint]) -> None:
    watched(store, 700, delivered=False)
    root = proofs.root(store, store.last)
    for head in heads:
        path = proofs.consistency(store, head.size, store.last)
        merkle.verify_consistency(head.size, head.root, store.last, root, path)


@pytest.mark.parametrize("delivered", [0, 700, 1_500, 1_536, 2_003])
@pytest.mark.parametrize("removed", [0, 300])
@pytest.mark.parametrize("body", ["{}", None])
def test_a_damaged_record_costs_no_head_that_was_acknowledged(tmp_path, caplog, delivered, removed, body):
    path = tmp_path / "j.db"
    heads = grown(path, delivered)
    if removed and delivered >= removed:
        with closing(opened(path)) as store:
            store.remove(removed, 500)
    served(path)
    lost = 2_020
    altered(
        path,
        f"UPDATE record SET body = '{body}' WHERE seq = {lost}" if body else f"DELETE FROM record WHERE seq = {lost}",
    )
    store = started(path)
    assert list(tmp_path.glob("*.damaged*"))
    assert store.pruned == delivered
    assert ANEW not in caplog.text
    true_still(store, heads)  # the record that is lost comes after the last of them
    store.close()
    found = verify(path, Signer(key_path(path)).public)
    assert found.fault is None or "no signed record says why" in found.fault
    served(path)


def test_what_is_forged_after_the_last_signature_does_not_change_the_tree_before(tmp_path, caplog):
    path = tmp_path / "j.db"
    heads = grown(path, 2_003)
    served(path)
    db = unguarded(path)
    db.execute("DELETE FROM record WHERE seq > 1502")
    db.execute("DELETE FROM newest WHERE seq > 1502 OR kind = 'tree'")
    db.execute("UPDATE mark SET delivered = 1502")
    closed(db)
    with closing(opened(path)) as store:
        watched(store, 2_500, delivered=True)
    store = started(path)
    assert list(tmp_path.glob("*.damaged*"))
    assert ANEW not in caplog.text
    true_still(store, heads[1:2])  # the third was taken away with its records, and what was kept of the first
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM newest WHERE kind = 'tree'",
        "UPDATE newest SET body = substr(body, 45) || substr(body, 1, 44) WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = 'x' WHERE kind = 'tree'",
    ],
)
def test_a_tree_that_is_not_what_was_signed_is_begun_anew_and_said_so(tmp_path, caplog, statement):
    path = tmp_path / "j.db"
    grown(path, 2_003)
    with closing(opened(path)) as store:
        store.remove(300, 500)
    served(path)
    altered(path, statement)
    store = started(path)
    assert list(tmp_path.glob("*.damaged*"))
    assert ANEW in caplog.text or "DELETE" in statement
    watched(store, 700)
    sign(store, Signer(key_path(path)))
    store.close()
    found = verify(path, Signer(key_path(path)).public)
    assert found.fault is None or "no signed record says why" in found.fault
    assert found.notes == 1


def test_a_file_that_was_destroyed_begins_a_tree_anew(tmp_path, caplog):
    caplog.set_level(logging.ERROR)
    path = tmp_path / "j.db"
    grown(path, 2_003)
    served(path)
    with closing(opened(path)) as store:
        store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.write(os.urandom(8_192))
    store = started(path)
    watched(store, 300)
    sign(store, Signer(key_path(path)))
    watched(store, 300)
    store.close()
    found = verify(path, Signer(key_path(path)).public)
    assert found.notes == 1


def test_a_file_that_was_removed_while_it_was_open_hands_its_tree_on(tmp_path):
    path = tmp_path / "j.db"
    heads = grown(path, 2_003)
    store = opened(path)
    with contextlib.suppress(FileNotFoundError):
        for suffix in ("", "-wal", "-shm"):
            os.unlink(f"{path}{suffix}")
    rescued = set_aside(path, "was removed", {}, 2_003, store.last, removed=store)
    true_still(rescued.store, heads)
    rescued.store.close()
