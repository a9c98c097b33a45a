"""Retention: removes old records, after a signed record that proves that retention removed them.

First a record names the last sequence to be removed, signed with the board's key. Only when it is on disk is anything
removed. So a record always covers the start of a journal, whenever the power fails. Whoever has the disk but not the
key cannot remove more than retention was about to. What a client holds stays as long as there is room (`held`).
Independent of MQTT and rules.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Literal, NamedTuple

from pitwatch.daemon.common.background import Background
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import RetentionData, utc
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.held import HOLD, Held
from pitwatch.daemon.journal.journal import Journal
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.statements import RETENTION, is_genuine, signed, stated
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.writing import LEAST_FREE, MOST_BYTES
from pitwatch.hal.clock import Clock

FIRST, EVERY = 60.0, 3600.0
"""Seconds after the start, and then between cuts: each costs a record and a signature."""

LOOK_EVERY = 5.0

ROOM_ROWS = 2_000
"""Records that are cut at a time where there is no room and no clock that gives their age."""

HELD_FREE = 4 * LEAST_FREE
"""Bytes left on the disk, or of what the records may take, below which the oldest hold ends: new records go before
held ones, while there still is room for both."""

DAY = 86_400_000_000_000

log = logging.getLogger("pitwatch.journal")

Reason = Literal["age", "room", "set_aside", "key"]


class Cut(NamedTuple):
    """Where a journal is to begin: after this sequence, whose hash is in hexadecimal."""

    sequence: int
    hash: str
    reason: Reason
    file: str | None = None


class NoRoom(NamedTuple):
    """A hold keeps what is old enough to be removed, and there is no room for that."""


class Retention(Background):
    """Cuts the journal of a running table after `keep_days`; to be stopped before the journal is closed. A cut that is
    being signed then is not made."""

    def __init__(
        self, journal: Journal, checkpoints: Checkpoints, clock: Clock, table: str, keep_days: int, held: Held
    ):
        self._journal = journal
        self._checkpoints = checkpoints
        self._clock = clock
        self._table = table
        self._keep = keep_days * DAY
        self._held = held
        self._examined = False
        self._compared = False
        """Whether the holds are those that the records name."""
        self._said = 0
        """Up to where this run has said that it cuts."""

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + FIRST
        while True:
            if self._checkpoints.key is not None or self._checkpoints.trouble is not None:
                try:
                    if await self._look(loop.time() >= due):
                        due = loop.time() + EVERY
                except Exception as error:  # the journal reports a file that is damaged or moved
                    log.debug("nothing is removed: %s", error)
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self, due: bool) -> bool:
        """One look; whether retention has had its turn."""
        begun = self._journal.begun
        if begun is not None:
            if await self._cut(Cut(begun.sequence, begun.hash.hex(), "set_aside", begun.file)):
                self._journal.begun = None
            return False
        if not self._examined:
            missing = await asyncio.to_thread(self._uncovered)
            self._examined = missing is None or await self._explain(missing)
        wall, synced = self._clock.wall()
        if not synced and not self._journal.full:
            return False  # a clock that nobody has set says nothing about age
        if not due and synced and not (self._journal.full and self._held.standing):
            return False
        if not self._compared:  # not at the start: it reads the whole file once
            self._held.compare(await asyncio.to_thread(self._last_hold))
            self._compared = True
        before = wall - self._keep if synced else None
        old = await asyncio.to_thread(self._old, before, self._held.first, True)
        if isinstance(old, NoRoom):
            if self._held.standing:
                self._held.end_oldest()
            old = await asyncio.to_thread(self._old, before, self._held.first, False)
        if isinstance(old, NoRoom):
            return False
        return old is None or await self._cut(old)

    async def _explain(self, missing: Cut) -> bool:
        """Report a beginning that no signed record covers, unless nothing was ever signed."""
        if self._checkpoints.made_key:
            return await self._cut(missing)
        if self._checkpoints.key is not None:
            log.error("%s: records up to %d are gone, and no signature says why", self._journal.path, missing.sequence)
            self._journal.note("records_removed", {"up_to": missing.sequence})
        return True

    async def _cut(self, cut: Cut) -> bool:
        """Have it journalled, and what it covers removed after that; False if it has to wait for a signature."""
        said = RetentionData(
            table=self._table,
            sequence=cut.sequence,
            hash=cut.hash,
            reason=cut.reason,
            time=utc(self._clock.wall()[0]),
            file=cut.file,
        )
        try:
            said = await asyncio.to_thread(self._signed, said)
        except UsageError as error:
            if self._checkpoints.signer.exists and not self._journal.full:
                log.debug("nothing is removed: %s", error)
                return False  # what is old waits for the key that was there, as long as there is room
        held = self._held.first
        if cut.reason in ("age", "room") and held is not None and held <= cut.sequence:
            return False  # a hold came while this was being signed
        seq = self._journal.append(RETENTION, RETENTION, self._clock.now(), said, retained=True)
        self._journal.remove(cut.sequence, once=seq)
        self._said = cut.sequence
        return True

    # -- beside the loop: these wait for openssl and the disk

    def _signed(self, said: RetentionData) -> RetentionData:
        key = self._checkpoints.key
        if key is None:
            raise SigningError(str(self._checkpoints.trouble))
        return signed(said, key, self._checkpoints.signer)

    def _old(self, before_wall_ns: int | None, held: int | None, may_end: bool) -> Cut | NoRoom | None:
        """What may go: by age, or to make room, up to what is held; nothing as long as the cut before is not done.
        `may_end`: where a hold keeps it and there is no room, say so."""
        store = Store(self._journal.path, read_only=True)
        try:
            if store.pruned < self._said:
                return None
            found = store.oldest(ROOM_ROWS) if before_wall_ns is None else store.older(before_wall_ns)
            reason: Reason = "room" if before_wall_ns is None else "age"
            if found and held is not None and found[0] >= held:
                if may_end and self._tight(store):
                    return NoRoom()
                there = store.one(held - 1) if held - 1 > store.pruned else None
                found = (held - 1, there[1]) if there else None
            return Cut(found[0], found[1].hex(), reason) if found else None
        finally:
            store.close()

    def _last_hold(self) -> Record | None:
        """The newest record of a hold that earlier runs wrote."""
        store = Store(self._journal.path, read_only=True)
        try:
            found = [record for record in store.of_kind(HOLD, 0) if record.seq <= self._journal.opened_at]
            return found[-1] if found else None
        finally:
            store.close()

    def _tight(self, store: Store) -> bool:
        """Whether there soon is no room for new records."""
        disk = os.statvfs(self._journal.path.parent)
        left = disk.f_bavail * disk.f_frsize + store.spare()
        return self._journal.full or left < HELD_FREE or store.size() > MOST_BYTES - HELD_FREE

    def _uncovered(self) -> Cut | None:
        """Where the journal begins, if nothing that this board has signed says why."""
        store = Store(self._journal.path, read_only=True)
        try:
            if not store.pruned:
                return None
            for record in store.newest():
                cut = stated(record, RetentionData) if record.kind == RETENTION else None
                if cut is None or cut.sequence < store.pruned or cut.key != self._checkpoints.key:
                    continue
                there = store.one(cut.sequence)
                hash_ = store.hash_before if cut.sequence == store.pruned else there[1] if there else b""
                if cut.hash == hash_.hex() and is_genuine(cut):
                    return None
            return Cut(store.pruned, store.hash_before.hex(), "key")
        finally:
            store.close()
