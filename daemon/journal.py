"""The journal of a running table: records are numbered at once, written by one thread, many to a sync.

The event loop never waits for the disk. Knows nothing of MQTT: it says how far the disk has come, and somebody else
says how far the broker has come.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import logging
import os
import sqlite3
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, NamedTuple

from daemon.chain import Record
from daemon.last_words import board_boot
from daemon.messages import SystemData, encode
from daemon.rescue import Rescued, set_aside
from daemon.store import DamagedError, RefusedError, Store, StoreError, is_damage
from hal.clock import Clock

TAIL = 2_000
"""Newest records kept in memory, so that fresh ones are published without reading the file."""

WAITING = 50_000
"""Records that may wait for a disk that does not write; further observations are counted and dropped."""

NEWEST = 10
"""Records of earlier runs that tell how the last of them ended."""

MARK_AFTER = 2.0
"""Seconds between writings of the delivery mark: each costs a page, what it lags is sent twice after a crash."""

RETRY_AFTER = 1.0
"""Seconds between attempts to write when the disk refuses."""

RELEASE_AFTER = 5.0
"""Seconds after which surveillance is told what the disk still refuses: to be heard late is worse than unwritten."""

RELEASE_EVERY = 0.2
"""Seconds between portions of that."""

SET_ASIDE_EVERY = 60.0
"""Seconds at least between two files set aside: a disk that spoils each new one at once is a disk that refuses."""

MOST_BYTES = 4 << 30
"""Room that the records may take, and"""

LEAST_FREE = 8 << 20
"""bytes left on the disk and in the file, beyond which the oldest undelivered are kept and new observations are
dropped; rounds, irregularities and alerts have what is left."""

SCRUB_ROWS = 100
"""Records whose chain is checked again at each turn of a quiet writer, so that damage does not wait for its reader."""

STEP = 1_000_000_000
"""A wall clock that moves by more than this against the monotonic one (ns) was set."""

REMOVE_EVERY, REMOVE_ROWS = 0.5, 500
"""Seconds between portions of what is removed, and their size: what is to be written waits for one at most."""

log = logging.getLogger("pitwatch.journal")


class Begun(NamedTuple):
    """A file that took the place of a damaged one begins after this sequence, whose hash is this."""

    sequence: int
    hash: bytes
    file: str | None
    """What the damaged one is called now, None if it was gone."""


class _Read:
    def __init__(self, after: int, limit: int, done: Callable[[list[Record]], None]):
        self.after, self.limit, self.done = after, limit, done


class Journal:
    """`append` numbers a record; `on_commit(seq)` is called on the loop when everything up to `seq` may be published:
    safe on disk, or refused by the disk for longer than `RELEASE_AFTER`, which `on_trouble` has told before.

    `boot` identifies this run of the process in every record. A damaged file is set aside and told as a record. Raises
    StoreError if the path is of no use or another process holds the journal.
    """

    def __init__(self, path: Path, clock: Clock, boot: str):
        self.path = path
        self.boot = boot
        self.on_commit: Callable[[int], None] = lambda seq: None
        self.on_trouble: Callable[[str | None], None] = lambda trouble: None
        self.trouble: str | None = None
        self.dropped = 0
        self.released = 0
        """Everything up to this sequence may be published."""
        self.full = False
        """There is no room for observations."""
        self.begun: Begun | None = None
        """Where this run had to begin a new file; whoever has told it sets it back."""
        self._cut = (0, 0)
        self._clock = clock
        self._tail: deque[Record] = deque()
        self._work: SimpleQueue[Record | _Read | None] = SimpleQueue()
        self._closing = False
        self._marked = 0.0
        self._set_aside_at = -SET_ASIDE_EVERY
        self._dropped_told = 0
        self._refused_since: float | None = None  # monotonic seconds
        self._releasing: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        wall, self._synced = clock.wall()
        self._offset = wall - clock.now()
        was_there = Path(f"{path}.lock").exists()
        self._lock = _exclusive(path)
        self._note = _Note(self._lock)
        self.previous_board = self._note.board
        """The start of the board in which this journal was last written, "" if unknown."""
        self._store: Store | None = None
        try:
            event = self._open(was_there)
        except StoreError:
            os.close(self._lock)
            raise
        self.kept: list[Record] = self._store.read(self._store.last - NEWEST, NEWEST) if self._store is not None else []
        """The newest records of the runs before this one; none in a new journal."""
        if event is not None:
            self.note("journal_set_aside", event)

    def _open(self, was_there: bool) -> dict[str, Any] | None:
        """Open the file; what is to be told if it had to be set aside. `was_there`: it has served as a journal."""
        event: dict[str, Any] | None = None
        source: Store | None = None
        try:
            self._store = source = Store(self.path)
        except DamagedError as error:
            if not was_there:
                raise  # not ours to move: the configuration may name some other file
            try:
                rescued = set_aside(self.path, str(error), {}, self._note.delivered, self._note.last)
            except (StoreError, OSError, sqlite3.Error) as refused:
                self.trouble = f"{self.path}: damaged, and cannot be set aside: {refused}"
            else:
                self._store = source = self._begin_in(rescued)
                self._set_aside_at = monotonic()
                event = rescued.event
        except RefusedError as error:
            self.trouble = str(error)
            with contextlib.suppress(StoreError):
                source = Store(self.path, read_only=True)
        self.last = self.committed = self.released = source.last if source else 0
        self.delivered = self._delivered(source) if source else 0
        self.retained = {record.subtopic: record for record in source.retained()} if source else {}
        self.last_round = source.last_round() if source else None
        if source is not self._store and source is not None:
            source.close()
        if self.trouble:
            log.error("%s", self.trouble)
        return event

    def _delivered(self, store: Store) -> int:
        """How far the broker has come: by the mark, or further by the note, if the note is of this file."""
        note, mark = self._note, int(store.delivered)
        if mark < note.delivered <= note.last <= store.last:
            found = store.one(note.last)
            if found is not None and found[0].boot == note.boot:
                return note.delivered
        return mark

    def start(self) -> None:
        """Begin writing; to be called on the event loop."""
        self._loop = asyncio.get_running_loop()
        if self.trouble:
            self._troubled(self.trouble)
        self._thread.start()

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        """Number a record of something that happened at `t_ns` (monotonic) and have it written; returns its sequence.

        An observation that finds too many records waiting, or the disk full, is dropped and counted; it gets the last
        number.
        """
        if kind == "observation" and (self.full or self.last - self.committed >= WAITING):
            self.dropped += 1
            return self.last
        if self.dropped != self._dropped_told and kind == "observation":
            dropped, self._dropped_told = self.dropped - self._dropped_told, self.dropped
            self.note("records_dropped", {"count": dropped})
        now = self._clock.now()
        wall, synced = self._clock.wall()
        if synced != self._synced or abs(wall - now - self._offset) > STEP:
            self._clock_changed(wall - now, synced)
        self._offset = wall - now
        seq = self.last = self.last + 1
        record = Record(seq, self.boot, t_ns, wall - now + t_ns, synced, kind, subtopic, retained, encode(data))
        self._tail.append(record)
        while len(self._tail) > TAIL and self._tail[0].seq <= self.committed:
            self._tail.popleft()
        if retained:
            self.retained[subtopic] = record
        self._work.put(record)  # its thread awakes meanwhile, and finds what follows from this record beside it
        return seq

    def note(self, event: str, detail: dict[str, Any]) -> None:
        """Append what befell the daemon itself."""
        data = SystemData(event=event, detail=detail)  # type: ignore[arg-type]
        self.append("system", "system", self._clock.now(), data)

    def look_at_clock(self) -> None:
        """Tell a step of the wall clock though nothing is appended."""
        wall, synced = self._clock.wall()
        offset = wall - self._clock.now()
        if synced != self._synced or abs(offset - self._offset) > STEP:
            self._clock_changed(offset, synced)
        self._offset = offset

    def _clock_changed(self, offset: int, synced: bool) -> None:
        step, self._offset = offset - self._offset, offset
        was, self._synced = self._synced, synced
        event = "clock_stepped" if synced == was else "clock_set" if synced else "clock_lost"
        self.note(event, {"step_s": step / 1e9, "synced": synced, "wall_minus_monotonic_ns": offset})

    def fresh(self, after: int, limit: int) -> list[Record]:
        """Records to be published that follow `after`, from memory; empty if memory does not reach back so far."""
        if not self._tail or after + 1 < self._tail[0].seq:
            return []
        start = after + 1 - self._tail[0].seq
        stop = min(start + limit, self.released + 1 - self._tail[0].seq)
        return list(islice(self._tail, start, stop)) if stop > start else []

    def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None:
        """Read up to `limit` committed records that follow `after`; `done(records)` is called on the loop."""
        self._work.put(_Read(after, limit, done))

    def deliver(self, seq: int) -> None:
        """Everything up to `seq` was acknowledged by the broker. Written within some seconds."""
        self.delivered = seq

    def remove(self, up_to: int, once: int) -> None:
        """Remove the oldest records up to a sequence bit by bit, beginning when record `once` is on disk."""
        self._cut = (up_to, once)

    async def close(self) -> None:
        """Write what is left, and release the file."""
        if self._releasing is not None:
            self._releasing.cancel()
        if self._loop is not None:
            self._closing = True
            self._work.put(None)
            await self._loop.run_in_executor(None, self._thread.join)
        if self._store is not None:
            self._store.close()
        if self.last > self.committed and self._loop is not None:
            log.error("%s: %d records were never written", self.path, self.last - self.committed)
        os.close(self._lock)

    # -- below here runs in the writing thread

    def _write(self) -> None:
        batch: list[Record] = []
        reads: list[_Read] = []
        if self._store is not None:
            self._store.make_room()
        remove_at = monotonic()
        while True:
            quiet = False
            try:
                item = self._work.get(timeout=MARK_AFTER)
                while True:
                    if isinstance(item, Record):
                        batch.append(item)
                    elif item is not None:
                        reads.append(item)
                    item = self._work.get_nowait()
            except Empty:
                quiet = not batch and not reads
            while not self._commit(batch):
                if self._closing:
                    break
                self._answer(reads)  # what can be read is published, whatever cannot be written
                reads = []
                sleep(RETRY_AFTER)
                batch += self._waiting(reads)
            batch = []
            self._answer(reads)
            reads = []
            if self._closing and self._work.empty():
                return
            if quiet and self._store is not None:
                self._scrub(self._store)
            if monotonic() >= remove_at:
                self._remove()
                remove_at = monotonic() + REMOVE_EVERY

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
        try:
            store = self._store = self._store or self._reopened(batch)
            batch = batch[bisect_right(batch, store.last, key=_seq) :]  # a rescue has written some of them already
            most = batch[-1].seq if batch else store.last
            delivered = min(self.delivered, most) if due else store.delivered
            if not batch and delivered == store.delivered:
                return self._refused_since is None or self._probe(store)
            store.write(batch, delivered)
        except (sqlite3.Error, StoreError) as error:
            damaged = isinstance(error, DamagedError) or (isinstance(error, sqlite3.Error) and is_damage(error))
            if damaged and self._rescue(str(error), batch):
                return True
            told = str(error) if isinstance(error, StoreError) else f"{self.path} cannot be written: {error}"
            self._refused_since = self._refused_since or monotonic()
            self._say(told)
            return False
        self._written(batch[-1].seq if batch else 0)
        self._note.write(min(self.delivered, most), most, batch[-1].boot if batch else self._note.boot)
        if due:
            self._marked = monotonic()
            self._measure(store)
        return True

    def _reopened(self, batch: list[Record]) -> Store:
        """The file that could not be opened before. Raises StoreError."""
        store = Store(self.path)
        first = batch[0].seq if batch else self.last + 1
        if store.last == first - 1:
            return store
        store.close()  # it could not be read either, so its numbers were given again
        reason = f"was out of reach at the start; its records up to {store.last} stay in it"
        try:
            rescued = set_aside(self.path, reason, {r.seq: r for r in batch}, first - 1, first - 1, carry=False)
        except (OSError, sqlite3.Error) as error:
            raise RefusedError(f"{self.path} cannot be written: {error}") from None
        self._call(self._told, rescued.event)
        return self._begin_in(rescued)

    def _probe(self, store: Store) -> bool:
        """Nothing waits to be written, but the last attempt failed: whether the disk takes anything now."""
        store.write([], store.delivered)
        self._written(0)
        return True

    def _written(self, seq: int) -> None:
        self._refused_since = None
        self._say(f"{self.path}: no room; observations are not kept until there is" if self.full else None)
        if seq:
            self._call(self._committed, seq)

    def _rescue(self, reason: str, batch: list[Record], removed: bool = False) -> bool:
        """Set the damaged file aside and go on in another, carrying over what memory and the old file still have."""
        if monotonic() - self._set_aside_at < SET_ASIDE_EVERY:
            return False
        self._set_aside_at = monotonic()
        last = batch[-1].seq if batch else self.committed
        if self._store is not None:
            last = max(last, self._store.last)
        old, self._store = self._store, None
        if old is not None and not removed:
            old.close()
            old = None
        known = {record.seq: record for record in (*tuple(self._tail), *batch)}
        known = {seq: record for seq, record in known.items() if seq <= last}
        try:
            rescued = set_aside(self.path, reason, known, min(self.delivered, last), last, removed=old)
        except (StoreError, OSError, sqlite3.Error) as error:
            log.error("%s: damaged, and cannot be set aside: %s", self.path, error)
            return False
        self._store = self._begin_in(rescued)
        self._call(self._told, rescued.event)
        self._written(last)
        return True

    def _begin_in(self, rescued: Rescued) -> Store:
        store = rescued.store
        if store.pruned:
            self.begun = Begun(store.pruned, store.hash_before, rescued.event["file"])
        return store

    def _told(self, event: dict[str, Any]) -> None:
        self.note("journal_set_aside", event)

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
                    self._say(f"{self.path} cannot be read: {error}")
                    return []
        return []

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
            if store.removed():
                self._rescue("was removed or replaced while it was written", [], removed=True)
                return
            free = os.statvfs(self.path.parent)
            left = free.f_bavail * free.f_frsize + store.spare()
            full = left < LEAST_FREE or store.size() > MOST_BYTES
        except (OSError, sqlite3.Error):
            return
        if full != self.full:
            self.full = full
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
                self._say(f"{self.path}: old records cannot be removed: {error}")

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble:
                log.error("%s", trouble)
            else:
                log.warning("%s is written again", self.path)
            self._call(self._troubled, trouble)

    def _call(self, callback: Callable[[Any], None], value: Any) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(callback, value)
        except RuntimeError:
            log.debug("the event loop is gone")

    # -- on the loop again

    def _committed(self, seq: int) -> None:
        self.committed = max(self.committed, seq)
        self._release(self.committed)

    def _troubled(self, trouble: str | None) -> None:
        self.on_trouble(trouble)
        if self._releasing is not None:
            self._releasing.cancel()
            self._releasing = None
        if trouble and self._loop is not None:
            self._releasing = self._loop.call_later(RELEASE_AFTER, self._release_refused)

    def _release_refused(self) -> None:
        """The disk still refuses: publish from memory what it has not taken, now and as long as it refuses."""
        assert self._loop is not None
        if self._refused_since is not None:
            self._release(self.last)
        self._releasing = self._loop.call_later(RELEASE_EVERY, self._release_refused)

    def _release(self, seq: int) -> None:
        if seq > self.released:
            self.released = seq
            self.on_commit(seq)


def _seq(record: Record) -> int:
    return record.seq


def _exclusive(path: Path) -> int:
    """Hold the journal against other processes; returns the descriptor that holds it. Raises StoreError.

    On a disk that takes no new file the folder itself is held."""
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise StoreError(
                f"{path}: cannot be written: {error.strerror}; name a folder that the daemon may write"
            ) from None
        lock = _for_reading(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StoreError(f"{path}: in use by another pitwatch; one table has one daemon") from None
    return lock


class _Note:
    """What the file that holds the journal says of it: in which start of the board, how far, and in which run of the
    process (`boot` of the last record) it was written last.

    The only thing that is known of a journal that cannot be read at all, and newer than the delivery mark. Not synced:
    after a power cut it lags."""

    FORM = "{:36} {:19} {:19} {:12}\n"

    def __init__(self, lock: int):
        self._lock = lock
        self._board = board_boot()
        self.board, self.delivered, self.last, self.boot = "", 0, 0, ""
        try:
            words = os.pread(lock, 128, 0).decode("ascii").split()
            self.board, self.delivered, self.last = words[0], int(words[1]), int(words[2])
            self.boot = words[3]
        except (OSError, ValueError, IndexError):
            return
        finally:
            self.write(self.delivered, self.last, self.boot)

    def write(self, delivered: int, last: int, boot: str) -> None:
        self.delivered, self.last, self.boot = delivered, last, boot
        with contextlib.suppress(OSError):
            os.pwrite(self._lock, self.FORM.format(self._board, delivered, last, boot).encode(), 0)


def _for_reading(path: Path) -> int:
    try:
        return os.open(f"{path}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
