"""The journal of a running table: records are numbered at once, written by one thread, many to a sync.

The event loop never waits for the disk. Knows nothing of MQTT: it says how far the disk has come, and somebody else
says how far the broker has come.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any

from daemon.chain import Record
from daemon.messages import encode
from daemon.store import Store, StoreError
from hal.clock import Clock

TAIL = 2_000
"""Newest records kept in memory, so that fresh ones are published without reading the file."""

WAITING = 50_000
"""Records that may wait for a disk that does not write; further observations are counted and dropped."""

MARK_AFTER = 2.0
"""Seconds between writings of the delivery mark: each costs a page, what it lags is sent twice after a crash."""

RETRY_AFTER = 1.0
"""Seconds between attempts to write when the disk refuses."""

PRUNE_FIRST, PRUNE_EVERY, PRUNE_ROWS = 60.0, 600.0, 500
DAY = 86_400_000_000_000

log = logging.getLogger("pitwatch.journal")


class _Read:
    def __init__(self, after: int, limit: int, done: Callable[[list[Record]], None]):
        self.after, self.limit, self.done = after, limit, done


class Journal:
    """`append` numbers a record; `on_commit(seq)` is called on the loop when everything up to `seq` is safe on disk.

    `boot` identifies this run of the process in every record. Raises StoreError if the file cannot be used or another
    process holds it.
    """

    def __init__(self, path: Path, clock: Clock, boot: str, keep_days: int = 14):
        self.path = path
        self.boot = boot
        self.on_commit: Callable[[int], None] = lambda seq: None
        self.on_trouble: Callable[[str | None], None] = lambda trouble: None
        self.trouble: str | None = None
        self.dropped = 0
        self._clock = clock
        self._keep = keep_days * DAY
        self._lock = _exclusive(path)
        try:
            self._store = Store(path)
        except StoreError:
            os.close(self._lock)
            raise
        self.last = self.committed = self._store.last
        self.delivered = self._store.delivered
        self.retained = {record.subtopic: record for record in self._store.retained()}
        """The newest record of every retained topic, earlier runs included."""
        self.last_round = self._store.last_round()
        self._tail: deque[Record] = deque(maxlen=TAIL)
        self._work: SimpleQueue[Record | _Read | None] = SimpleQueue()
        self._closing = False
        self._marked = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)

    def start(self) -> None:
        """Begin writing; to be called on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        """Number a record of something that happened at `t_ns` (monotonic) and have it written; returns its sequence.

        An observation that finds too many records waiting for the disk is dropped and counted; it gets the last number.
        """
        if self.last - self.committed >= WAITING and kind == "observation":
            self.dropped += 1
            return self.last
        wall, synced = self._clock.wall()
        wall -= self._clock.now() - t_ns
        seq = self.last = self.last + 1
        record = Record(seq, self.boot, t_ns, wall, synced, kind, subtopic, retained, encode(data))
        self._tail.append(record)
        if retained:
            self.retained[subtopic] = record
        self._work.put(record)  # its thread awakes meanwhile, and finds what follows from this record beside it
        return seq

    def fresh(self, after: int, limit: int) -> list[Record]:
        """Committed records that follow `after`, from memory; empty if memory does not reach back so far."""
        if not self._tail or after + 1 < self._tail[0].seq:
            return []
        start = after + 1 - self._tail[0].seq
        stop = min(start + limit, self.committed + 1 - self._tail[0].seq)
        return [self._tail[i] for i in range(start, stop)]

    def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None:
        """Read up to `limit` committed records that follow `after`; `done(records)` is called on the loop."""
        self._work.put(_Read(after, limit, done))

    def deliver(self, seq: int) -> None:
        """Everything up to `seq` was acknowledged by the broker. Written within some seconds."""
        self.delivered = seq

    async def close(self) -> None:
        """Write what is left, and release the file."""
        if self._loop is not None:
            self._closing = True
            self._work.put(None)
            await self._loop.run_in_executor(None, self._thread.join)
        self._store.close()
        os.close(self._lock)

    # -- below here runs in the writing thread

    def _write(self) -> None:
        batch: list[Record] = []
        reads: list[_Read] = []
        self._store.make_room()
        prune_at = monotonic() + PRUNE_FIRST
        while True:
            try:
                item = self._work.get(timeout=MARK_AFTER)
                while True:
                    if isinstance(item, Record):
                        batch.append(item)
                    elif item is not None:
                        reads.append(item)
                    item = self._work.get_nowait()
            except Empty:
                pass
            while not self._commit(batch) and not self._closing:
                sleep(RETRY_AFTER)
                batch += self._waiting(reads)
            batch = []
            for read in reads:
                self._call(read.done, self._read(read))
            reads = []
            if self._closing and self._work.empty():
                return
            if monotonic() >= prune_at:
                prune_at = monotonic() + self._prune()

    def _waiting(self, reads: list[_Read]) -> list[Record]:
        """What was handed over while the disk refused."""
        more: list[Record] = []
        while not self._work.empty():
            item = self._work.get_nowait()
            if isinstance(item, Record):
                more.append(item)
            elif item is not None:
                reads.append(item)
        return more

    def _commit(self, batch: list[Record]) -> bool:
        due = self._closing or monotonic() - self._marked >= MARK_AFTER
        delivered = self.delivered if due else self._store.delivered
        if not batch and delivered == self._store.delivered:
            return True
        try:
            self._store.write(batch, delivered)
        except sqlite3.Error as error:
            self._say(f"{self.path} cannot be written: {error}")
            return False
        self._say(None)
        if due:
            self._marked = monotonic()
        if batch:
            self._call(self._committed, batch[-1].seq)
        return True

    def _read(self, read: _Read) -> list[Record]:
        try:
            return self._store.read(read.after, read.limit)
        except sqlite3.Error as error:
            self._say(f"{self.path} cannot be read: {error}")
            return []

    def _prune(self) -> float:
        """Remove one portion of what is old; returns the seconds to wait before the next."""
        wall, synced = self._clock.wall()
        if not synced:
            return PRUNE_EVERY  # a clock that nobody has set says nothing about age
        try:
            return 0.5 if self._store.prune(wall - self._keep, PRUNE_ROWS) == PRUNE_ROWS else PRUNE_EVERY
        except sqlite3.Error as error:
            self._say(f"{self.path} cannot be pruned: {error}")
            return PRUNE_EVERY

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble:
                log.error("%s", trouble)
            else:
                log.warning("%s is written again", self.path)
            self._call(self.on_trouble, trouble)

    def _call(self, callback: Callable[[Any], None], value: Any) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(callback, value)
        except RuntimeError:
            log.debug("the event loop is gone")

    # -- on the loop again

    def _committed(self, seq: int) -> None:
        self.committed = seq
        self.on_commit(seq)


def _exclusive(path: Path) -> int:
    """Hold the journal against other processes; returns the descriptor that holds it. Raises StoreError."""
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}; name a folder that the daemon may write"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StoreError(f"{path}: in use by another pitwatch; one table has one daemon") from None
    return lock
