"""One instance of the archive: feed, intake and gaps together, across outages of database and broker."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from pitwatch.floor.archive.gaps import Gapfiller
from pitwatch.floor.archive.intake import AGAIN_AFTER, RECORDS, STANDING, Intake, beside
from pitwatch.floor.archive.keep import rules
from pitwatch.floor.archive.removing import Remover
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.archive.troubles import Troubles
from pitwatch.floor.asking import Asker
from pitwatch.floor.cases.keeper import Keeper
from pitwatch.floor.cases.opening import Opening
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.evidence.stamping import Stamper
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message
from pitwatch.floor.witness.arriving import Arriving
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.cosigning import Cosigning
from pitwatch.floor.witness.heads import Heads
from pitwatch.floor.witness.tables import Tables

log = logging.getLogger("pitwatch.archive")


class Archiver:
    """`name`: this instance's own, which is its client's name at the broker; another instance needs another."""

    def __init__(
        self, config: FloorConfig, store: Store, name: str, on_new: Callable[[Message], object] = lambda message: None
    ):
        self._config = config
        self._store = store
        self._name = name
        self.intake = Intake(store, config.mqtt.prefix, on_new)
        self.opened = 0
        """How often the database was reached."""
        self.database_up = False
        self.broker_up = False

    async def run(self) -> None:
        """Archive until cancelled. While the database is away nothing is heard: the broker keeps it."""
        wait, told = AGAIN_AFTER[0], ""
        while True:
            try:
                await self._store.open()
                self.opened += 1
                self.database_up = True
                wait, told = AGAIN_AFTER[0], ""
                await self._archive()
            except StoreError as error:
                if str(error) != told:
                    told = str(error)
                    log.warning("%s; trying again", told)
            finally:
                self.database_up = self.broker_up = False
                self.intake.forget()
                with contextlib.suppress(StoreError):
                    await self._store.close()
            await asyncio.sleep(wait)
            wait = min(wait * 2, AGAIN_AFTER[1])

    async def _archive(self) -> None:
        """Raises StoreError when the database goes."""
        mqtt, group = self._config.mqtt, self._config.archive.group
        feed = Feed(
            mqtt.addresses,
            mqtt,
            mqtt.prefix,
            self._take,
            topics=STANDING if group else (*RECORDS, *STANDING),
            shared=RECORDS if group else (),
            group=group,
            identifier=self._name,
            lasting=True,
            settled=True,
        )
        feed.on_connection = self._connection
        feed.on_unreadable = self.intake.take
        self._asker = Asker(feed, self._name)
        self.intake.feed = feed
        filler = Gapfiller(self._store, self._asker, self._name)
        self.intake.troubles = troubles = Troubles(self._store, self._config.approved, bool(group))
        section, witness = self._config.witness, None
        if section.name:
            cosigning = Cosigning(Heads(self._store), Cosigner(section.name, Path(section.key)))
            witness = Tables(
                self._store, cosigning, self._config.approved, self._asker, troubles.tell, self._name, section.outside
            )
            self.intake.heads = Arriving(self._store, cosigning.heads, troubles.tell, witness.came)
        self.intake.cases = Opening(self._store, self._config.cases.jackpot)
        keeper = Keeper(self._store, self._config.cases, self._name)
        stamper = Stamper(self._store, self._config.timestamp, self._name, approved=self._config.approved)
        remover = Remover(self._store, rules(self._config.archive.keep), self._name)
        async with (
            beside(remover.run()) as removing,
            beside(witness.run() if witness is not None else _nothing()) as witnessing,
            beside(feed.run()) as hearing,
            beside(self.intake.run()) as storing,
            beside(filler.run()) as filling,
            beside(troubles.run()) as judging,
            beside(stamper.run()) as stamping,
            beside(keeper.run()) as keeping,
        ):
            work = {hearing, storing, filling, judging, stamping, witnessing, keeping, removing}
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()

    def _connection(self, trouble: str | None) -> None:
        self.broker_up = trouble is None
        if trouble is None:
            log.info("archiving as %s", self._name)

    def _take(self, message: Message) -> None:
        self._asker.take(message)
        self.intake.take(message)


async def _nothing() -> None:
    """For ever: there is no witness."""
    await asyncio.Event().wait()
