"""Judges messages as they arrive, for subscribers that store nothing. Verifies signatures in a thread, because that
takes milliseconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.journal.statements import is_genuine
from pitwatch.floor.identity.approved import Approved
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.identity.judging import Judge, Statement, statement
from pitwatch.floor.identity.known import Known
from pitwatch.floor.message import Message

MOST_WAITING = 5_000
"""Statements whose signature is yet to be verified; the oldest go first."""

log = logging.getLogger("pitwatch.watch")


class Guard:
    """`take` what comes and `tick` now and then; `run` beside them as a task."""

    def __init__(self, approved: Approved, found: Callable[[Finding, float], None], ended: Callable[[Ended], None]):
        self._judge = Judge(approved)
        self._known = Known()
        self._found = found
        self._ended = ended
        self._waiting: deque[tuple[Message, Statement, float]] = deque(maxlen=MOST_WAITING)
        self._came = asyncio.Event()

    def take(self, message: Message, now: float) -> None:
        self._judge.hear(message, now)
        if fields := self._known.differing(message):
            for found in self._judge.differs(message, fields):
                self._found(found, now)
        if (said := statement(message)) is not None:
            self._waiting.append((message, said, now))
            self._came.set()

    def tick(self, now: float) -> None:
        found, ended = self._judge.judge(now)
        for each in found:
            self._found(each, now)
        for over in ended:
            self._ended(over)

    async def run(self) -> None:
        """Verify signatures until cancelled."""
        while True:
            await self._came.wait()
            self._came.clear()
            while self._waiting:
                message, said, now = self._waiting.popleft()
                try:
                    genuine = await asyncio.to_thread(is_genuine, said)
                except SigningError as error:
                    log.warning("signatures cannot be verified here: %s", error)
                    continue
                for found in self._judge.signed(message, said, genuine, now):
                    self._found(found, now)
