"""Begins from the archive: asks what is open, and knows whether "nothing" can be said. Independent of the screen.

Asked at the start and after each connection to the broker; again while the archive is away, or has not yet stored what
came before the first record heard here.
"""

from __future__ import annotations

import asyncio
import time

from pitwatch.floor.open_lines import AskArchive, OpenLines
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import clean

LOOK_EVERY = 0.25
AGAIN_AFTER = (1.0, 30.0)
"""Seconds between questions: the first wait, and the longest."""
PATIENCE = 60.0
"""Seconds for an answer."""

NO_ARCHIVE = "no archive is named"
ASKING = "the archive is being asked"
AWAY = "the archive is away"
BEHIND = "the archive is behind"
NOT_HEARD = "not every table has spoken"


class Beginning:
    """`ask` the archive; None if none is named."""

    def __init__(self, floor: Floor, ask: AskArchive | None):
        self._floor = floor
        self._ask = ask
        self._answer: OpenLines | None = None
        self._of = -1.0
        """The connection that the answer belongs to."""
        self.trouble = ""
        """Why the archive does not answer, in one line."""

    @property
    def unknown(self) -> str:
        """Why it is not known what was before this view listened; empty if it is known."""
        if self._ask is None:
            return NO_ARCHIVE
        if self.trouble:
            return AWAY
        if self._answer is None or self._of != self._floor.connected_at:
            return ASKING
        answer = self._answer
        if answer.more:
            return "the archive has more open lines"
        if answer.lacking:
            return f"the archive lacks {answer.lacking} records"
        tables = self._floor.tables.values()
        if any(_joins(table, answer) is False for table in tables):
            return BEHIND
        return NOT_HEARD if any(_joins(table, answer) is None for table in tables) else ""

    async def run(self) -> None:
        """Until cancelled."""
        if self._ask is None:
            return
        wait = AGAIN_AFTER[0]
        while True:
            connection = self._floor.connected_at
            try:
                answer = await asyncio.wait_for(self._ask(), PATIENCE)
            except (ConnectionError, TimeoutError) as error:
                self.trouble = clean(str(error) or f"no answer within {PATIENCE:.0f} s")
            else:
                self.trouble = ""
                self._answer, self._of = answer, connection
                self._floor.begin(answer, time.time())
            asked = time.monotonic()
            while connection == self._floor.connected_at:
                if not self.unknown and not (self._answer and self._answer.troubles):  # one may end
                    wait = AGAIN_AFTER[0]
                elif time.monotonic() - asked >= wait:
                    wait = min(wait * 2, AGAIN_AFTER[1])
                    break
                await asyncio.sleep(LOOK_EVERY)


def _joins(table: Table, answer: OpenLines) -> bool | None:
    """Whether no record lies between what the archive has of a table and what was heard of it here; None if nobody can
    know yet."""
    reached = answer.reached.get(table.name, 0)
    if table.sequences.first:
        return table.sequences.first <= reached + 1
    if table.health is not None:
        return table.health.delivered <= reached
    if table.status is None:
        return table.remembered or None  # no broker knows it: it is the archive's alone
    return table.name in answer.ended if table.status.state in ("lost", "stopping") else None
