"""A journal goes back to the version without a tree and comes forward again, and nothing is lost or contradicted.

The version before is taken from the project's history, where that is there.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import shutil
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.tlog import merkle
from tests.daemon.burglar import altered
from tests.daemon.tree.growing import Rfc, board, opened, sign, watched
from tests.daemon.tree.test_tree import agree

ROOT = Path(__file__).parents[3]
BEFORE = "91c87eec99828988a2d9b057bdad25a32c9c1ca2"
"""The last commit whose journal has no tree."""

DATA = Path(__file__).with_name("before.db.gz")
"""A journal that it wrote: 1,200 records, 2 checkpoints, the first 300 removed."""

WRITER = """
import asyncio, json, sys
from pathlib import Path
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
path, count, removed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
assert not any("tlog" in name for name in sys.modules)
async def run():
    journal = Journal(path, SimClock(), "before")
    signing = Checkpoints(journal, SimClock(), "toledo/RL-07")
    began = journal.begun
    journal.start()
    signing.start()
    for n in range(count):
        journal.append("observation", "observation/wheel", n, {"n": n})
        if n % 500 == 0:
            await asyncio.sleep(0.02)
    await signing.stop()
    await journal.close()
    return began
began = asyncio.run(run())
store = Store(path)
store.write([], store.last)
while store.pruned < removed:
    store.remove(removed, 500)
print(json.dumps({"set_aside": began is not None, "fault": store.fault(), "last": store.last, "pruned": store.pruned,
    "verified": verify(path).fault if not removed else None}))
"""


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """Run the version before on a journal: so many more records, and removal up to there."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    made = subprocess.run(["git", "-C", ROOT, "archive", BEFORE], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("the project's history is not here")
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as tar:
        tar.extractall(folder, filter="fully_trusted")

    def run(path: Path, count: int, removed: int = 0) -> dict:
        command = [sys.executable, "-c", WRITER, str(path), str(count), str(removed)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def caught_up(path: Path) -> Store:
    store = opened(path)
    while store.behind:
        store.extend()
    return store


@pytest.mark.parametrize("removed", [0, 900, 2_300, 2_500])
def test_a_journal_goes_back_and_comes_forward_again(tmp_path, before, removed):
    """Removed meanwhile: nothing, what the tree had, a part of the 256 at which it stood, and what it never had."""
    path = tmp_path / "j.db"
    signer = board(path)
    store, rfc, signed = opened(path), Rfc(), []
    for count in (700, 600, 900, 77):
        watched(store, count)
        signed.append(store.last)
        sign(store, signer)
        rfc.follow(store)
    assert signed == [700, 1_301, 2_202, 2_280]
    if removed:
        store.remove(400, 500)
    last = store.last
    store.close()
    told = before(path, 300, removed)
    assert not told["set_aside"]
    assert told["fault"] is None
    assert told["verified"] is None
    assert told["last"] > last + 300
    assert not list(tmp_path.glob("*.damaged*"))
    store = caught_up(path)
    again = Rfc(rfc.leaves[: signed[-1]])
    again.follow(store)
    signed.append(store.last)
    sign(store, signer)
    watched(store, 500)
    signed.append(store.last)
    sign(store, signer)
    again.follow(store)
    if removed > 2_280:
        signed.remove(2_202)  # of the 256 records after it nobody knows the first hashes any more; the newest stays
    agree(store, again, signed, random.Random(1), after=-(-removed // 256) * 256)
    store.close()
    found = verify(path, signer.public)
    assert found.fault is None or "no signed record says why" in found.fault


def test_what_the_version_before_wrote_is_upgraded_in_place(tmp_path):
    path = tmp_path / "j.db"
    path.write_bytes(gzip.decompress(DATA.read_bytes()))
    verdict = verify(path)
    assert (verdict.fault, verdict.first, verdict.notes) == (None, 301, 0)
    store, rfc = caught_up(path), Rfc()
    for _ in range(300):
        rfc.add(merkle.leaf_hash(bytes(32)))
    rfc.follow(store)
    signed = [store.last]
    sign(store)
    watched(store, 400)
    rfc.follow(store)
    agree(store, rfc, signed, random.Random(1))
    store.close()
    assert not list(tmp_path.glob("*.damaged*"))


def test_the_version_before_takes_over_the_tree_where_it_sets_a_journal_aside(tmp_path, before):
    """Its rows are among those that it carries over."""
    path = tmp_path / "j.db"
    before(path, 10)
    store = caught_up(path)
    watched(store, 900)
    sign(store, board(path))
    store.close()
    rows = tree_rows(path)
    altered(path, "UPDATE record SET body = 'x' WHERE seq = 880")
    assert before(path, 10)["set_aside"]
    assert len(list(tmp_path.glob("*.damaged*"))) >= 1
    assert tree_rows(path) == rows
    caught_up(path).close()


def tree_rows(path: Path) -> list[tuple[str, str]]:
    with closing(Store(path, read_only=True)) as store:
        return store._db.execute("SELECT subtopic, body FROM newest WHERE kind = 'tree'").fetchall()
