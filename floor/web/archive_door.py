"""The archive behind the pages: one connection, opened when it is needed, and what is known of its state.

The archive is away if its database does not answer, and behind if it lacks a record that was heard here a while ago.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive.database import existing
from pitwatch.floor.archive.store import RefusedError, Store, StoreError
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.wording import clean

LOOK_EVERY_S = 2.0
STORED_WITHIN_S = 15.0
"""After which a record that was heard must be in the archive; an archive that restarts needs a few seconds."""
PATIENCE_S = 30.0
"""For one question of a page."""

HAS = "SELECT 1 AS has FROM events WHERE site = :site AND table_id = :table_id AND id = :id LIMIT 1"


class AwayError(Exception):
    """The archive cannot be asked; one line says why."""


class ArchiveDoor:
    """`database` as in `[archive]`; empty if the floor names none."""

    def __init__(self, database: str, floor: Floor):
        self._database, self._floor = database, floor
        self._store: Store | None = None
        self._turn = asyncio.Lock()
        self.trouble = "" if database else "no archive is named: [archive] of FLOOR.toml"
        self.since = time.time()
        """Since when the trouble lasts."""
        self._expected: tuple[float, str, str, int] | None = None
        """A record that was heard: when, of which table and run, its sequence."""

    @property
    def named(self) -> bool:
        return bool(self._database)

    @contextlib.asynccontextmanager
    async def asked(self) -> AsyncIterator[Store]:
        """The store, for one page at a time. Raises AwayError."""
        if not self._database:
            raise AwayError(self.trouble)
        try:
            async with asyncio.timeout(PATIENCE_S), self._turn:
                try:
                    if self._store is None:
                        store = existing(self._database)
                        await store.open()
                        self._store = store
                    yield self._store
                except RefusedError:
                    raise
                except StoreError:
                    await self._forget()
                    raise
        except (StoreError, UsageError) as error:
            raise AwayError(clean(str(error))) from None
        except TimeoutError:
            raise AwayError(f"no answer within {PATIENCE_S:.0f} s") from None

    async def run(self) -> None:
        """Looks after its state until cancelled."""
        try:
            while self._database:
                try:
                    async with self.asked() as store:
                        self._say(await self._behind(store))
                except AwayError as error:
                    self._say(f"The archive does not answer: {error}")
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            await self._forget()

    async def _behind(self, store: Store) -> str:
        """Why what was heard is not stored; empty if it is, or cannot be known yet."""
        now = time.time()
        if self._expected is None:
            newest = max(self._floor.tables.values(), key=lambda table: table.heard, default=None)
            if newest is not None and newest.boots and newest.sequences.last and now - newest.heard < STORED_WITHIN_S:
                self._expected = (now, newest.name, newest.boots[-1], newest.sequences.last)
            return self.trouble if self.trouble.startswith("The archive lacks") else ""
        at, table, boot, sequence = self._expected
        site, _, table_id = table.partition("/")
        if await store.ask(HAS, site=site, table_id=table_id, id=f"{table_id}/{boot}/{sequence}"):
            self._expected = None
            return ""
        if now - at < STORED_WITHIN_S:
            return self.trouble if self.trouble.startswith("The archive lacks") else ""
        return (
            f"The archive lacks record {sequence} of {table}, heard {STORED_WITHIN_S:.0f} s ago or more: "
            "is pitwatch archive run up?"
        )

    def _say(self, trouble: str) -> None:
        if bool(trouble) != bool(self.trouble):
            self.since = time.time()
        self.trouble = trouble

    async def _forget(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with contextlib.suppress(StoreError):
                await store.close()
