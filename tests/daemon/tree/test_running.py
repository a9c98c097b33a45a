"""A running table signs its tree: what it publishes verifies with a library alone, over restarts and removal."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import shutil
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pitwatch.daemon import cli
from pitwatch.daemon.journal import Journal, proofs
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.tlog import checkpoint, merkle
from pitwatch.daemon.tlog.note import Key
from pitwatch.hal.sim import SimClock
from tests.daemon.tree.growing import TABLE

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

ROOT = Path(__file__).parents[3]
ORIGIN = "house.example/pitwatch/toledo/RL-07"


def by_library(public, data, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


async def run(path, boot: str, count: int) -> list[dict]:
    """A run of a daemon's journal; returns the checkpoints it made."""
    journal = Journal(path, SimClock(), boot)
    signing = Checkpoints(journal, SimClock(), TABLE, "house.example")
    before = journal.last
    journal.start()
    signing.start()
    for n in range(count):
        journal.append("observation", "observation/wheel", n, {"n": n})
        if n % 500 == 0:
            await asyncio.sleep(0.02)
    await signing.stop()
    await journal.close()
    with closing(Store(path, read_only=True)) as store:
        return [json.loads(record.body) for record in store.of_kind("checkpoint", before)]


async def test_what_runs_publish_is_one_log_that_only_grows(tmp_path, capsys):
    path = tmp_path / "j.db"
    made = []
    for boot, count in (("first", 1_500), ("second", 3), ("third", 2_700)):
        made += await run(path, boot, count)
    assert len(made) >= 3
    key = Key.of_der(ORIGIN, made[0]["key"])
    heads = [checkpoint.opened(each["note"], key, by_library)[0] for each in made]
    assert [head.size for head in heads] == [each["sequence"] for each in made]
    with closing(Store(path, read_only=True)) as store:
        for old, new in pairwise(heads):
            path_ = proofs.consistency(store, old.size, new.size)
            merkle.verify_consistency(old.size, old.root, new.size, new.root, path_)
        for record, hash_ in store.records():
            head = next((each for each in heads if each.size >= record.seq), None)
            if head is not None and record.seq % 37 == 1:
                proof = proofs.inclusion(store, record.seq, head.size)
                merkle.verify_inclusion(record.seq - 1, head.size, merkle.leaf_hash(hash_), proof, head.root)
    assert cli.main(["journal", "verify", str(path)]) == 0
    assert f"the root that {len(made)} of the notes sign" in capsys.readouterr().out
    assert cli.main(["journal", "verify", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == len(made)


async def test_the_line_of_before_is_still_signed(tmp_path):
    (made,) = await run(tmp_path / "j.db", "first", 10)
    line = f"pitwatch-checkpoint-v1 {TABLE} {made['first']} {made['sequence']} {made['hash']}\n"
    public = base64.b64decode(made["key"])[-32:]
    assert by_library(public, line.encode(), base64.b64decode(made["signature"]))


WRITES = """
import sys
from pathlib import Path
from tests.daemon.tree.growing import board, opened, sign, watched
store = opened(Path(sys.argv[1]))
store._db.execute("PRAGMA synchronous = FULL")
signer = board(Path(sys.argv[1]))
print("begun", flush=True)
while True:
    watched(store, 83, once=41)
    sign(store, signer)
    store.remove(store.last - 400, 500)
"""


def test_a_kill_at_any_moment_leaves_chain_and_tree_together(tmp_path):
    """What a transaction wrote is there whole, or not at all."""
    path = tmp_path / "j.db"
    chosen = random.Random(1)
    heads: dict[int, bytes] = {}
    key = None
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITES, path], cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            time.sleep(chosen.uniform(0.05, 0.4))
            process.kill()
        with closing(Store(path, read_only=True)) as store:
            if store.last == 0:
                continue
            for record in store.of_kind("checkpoint"):
                said = json.loads(record.body)
                key = key or Key.of_der(said["note"].split("\n")[0], said["key"])
                head, _ = checkpoint.opened(said["note"], key, by_library)
                assert heads.setdefault(head.size, head.root) == head.root
            now = proofs.root(store, store.last)
            for size, root in heads.items():
                merkle.verify_consistency(size, root, store.last, now, proofs.consistency(store, size, store.last))
        found = verify(path).fault
        assert found is None or "no signed record says why" in found
    assert len(heads) > 3
    assert not list(tmp_path.glob("*.damaged*"))
