"""Signed checkpoints: now and then the head of the hash chain, signed with the board's key, becomes a record itself.

Published like every record, a checkpoint ends up with surveillance, out of reach of whoever holds the board. Reads the
journal's file and appends to the journal; knows nothing of MQTT or of rules.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path

from daemon.background import Background
from daemon.errors import UsageError
from daemon.journal import Journal
from daemon.messages import CheckpointData
from daemon.signing import Signer
from daemon.statements import CHECKPOINT, signed
from daemon.store import Store
from hal.clock import Clock

EVERY = 600.0
"""Seconds after which what was written since is signed."""

RECORDS = 1_000
"""Records after which they are signed at once."""

LOOK_EVERY = 5.0

SETTLE_TRIES = 100
"""Hundredths of a second that the end of a run waits for the last records to be on disk."""

log = logging.getLogger("pitwatch.journal")


def head(path: Path) -> tuple[int, int, bytes] | None:
    """First and last sequence on disk and the last one's hash; None if nothing is. Raises StoreError, sqlite3.Error."""
    store = Store(path, read_only=True)
    try:
        for record, hash_ in store.records(store.last - 1):
            return store.pruned + 1, record.seq, hash_
        return None
    finally:
        store.close()


class Checkpoints(Background):
    """`table` is SITE/TABLE. `on_key(public key, trouble)` is told on the loop once the key is there or cannot be had;
    without one, watching goes on unsigned and the key is tried again."""

    def __init__(self, journal: Journal, clock: Clock, table: str):
        self.signer = Signer(key_path(journal.path))
        self.on_key: Callable[[str | None, str | None], None] = lambda key, trouble: None
        self.trouble: str | None = None
        self._journal = journal
        self._clock = clock
        self._table = table
        self._signed = 0
        """The sequence of the newest checkpoint, or the last signed if that is later."""
        self.key: str | None = None
        """The public key, once it can be signed with."""
        self._making = threading.Lock()
        """Held by the thread that is at it: stopping leaves it so, and asks for one more."""
        self.made_key = False
        """The key was made in this run: nothing was signed before."""

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
        due = loop.time()  # what an earlier run could not sign before the power went
        while True:
            last = self._journal.committed
            if last > self._signed and (loop.time() >= due or last - self._signed >= RECORDS) and await self._sign():
                due = loop.time() + EVERY
            await asyncio.sleep(LOOK_EVERY)

    async def _sign(self) -> bool:
        try:
            made = await asyncio.to_thread(self._make)
        except UsageError as error:
            self._say(str(error))
            return False
        except Exception as error:  # a file that is damaged or moved under us is the journal's to tell
            log.debug("no checkpoint: %s", error)
            return False
        self._say(None)
        if made is None:
            return False
        self._signed = self._journal.append(CHECKPOINT, CHECKPOINT, self._clock.now(), made)
        return True

    def _make(self) -> CheckpointData | None:
        """Runs beside the loop: it waits for openssl and the disk."""
        with self._making:
            if self.key is None:
                self.made_key = self.made_key or not self.signer.path.exists()
                self.key = self.signer.prepare()
        there = head(self._journal.path)
        if there is None:
            return None
        first, sequence, hash_ = there
        said = CheckpointData(
            table=self._table, first=first, sequence=sequence, hash=hash_.hex(), key=self.key, signature=""
        )
        return signed(said, self.key, self.signer)

    def _say(self, trouble: str | None) -> None:
        if trouble is not None and trouble != self.trouble:
            log.error("the journal is not signed: %s", trouble)
        if trouble != self.trouble or self.key is not None:
            self.trouble = trouble
            self.on_key(self.key, trouble)


def key_path(journal: Path) -> Path:
    """The signing key of the journal at a path: beside it."""
    return journal.with_suffix(".key")
