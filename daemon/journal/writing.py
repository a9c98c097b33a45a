"""The one thread that has the journal's file: writes what is handed to it, many records to a sync, reads, removes.

A file that is damaged is set aside and another taken; a disk that refuses is tried again. Knows nothing of numbering
records nor of who publishes them: its reports are made on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, NamedTuple

from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.holding import Hold
from pitwatch.daemon.journal.open_end import BATCH_RECORDS, trusted, unsigned_head
from pitwatch.daemon.journal.opening import open_journal
from pitwatch.daemon.journal.rescue import Rescued, set_aside
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import DamagedError, RefusedError, Store, StoreError, is_damage

MARK_AFTER = 2.0
"""Seconds between writings of the delivery mark: each costs a page, what it lags is sent twice after a crash."""

RETRY_AFTER = 1.0
"""Seconds between attempts to write when the disk refuses."""

SET_ASIDE_EVERY = 60.0
"""Seconds at least between two files set aside: a disk that spoils each new one at once is a disk that refuses."""

MOST_BYTES = 4 << 30
"""Room that the records may take, and"""

LEAST_FREE = 8 << 20
"""bytes left on the disk and in the file, beyond which there is no room: the oldest undelivered are kept and new
observations are dropped; rounds, irregularities and alerts have what is left."""

SEAL_PATIENCE = 5.0
"""Seconds that the loop may take to number a signature."""

SCRUB_ROWS = 100
"""Records whose chain is checked again at each turn of a quiet writer, so that damage does not wait for its reader."""

BUILD_PAUSE = 0.05
"""Seconds between portions of what the tree lacks, in which others have the processor."""

REMOVE_EVERY, REMOVE_ROWS = 0.5, 500
"""Seconds between portions of what is removed, and their size: what is to be written waits for one at most."""

log = logging.getLogger("pitwatch.journal")


class _Read(NamedTuple):
    after: int
    limit: int
    done: Callable[[list[Record]], None]


Seal = Callable[[int, int, bytes, bytes | None], Callable[[], int] | None]
"""Sign what is about to be written, from the oldest record on disk to the last of the batch, whose hash is this, and
the tree's root with it, if it is known; called in the thread. What is returned appends the signature on the loop, and
says under which number."""


class Writer:
    """`memory`: newest records that the caller keeps, for a file that loses them. Raises StoreError if what is at
    `path` never was a journal."""

    def __init__(self, path: Path, hold: Hold, memory: Collection[Record], signer: Signer):
        self.on_commit: Callable[[int], None] = lambda seq: None
        """Everything up to there is on disk."""
        self.on_trouble: Callable[[str | None], None] = lambda trouble: None
        self.on_room: Callable[[bool], None] = lambda full: None
        self.on_rescue: Callable[[Rescued], None] = lambda rescued: None
        self.on_lock: Callable[[dict[str, Any]], None] = lambda told: None
        """The lock file was removed or replaced."""
        self.seal: Seal = lambda first, last, hash_, root: None
        self._path = path
        self._hold = hold
        self._memory = memory
        self._signer = signer
        self._full = False
        self._cut = (0, 0)
        self._work: SimpleQueue[Record | _Read | None] = SimpleQueue()
        self._closing = False
        self._marked = 0.0
        self._set_aside_at = -SET_ASIDE_EVERY
        self._refused_since: float | None = None  # monotonic seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self.opened = open_journal(path, hold, signer)
        self._store, self.trouble = self.opened.store, self.opened.trouble
        if self.opened.rescued is not None:
            self._set_aside_at = monotonic()
        self._hold.look()
        self.delivered = self.opened.delivered
        """How far the broker has come, as the caller says; written within some seconds."""
        self._through = self.opened.last
        """The last record that is on disk, or was at the start."""

    def start(self) -> None:
        """Begin writing; to be called on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def put(self, record: Record) -> None:
        """Have a record written, the next of the sequence."""
        self._work.put(record)

    def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None:
        """Read up to `limit` records that follow `after`, once what was put before is written or refused;
        `done(records)` is called on the loop."""
        self._work.put(_Read(after, limit, done))

    def remove(self, up_to: int, once: int) -> None:
        """Remove the oldest records up to a sequence bit by bit, beginning when record `once` is on disk."""
        self._cut = (up_to, once)

    @property
    def refused(self) -> bool:
        """Whether the disk refused at the last attempt."""
        return self._refused_since is not None

    async def close(self) -> None:
        """Write what is left, and close the file."""
        if self._loop is not None:
            self._closing = True
            self._work.put(None)
            await self._loop.run_in_executor(None, self._thread.join)
        if self._store is not None:
            self._store.close()

    # -- in the thread

    def _write(self) -> None:
        batch: list[Record] = []
        reads: list[_Read] = []
        if self._store is not None:
            self._store.make_room()
        remove_at = monotonic()
        while True:
            with contextlib.suppress(Empty):
                self._sort(self._work.get(timeout=BUILD_PAUSE if self._lacks() else MARK_AFTER), batch, reads)
            self._take_up(batch, reads)
            quiet = not batch and not reads
            while not (self._sealed(batch, reads) and self._commit(batch)):
                if self._closing:
                    break
                self._answer(reads)  # what can be read is published, whatever cannot be written
                reads = []
                sleep(RETRY_AFTER)
                self._take_up(batch, reads)
            batch = []
            self._answer(reads)
            reads = []
            if self._closing and self._work.empty():
                return
            if self._store is not None and self._lacks():
                self._build(self._store)
            elif quiet and self._store is not None:
                self._scrub(self._store)
            if monotonic() >= remove_at:
                self._remove()
                remove_at = monotonic() + REMOVE_EVERY

    def _take_up(self, batch: list[Record], reads: list[_Read]) -> None:
        """What was handed over meanwhile."""
        while not self._work.empty():
            self._sort(self._work.get_nowait(), batch, reads)

    @staticmethod
    def _sort(item: Record | _Read | None, batch: list[Record], reads: list[_Read]) -> None:
        if isinstance(item, Record):
            batch.append(item)
        elif item is not None:
            reads.append(item)

    def _sealed(self, batch: list[Record], reads: list[_Read]) -> bool:
        """Have a signature among what is written at once, where that is much: after a disk that refused, the power may
        go before another could be made. Always true: without one it is written all the same."""
        store = self._store
        if store is None or not (self._refused_since or len(batch) > BATCH_RECORDS):
            return True
        try:
            store.write([], store.delivered)  # or each attempt at a disk that still refuses would make one
            hash_ = unsigned_head(store, batch)
            if hash_ is None:
                return True
            root = store.root_after(batch[bisect_right(batch, store.last, key=_seq) :])
            append = self.seal(store.pruned + 1, batch[-1].seq, hash_, root)
            if append is None:
                return True
            said: SimpleQueue[int] = SimpleQueue()
            self._call(lambda _: said.put(append()), None)
            seq = said.get(timeout=SEAL_PATIENCE)
            while batch[-1].seq < seq:
                self._take_up(batch, reads)
        except (sqlite3.Error, Empty, ValueError) as error:
            log.debug("written without a signature: %s", error)
        return True

    def _commit(self, batch: list[Record]) -> bool:
        due = self._closing or monotonic() - self._marked >= MARK_AFTER
        try:
            store = self._store = self._store or self._reopened(batch)
            batch = batch[bisect_right(batch, store.last, key=_seq) :]  # a rescue has written some of them already
            most = batch[-1].seq if batch else store.last
            delivered = min(self.delivered, most) if due else store.delivered
            if not batch and delivered == store.delivered:
                if due and not self._closing:  # a quiet table's files are looked after too
                    self._marked = monotonic()
                    self._measure(store)
                return self._refused_since is None or self._store is None or self._probe(self._store)
            store.write(batch, delivered)
        except (sqlite3.Error, StoreError) as error:
            damaged = isinstance(error, DamagedError) or (isinstance(error, sqlite3.Error) and is_damage(error))
            if damaged and self._rescue(str(error), batch):
                return True
            told = str(error) if isinstance(error, StoreError) else f"{self._path} cannot be written: {error}"
            self._refused_since = self._refused_since or monotonic()
            self._say(told)
            return False
        self._written(batch[-1].seq if batch else 0)
        self._hold.note(min(self.delivered, most), most, batch[-1].boot if batch else self._hold.boot)
        if due:
            self._marked = monotonic()
            self._measure(store)
        return True

    def _reopened(self, batch: list[Record]) -> Store:
        """The file that could not be opened before. Raises StoreError."""
        store = Store(self._path)
        first = batch[0].seq if batch else self._through + 1
        if store.last == first - 1:
            return store
        store.close()  # it could not be read either, so its numbers were given again
        reason = f"was out of reach at the start; its records up to {store.last} stay in it"
        try:
            rescued = set_aside(self._path, reason, {r.seq: r for r in batch}, first - 1, first - 1, carry=False)
        except (OSError, sqlite3.Error) as error:
            raise RefusedError(f"{self._path} cannot be written: {error}") from None
        self._call(self.on_rescue, rescued)
        return rescued.store

    def _probe(self, store: Store) -> bool:
        """Nothing waits to be written, but the last attempt failed: whether the disk takes anything now."""
        store.write([], store.delivered)
        self._written(0)
        return True

    def _written(self, seq: int) -> None:
        self._refused_since = None
        self._say(f"{self._path}: no room; observations are not kept until there is" if self._full else None)
        if seq:
            self._through = max(self._through, seq)
            self._call(self.on_commit, seq)

    def _rescue(self, reason: str, batch: list[Record], removed: bool = False) -> bool:
        """Set the damaged file aside and go on in another, carrying over what memory and the old file still have."""
        if monotonic() - self._set_aside_at < SET_ASIDE_EVERY:
            return False
        self._set_aside_at = monotonic()
        last = batch[-1].seq if batch else self._through
        if self._store is not None:
            last = max(last, self._store.last)
        old, self._store = self._store, None
        signed = trusted(old, self._signer) if old is not None else None  # memory has what came after it
        if old is not None and not removed:
            old.close()
            old = None
        known = {record.seq: record for record in (*tuple(self._memory), *batch)}
        known = {seq: record for seq, record in known.items() if seq <= last}
        try:
            rescued = set_aside(self._path, reason, known, min(self.delivered, last), last, removed=old, trusted=signed)
        except (StoreError, OSError, sqlite3.Error) as error:
            log.error("%s: damaged, and cannot be set aside: %s", self._path, error)
            return False
        self._store = rescued.store
        self._call(self.on_rescue, rescued)
        self._written(last)
        return True

    def _answer(self, reads: list[_Read]) -> None:
        for read in reads:
            self._call(read.done, self._read(read))

    def _read(self, read: _Read) -> list[Record]:
        for _ in range(2):
            if self._store is None:
                return []
            try:
                return self._store.read(read.after, read.limit)
            except (sqlite3.Error, UnicodeDecodeError, AttributeError) as error:
                damaged = not isinstance(error, sqlite3.Error) or is_damage(error)
                if not damaged or not self._rescue(f"cannot be read: {error}", []):
                    self._say(f"{self._path} cannot be read: {error}")
                    return []
        return []

    def _lacks(self) -> bool:
        """Whether the tree lacks records, which an earlier version wrote."""
        return self._store is not None and self._store.behind > 0

    def _build(self, store: Store) -> None:
        try:
            store.extend()
        except sqlite3.Error as error:
            if not is_damage(error) or not self._rescue(str(error), []):
                log.debug("the tree is not extended: %s", error)
                sleep(RETRY_AFTER)

    def _scrub(self, store: Store) -> None:
        try:
            found = store.scrub(SCRUB_ROWS)
        except (sqlite3.Error, UnicodeDecodeError, AttributeError) as error:
            found = str(error) if not isinstance(error, sqlite3.Error) or is_damage(error) else None
        if found is not None:
            self._rescue(found, [])

    def _measure(self, store: Store) -> None:
        """Whether there is room for more observations."""
        try:
            if told := self._hold.look():
                self._call(self.on_lock, told)
            if store.removed():
                self._rescue("was removed or replaced while it was written", [], removed=True)
                return
            free = os.statvfs(self._path.parent)
            left = free.f_bavail * free.f_frsize + store.spare()
            full = left < LEAST_FREE or store.size() > MOST_BYTES
        except (OSError, sqlite3.Error):
            return
        if full != self._full:
            self._full = full
            self._call(self.on_room, full)
            self._written(0)

    def _remove(self) -> None:
        """Remove one portion of what may go."""
        up_to, once = self._cut
        store = self._store
        if store is None or up_to <= store.pruned or store.last < once:
            return
        try:
            store.remove(up_to, REMOVE_ROWS)
        except sqlite3.Error as error:
            if not is_damage(error) or not self._rescue(str(error), []):
                self._say(f"{self._path}: old records cannot be removed: {error}")

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble:
                log.error("%s", trouble)
            else:
                log.warning("%s is written again", self._path)
            self._call(self.on_trouble, trouble)

    def _call(self, callback: Callable[[Any], None], value: Any) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(callback, value)
        except RuntimeError:
            log.debug("the event loop is gone")


def _seq(record: Record) -> int:
    return record.seq
