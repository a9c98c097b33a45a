"""The power goes at every act of retention: a real daemon takes old records away while a table plays, and each of its
acts on the journal's files is one at which there may have been no more current. For tests only."""

from __future__ import annotations

import asyncio
import hashlib
from bisect import bisect_left
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.checkpoints import key_path
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
from tests.faults import shim
from tests.faults.row import Row
from tests.faults.run import Run

OLD = 40
"""Spins whose records are there to be removed; each makes ten."""

CUTS = 2
"""Cuts that are seen through to the end."""

SMALL = """\
from tests.faults.inside import bring_in
bring_in(pages=100)
shorten("pitwatch.daemon.journal.store", ROOM=200_000)
"""
"""Small files, tidied by SQLite ten times as often as it is used to, so that this happens amid retention."""

SWIFT = """\
shorten("pitwatch.daemon.journal.retention", DAY=50_000_000, FIRST=0.0, EVERY=0.5, LOOK_EVERY=0.1)
shorten("pitwatch.daemon.journal.checkpoints", LOOK_EVERY=0.1, RECORDS=200)
shorten("pitwatch.daemon.journal.writing", REMOVE_EVERY=0.02, REMOVE_ROWS=25)
shorten("pitwatch.hal.system_clock", kernel_clock_is_set=lambda: True)
"""
"""Fourteen days of 50 ms, a cut every half second, removed in portions of 25 records; and a clock that is set, whatever
this machine's is."""


def power_cut_in_retention(folder: Path, every: int) -> Row:
    """At every so many-th act on the files, from when retention says what it cuts to the end of the run, the power
    goes, in three ways: all that was not synced is there, nothing of it, or any part, by sectors, the act included.

    Each time the journal must open, verify with the board's key, begin with record 1 or where a signed cut says, and
    have every record that the subscriber had got by then but for those that were cut, and none of these may he lack."""
    with Run(folder, more=SMALL) as run:
        run.start()
        run.play(OLD, 0.005)
        run.settle()
        run.stop()
        run.settle()
        disk = shim.Disk(run.journal.read_bytes())
        run.more = SMALL + SWIFT
        run.start(environment=shim.environment(run.journal, folder / "acts"))
        while not _is_through(run):
            run.play(1, 0.02)
        run.settle()
        run.stop()
        run.settle()
        walk = _Walk(run)
        began, after = _began(run), 0
        for act in shim.acts(folder / "acts"):
            if act.wall_ns / 1e9 > began:
                if after % every == 0:
                    walk.cut(disk, act)
                after += 1
            disk.take(act)
        walk.cut(disk, None)
        assert min(walk.pruned) == 0, "it had begun before the first act"
        assert len(walk.pruned) > 10, f"nothing was under way: {walk.pruned}"
        row = run.compare("power cut at an act of retention, in three ways", walk.times, earlier=1)
        return row._replace(lost=row.lost + walk.lost)


def _cuts(run: Run) -> list[dict[str, Any]]:
    """What retention has said, in order."""
    return [e.event["data"] for e in run.ear.records() if e.topic.endswith("/retention") and not e.retained]


def _began(run: Run) -> float:
    """When retention said the first, in wall seconds."""
    return datetime.fromisoformat(_cuts(run)[0]["time"]).timestamp()


def _is_through(run: Run) -> bool:
    """Whether what was cut is removed."""
    cuts = _cuts(run)
    if len(cuts) < CUTS:
        return False
    store = Store(run.journal, read_only=True)
    try:
        return store.pruned >= cuts[CUTS - 1]["sequence"]
    finally:
        store.close()


class _Left(NamedTuple):
    """What a journal holds after a power cut: records after `pruned` up to `last`."""

    pruned: int
    last: int


class _Walk:
    """One power cut after the other on what a run did to its journal."""

    def __init__(self, run: Run):
        self._place = run.folder / "cut"
        self._place.mkdir()
        self._chance = run.chance
        self._key = Signer(key_path(run.journal)).public
        first = {e.event["sequence"]: e for e in reversed(run.ear.records())}
        self._ids = {seq: e.event["id"] for seq, e in first.items()}
        self._heard_at = [first[seq].at for seq in sorted(first)]
        self._known: dict[bytes, _Left] = {}
        self.times = self.lost = 0
        self.pruned: set[int] = set()

    def cut(self, disk: shim.Disk, act: shim.Act | None) -> None:
        """The power goes before an act, and in the middle of it; None: after the last."""
        heard = bisect_left(self._heard_at, act.wall_ns / 1e9 if act else inf)
        for files in (
            disk.cut(lambda part: True),
            disk.cut(lambda part: False),
            disk.cut(lambda part: self._chance.random() < 0.5, amid=act),
        ):
            left = self._left(*files)
            self.times += 1
            self.lost += max(0, heard - left.last) + max(0, left.pruned - heard)
            self.pruned.add(left.pruned)

    def _left(self, database: bytes | None, ahead: bytes | None) -> _Left:
        digest = hashlib.blake2b(msgspec.msgpack.encode((database, ahead))).digest()
        if digest not in self._known:
            journal = self._place / "journal.db"
            shim.lay_down(journal, database, ahead)
            self._known[digest] = self._examined(journal)
        return self._known[digest]

    def _examined(self, path: Path) -> _Left:
        journal = Journal(path, SimClock(), "after")
        asyncio.run(journal.close())
        verdict = verify(path, self._key)
        assert verdict.fault is None, f"after a power cut: {verdict.fault}"
        assert (verdict.cut is None) == (verdict.first == 1)
        assert verdict.last == journal.last
        store = Store(path, read_only=True)
        ids = [f"RL-07/{record.boot}/{record.seq}" for record in store.read(0, 1_000_000)]
        store.close()
        assert ids == [self._ids[seq] for seq in range(verdict.first, verdict.last + 1)]
        return _Left(verdict.first - 1, verdict.last)


FAULTS = {power_cut_in_retention: (80, 1)}
"""Fault to which acts are among those at which it is done, in `make test` and in `make faults`: 1 means each."""
