"""Signed checkpoints: at intervals, the head of the hash chain becomes a record, signed with the board's key.

A checkpoint is published like every record, so surveillance has it out of reach of anyone at the board. Reads the
journal's file and appends to the journal; independent of MQTT and rules.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable

import msgspec

from pitwatch.daemon.common.background import Background
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.house_names import HOUSE
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal import open_end, proofs
from pitwatch.daemon.journal.journal import Journal
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.signing import key_path as key_path
from pitwatch.daemon.journal.statements import CHECKPOINT, signed, stated, with_note
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.tlog.checkpoint import origin
from pitwatch.daemon.tlog.merkle import ProofError
from pitwatch.hal.clock import Clock

EVERY = 600.0
"""Seconds after which what was written since is signed."""

RECORDS = 1_000
"""Records after which they are signed at once."""

LOOK_EVERY = 5.0

SETTLE_TRIES = 100
"""Hundredths of a second that the end of a run waits for the last records to be on disk."""

log = logging.getLogger("pitwatch.journal")


class Checkpoints(Background):
    """`table` is SITE/TABLE, of a `house`. `on_key(public key, trouble)` is called on the loop once the key is there or
    unusable; without one, the table is watched unsigned and the key is tried again."""

    def __init__(self, journal: Journal, clock: Clock, table: str, house: str = HOUSE):
        self.signer = journal.signer
        self.on_key: Callable[[str | None, str | None], None] = lambda key, trouble: None
        self.trouble: str | None = None
        self._journal = journal
        self._clock = clock
        self._table = table
        self._origin = origin(house, table)
        self._signed = 0
        """The sequence of the newest checkpoint, or the last signed if that is later."""
        self.key: str | None = None
        """The public key, once it can be signed with."""
        self._making = threading.Lock()
        """Held by the thread that is at it: stopping leaves it so, and asks for one more."""
        self.made_key = False
        """The key was made in this run: nothing was signed before."""
        self._unlooked = journal.end_unknown
        """What earlier runs left unsigned could not be looked at yet."""
        self._due = 0.0
        self._files = 0
        """Files that went on in the place of damaged ones: what signs the one before signs another chain."""
        self._wake = asyncio.Event()
        self._newest: CheckpointData | None = None
        """The newest checkpoint of this run that the file has, or will have."""
        journal.seal_with(self._seal)
        journal.on_written = self._written
        journal.on_set_aside = self._at_once

    @property
    def newest(self) -> CheckpointData | None:
        """The newest checkpoint of this run."""
        return self._newest

    def sign_first(self) -> None:
        """Before the first record of this run: sign what earlier runs left unsigned, where that is much, so that it
        does not become more than a board leaves open. Blocks for some milliseconds; without a key it is left."""
        if not self._journal.sign_first:
            return
        with contextlib.suppress(UsageError, sqlite3.Error):
            made = self._make()
            if made is not None:
                self._append(made)

    async def stop(self) -> None:
        """Sign what is on disk, and end."""
        if self._task is None:
            return
        await super().stop()
        for _ in range(SETTLE_TRIES):
            if self._journal.committed >= self._journal.last:
                break
            await asyncio.sleep(0.01)
        if self._journal.committed > self._signed:
            await self._sign()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time()  # what an earlier run could not sign before the power went
        while True:
            self._wake.clear()
            last = self._journal.committed
            if last > self._signed and (loop.time() >= self._due or last - self._signed >= RECORDS):
                if await self._sign():
                    self._due = loop.time() + EVERY
                else:
                    await asyncio.sleep(LOOK_EVERY)
                    continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):  # wait_for of Python 3.11 may lose the end that was asked for
                    await self._wake.wait()

    def _written(self, seq: int) -> None:
        """So far the disk has come."""
        if seq - self._signed >= RECORDS:
            self._wake.set()

    def _at_once(self) -> None:
        """Another file continues: the records carried over into it are signed without delay."""
        self._files += 1
        self._newest = None  # it may be lost
        self._due = 0.0
        self._wake.set()

    async def _sign(self) -> bool:
        files = self._files
        try:
            made = await asyncio.to_thread(self._make)
        except UsageError as error:
            self._say(str(error))
            return False
        except Exception as error:  # the journal reports a file that is damaged or moved
            log.debug("no checkpoint: %s", error)
            return False
        self._say(None)
        if made is None or files != self._files:
            return False
        if self._newest is None or made.sequence > self._newest.sequence:
            self._append(made)
        return True

    def _append(self, made: CheckpointData) -> int:
        """It follows the newest of this run, if there is one already."""
        if before := self._newest:
            made = msgspec.structs.replace(made, previous=before.sequence, previous_hash=before.hash)
        self._newest = made
        self._signed = self._journal.append(CHECKPOINT, CHECKPOINT, self._clock.now(), made)
        return self._signed

    def _seal(self, first: int, last: int, hash_: bytes, root: bytes | None) -> Callable[[], int] | None:
        """Runs in the writing thread: signs what it is about to write. Nothing without a key that was signed with."""
        if self.key is None or self._unlooked or self._newest is None:
            return None
        files = self._files
        said = CheckpointData(
            table=self._table, first=first, sequence=last, hash=hash_.hex(), key=self.key, signature=""
        )
        try:
            made = self._with_note(signed(said, self.key, self.signer), root)
        except UsageError as error:
            log.debug("no checkpoint: %s", error)
            return None
        return lambda: self._append(made) if files == self._files else 0

    def _make(self) -> CheckpointData | None:
        """Runs beside the loop: it waits for openssl and the disk."""
        with self._making:
            if self.key is None:
                self.made_key = self.made_key or not self.signer.exists
                self.key = self.signer.prepare()
        store = Store(self._journal.path, read_only=True)
        try:
            if self._unlooked:
                self._look(store)
            there = store.one(store.last)
            if there is None:
                return None
            newest = store.last_of_kind(CHECKPOINT)
            before = stated(newest, CheckpointData) if newest else None
            said = CheckpointData(
                table=self._table,
                first=store.pruned + 1,
                sequence=store.last,
                hash=there[1].hex(),
                key=self.key,
                signature="",
                previous=before.sequence if before else None,
                previous_hash=before.hash if before else None,
            )
            root = self._root(store)
        finally:
            store.close()
        return self._with_note(signed(said, self.key, self.signer), root)

    @staticmethod
    def _root(store: Store) -> bytes | None:
        """Of the tree over all records; None while it lacks any."""
        try:
            return proofs.root(store, store.last)
        except ProofError as error:
            log.debug("a checkpoint without a note: %s", error)
            return None

    def _with_note(self, said: CheckpointData, root: bytes | None) -> CheckpointData:
        """Raises SigningError."""
        return said if root is None else with_note(said, self._origin, root, self.signer)

    def _look(self, store: Store) -> None:
        """At what could not be looked at when the journal was opened. Raises SigningError if it must not be signed."""
        end = None if self.made_key else open_end.look(store, self.signer, self._journal.opened_at)
        if end is not None and end.fault is not None:
            raise SigningError(f"{end.fault}; start the daemon again: it sets the journal aside")
        self._unlooked = False

    def _say(self, trouble: str | None) -> None:
        if trouble is not None and trouble != self.trouble:
            log.error("the journal is not signed: %s", trouble)
        if trouble != self.trouble or self.key is not None:
            self.trouble = trouble
            self.on_key(self.key, trouble)
