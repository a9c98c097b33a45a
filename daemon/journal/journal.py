"""The journal of a running table: numbers records at once, keeps them for publishing, and hands them to the writing
thread.

The event loop never waits for the disk. Independent of MQTT: the journal reports how far the disk has come, and the
publisher reports how far the broker has come. `writing` handles the file.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from pitwatch.daemon.contract.messages import SystemData, encode
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.holding import Hold, real
from pitwatch.daemon.journal.rescue import Begun, Rescued
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.store import StoreError
from pitwatch.daemon.journal.writing import Seal, Writer
from pitwatch.hal.clock import Clock

TAIL = 2_000
"""Newest records kept in memory, so that fresh ones are published without reading the file."""

WAITING = 50_000
"""Records that may wait for a disk that does not write; further observations are counted and dropped."""

RELEASE_AFTER = 5.0
"""Seconds after which records that the disk still refuses are published: late is worse than unwritten."""

RELEASE_EVERY = 0.2
"""Seconds between portions of that."""

STEP = 1_000_000_000
"""A wall clock that moves by more than this against the monotonic one (ns) was set."""

log = logging.getLogger("pitwatch.journal")


class Journal:
    """`append` numbers a record; `on_commit(seq)` is called on the loop when everything up to `seq` may be published:
    safe on disk, or refused by the disk for longer than `RELEASE_AFTER`, which `on_trouble` has reported before.

    `boot` identifies this run of the process in every record. A damaged file is set aside and reported as a record.
    `signer` is the board's key, a file beside the journal if none is given.
    Raises StoreError if the path is of no use or another process holds the journal.
    """

    def __init__(self, path: Path, clock: Clock, boot: str, signer: Signer | None = None):
        self.path = path
        self.signer = signer or Signer(key_path(path))
        self.boot = boot
        self.on_commit: Callable[[int], None] = lambda seq: None
        self.on_trouble: Callable[[str | None], None] = lambda trouble: None
        self.on_written: Callable[[int], None] = lambda seq: None
        """Everything up to there is on disk."""
        self.on_set_aside: Callable[[], None] = lambda: None
        """Another file continues in place of a damaged one."""
        self.dropped = 0
        self.released = 0
        """Everything up to this sequence may be published."""
        self.full = False
        """There is no room for observations."""
        self.gone = 0
        """Everything up to this sequence is removed, or is about to be."""
        self.begun: Begun | None = None
        """Set if this run had to start a new file; the code that reports it clears it."""
        self._clock = clock
        self._tail: deque[Record] = deque()
        self._dropped_told = 0
        self._releasing: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        wall, self._synced = clock.wall()
        self._offset = wall - clock.now()
        self._hold = Hold(path)
        self.previous_board = self._hold.board
        """The start of the board in which this journal was last written, "" if unknown."""
        try:
            self._writer = Writer(real(path), self._hold, self._tail, self.signer)
        except StoreError:
            self._hold.withdraw()
            raise
        self._writer.on_commit = self._committed
        self._writer.on_trouble = self._troubled
        self._writer.on_room = self._is_full
        self._writer.on_rescue = self._rescued
        self._writer.on_lock = lambda told: self.note("lock_removed", told)
        opened = self._writer.opened
        self.last = self.committed = self.released = opened.last
        self.delivered = opened.delivered
        self.gone = opened.store.pruned if opened.store is not None else 0
        self.opened_at = opened.last
        """What earlier runs wrote ends here."""
        self.sign_first, self.end_unknown = opened.sign_first, opened.end_unknown
        """Earlier runs left much unsigned; or how much could not be found out."""
        self.retained = {record.subtopic: record for record in opened.retained}
        self.last_round = opened.last_round
        self.rounds = opened.rounds
        """The rounds since the newest state of a monitor."""
        self.kept = list(opened.newest)
        """The newest records of the runs before this one; none in a new journal."""
        if opened.rescued is not None:
            self._rescued(opened.rescued)

    def start(self) -> None:
        """Begin writing; to be called on the event loop."""
        self._loop = asyncio.get_running_loop()
        if self._writer.trouble:
            self._troubled(self._writer.trouble)
        self._writer.start()

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
        self._writer.put(record)  # its thread awakes meanwhile, and finds what follows from this record beside it
        return seq

    def note(self, event: str, detail: dict[str, Any]) -> None:
        """Append an event of the daemon itself."""
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
        self._writer.read(after, limit, done)

    def deliver(self, seq: int) -> None:
        """Everything up to `seq` was acknowledged by the broker. Written within some seconds."""
        self.delivered = self._writer.delivered = seq

    def seal_with(self, seal: Seal) -> None:
        """What signs many records before they are written at once: see `writing.Seal`."""
        self._writer.seal = seal

    def remove(self, up_to: int, once: int) -> None:
        """Remove the oldest records up to a sequence bit by bit, beginning when record `once` is on disk."""
        self.gone = max(self.gone, up_to)
        self._writer.remove(up_to, once)

    async def close(self) -> None:
        """Write what is left, and release the file."""
        if self._releasing is not None:
            self._releasing.cancel()
        await self._writer.close()
        if self.last > self.committed and self._loop is not None:
            log.error("%s: %d records were never written", self.path, self.last - self.committed)
        self._hold.release()

    # -- reported by the writer, on the loop

    def _committed(self, seq: int) -> None:
        self.committed = max(self.committed, seq)
        self._release(self.committed)
        self.on_written(self.committed)

    def _is_full(self, full: bool) -> None:
        self.full = full

    def _rescued(self, rescued: Rescued) -> None:
        self.begun = rescued.begun or self.begun
        if rescued.begun is not None:
            self.gone = max(self.gone, rescued.begun.sequence)
        self.note("journal_set_aside", rescued.event)
        self.on_set_aside()

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
        if self._writer.refused:
            self._release(self.last)
        self._releasing = self._loop.call_later(RELEASE_EVERY, self._release_refused)

    def _release(self, seq: int) -> None:
        if seq > self.released:
            self.released = seq
            self.on_commit(seq)
