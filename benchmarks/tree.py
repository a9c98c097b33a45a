"""What the Merkle tree costs the journal: a record and a checkpoint, beside the same journal without it, and how long
an older journal waits for its tree.

Processor time, so that neither the disk nor other programs count; of a checkpoint, which openssl signs, elapsed time.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.figure import Figure, median, say
from benchmarks.table import scratch
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.statements import signed, with_note
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.tree import Growing
from pitwatch.daemon.tlog.merkle import Tree

WITHOUT = "the same without the tree"
NOWHERE = Growing(Tree(1 << 62, [bytes(32)]))
"""A tree that no record is the next of: the journal is written as without one."""


def record(seq: int) -> Record:
    """An observation as a wheel's line gives it."""
    body = (
        b'{"t": %d.125, "device": "wheel", "event": "ball_settled", "data": {"pocket": "17", "revolutions": 12}}' % seq
    )
    boot = "0b5c1b1e-0000-4000-8000-000000000000"
    return Record(seq, boot, seq * 10_000_000, seq, True, "observation", "observation/wheel", False, body)


def written(path: Path, count: int, once: int, tree: bool) -> float:
    """Seconds of the processor for so many records, some at a time."""
    store = Store(path)
    store._db.execute("PRAGMA synchronous = OFF")
    if not tree:
        store._grown = NOWHERE
    records = [record(seq) for seq in range(1, count + 1)]
    begun = time.process_time()
    for first in range(0, count, once):
        store.write(records[first : first + once], 0)
    took = time.process_time() - begun
    store.close()
    return took


def _turns(runs: int, *ways: Callable[[int], float]) -> list[float]:
    """The median of each way, which take turns."""
    found: list[list[float]] = [[] for _ in ways]
    for run in range(runs):
        for values, way in zip(found, ways, strict=True):
            values.append(way(run))
    return [median(values) for values in found]


def _records(folder: Path, count: int, runs: int) -> list[Figure]:
    found = []
    for once in (1, 200):

        def way(tree: bool, once: int = once) -> Callable[[int], float]:
            return lambda run: written(folder / f"{once}-{tree}-{run}.db", count, once, tree) / count * 1e6

        with_tree, without = _turns(runs, way(True), way(False))
        found.append(Figure(f"journal_record_{once}_at_once", with_tree, "us", WITHOUT, without))
    return found


def _checkpoint(folder: Path, path: Path, runs: int) -> Figure:
    signer = Signer(folder / "bench.key")
    key = signer.prepare()
    store = Store(path, read_only=True)
    said = CheckpointData(table="bench/RL-01", first=1, sequence=store.last, hash="ab" * 32, key=key, signature="")

    def without(run: int) -> float:
        begun = time.perf_counter()
        signed(said, key, signer)
        return (time.perf_counter() - begun) * 1e3

    def noted(run: int) -> float:
        begun = time.perf_counter()
        with_note(signed(said, key, signer), "house/pitwatch/bench/RL-01", proofs.root(store, store.last), signer)
        return (time.perf_counter() - begun) * 1e3

    with_tree, line = _turns(runs * 5, noted, without)
    store.close()
    return Figure("journal_checkpoint", with_tree, "ms", WITHOUT, line)


def _upgrade(path: Path, count: int) -> Figure:
    """Of a journal from before, from its start to the last hash of its tree, beside reading its hashes alone."""
    store = Store(path)
    store._db.execute("DELETE FROM newest WHERE kind = 'tree'")
    store.close()
    begun = time.process_time()
    store = Store(path)
    while store.behind:
        store.extend()
    took = time.process_time() - begun
    begun = time.process_time()
    for _ in store._db.execute("SELECT seq, hash FROM record ORDER BY seq"):
        pass
    bare = time.process_time() - begun
    store.close()
    say(f"a tree over {count} records of before took {took:.2f} s")
    return Figure("journal_upgrade_1000_records", took / count * 1e6, "ms", "reading their hashes", bare / count * 1e6)


def figures(count: int, many: int, runs: int) -> list[Figure]:
    """Median of so many runs over `count` records; of a journal of `many` that gets its tree."""
    if shutil.which("openssl") is None:
        say("openssl is not installed: no checkpoint is signed")
    with scratch() as folder:
        found = _records(folder, count, runs)
        path = folder / "many.db"
        written(path, many, 1_000, True)
        if shutil.which("openssl") is not None:
            found.append(_checkpoint(folder, path, runs))
        return [*found, _upgrade(path, many)]
