"""Sends what is due to one receiver, in a thread of its own: a dead server delays nobody else."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from pitwatch.floor.archive.intake import beside
from pitwatch.floor.notify.config import NotifySection, Receiver
from pitwatch.floor.notify.outbox import Outbox, Waiting
from pitwatch.floor.notify.ways import way_of
from pitwatch.floor.outward import OutwardError

FIRST_S, MOST_S = 2.0, 300.0
"""Seconds before the second attempt, and most between two."""
TRIES = 5
"""Attempts at a notice that the receiver has something against."""
PAUSE_S = 0.5

log = logging.getLogger("pitwatch.notify")


class Sender:
    """`run` until cancelled. `sent` and `given_up` count since the start."""

    def __init__(self, outbox: Outbox, to: Receiver, section: NotifySection):
        self._outbox = outbox
        self._to = to
        self._give_up_s = section.give_up_hours * 3600
        self._timeout_s = section.timeout_s
        self._way = way_of(to, section.timeout_s)
        self._thread = ThreadPoolExecutor(1, f"notify {to.name}")
        self._waits = 0.0
        self._told = ""
        self.sent = self.given_up = 0

    async def run(self) -> None:
        """Raises StoreError."""
        try:
            while True:
                waiting = await self._outbox.due(time.time())
                if waiting is None or not await self._send(waiting):
                    await asyncio.sleep(max(PAUSE_S, self._waits))
        finally:
            self._way.abort()
            self._thread.shutdown(wait=False)

    async def _send(self, waiting: Waiting) -> bool:
        """Whether another may follow at once."""
        try:
            async with beside(self._limit()):
                await asyncio.get_running_loop().run_in_executor(self._thread, self._way.send, waiting.notice)
        except OutwardError as error:
            await self._failed(waiting, error)
            return not error.lasting
        await self._outbox.done(waiting.id)
        self.sent += 1
        self._waits = 0.0
        if self._told:
            self._told = ""
            log.info("%s: notices are taken again", self._to.name)
        return True

    async def _limit(self) -> None:
        """End an attempt whose server answers a byte at a time."""
        await asyncio.sleep(2 * self._timeout_s)
        while True:
            self._way.abort()
            await asyncio.sleep(1.0)

    async def _failed(self, waiting: Waiting, error: OutwardError) -> None:
        now = time.time()
        pause = min(FIRST_S * 2 ** min(waiting.attempts, 20), MOST_S)
        over = now - waiting.made > self._give_up_s or (not error.lasting and waiting.attempts + 1 >= TRIES)
        if error.lasting:
            self._waits = min(max(FIRST_S, 2 * self._waits), MOST_S)
        if over:
            self.given_up += 1
            log.error("%s: the notice of case %d was given up: %s", self._to.name, waiting.notice.case, error)
        elif str(error) != self._told:
            self._told = str(error)
            log.warning("%s: %s; trying again", self._to.name, error)
        await self._outbox.failed(waiting, now + (0.0 if error.lasting else pause), str(error), over)
