"""Sends what a key asks for: a bookmark to the video system, a request for records. Reports the result in one line.

Uses the model and sends requests; independent of the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pitwatch.daemon.common.background import Tasks
from pitwatch.daemon.contract.asked import MOST_RECORDS
from pitwatch.floor.asking import Asker
from pitwatch.floor.bookmarks import Bookmarks
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.table import Table

LOOK_EVERY = 0.25
BOOKMARKED_WITHIN = 15.0
"""Seconds for which the video system's answer is waited for."""


class Errands:
    """`told` receives one line about each result, and whether badly. `video`: whether there is a system for
    bookmarks."""

    def __init__(
        self, floor: Floor, asker: Asker, bookmarks: Bookmarks, video: bool, told: Callable[[str, bool], None]
    ):
        self._floor = floor
        self._asker = asker
        self._bookmarks = bookmarks
        self._video = video
        self._told = told
        self._under_way = Tasks()

    def bookmark(self, concern: Concern) -> None:
        message, before = concern.message, (self._bookmarks.sent, self._bookmarks.failed)
        if message is None or concern.kind != "irregularity":
            self._told("bookmarks are of irregularities", False)
        elif not self._video:
            self._told("no video system: the floor's configuration has no [video]", False)
        elif self._bookmarks.send(message):
            self._told("bookmark on its way", False)
            self._under_way.start(self._bookmarked(before))
        else:
            self._told("no bookmark: made before, or neither time nor camera is known", False)

    def ask_again(self, item: Concern | Table) -> None:
        """For the evidence that an irregularity lacks, else for what its table lacks."""
        if isinstance(item, Concern) and item.kind == "irregularity":
            wanted, table = item.wanted, item.table
            stretches = [(min(wanted), max(wanted))] if wanted else []
        else:
            table = item.table if isinstance(item, Concern) else item.name
            stretches = self._floor.tables[table].sequences.gaps
        if not stretches:
            self._told("nothing is missing here", False)
            return
        self._under_way.start(self._ask(table, *stretches[0]))

    async def _bookmarked(self, before: tuple[int, int]) -> None:
        """Says what became of it."""
        for _ in range(int(BOOKMARKED_WITHIN / LOOK_EVERY)):
            await asyncio.sleep(LOOK_EVERY)
            if self._bookmarks.sent > before[0]:
                self._told("bookmark taken by the video system", False)
                return
            if self._bookmarks.failed > before[1]:
                self._told("the video system refuses the bookmark", True)
                return
            if self._bookmarks.trouble:
                self._told(f"bookmark waits: {self._bookmarks.trouble}", True)
                return

    async def _ask(self, table: str, first: int, last: int) -> None:
        """A table gives so many at a time, and takes so many requests; the rest is for another keystroke."""
        last = min(last, first + MOST_RECORDS - 1)
        self._told(f"asking {table} for records {first} to {last}", False)
        try:
            answer = await self._asker.replay(table, first, last)
        except (ConnectionError, TimeoutError) as error:
            self._told(str(error), True)
            return
        count = answer.count if isinstance(answer.count, int) else 0
        self._told(f"{table} gave {count} records again{': ' if answer.reason else ''}{answer.reason}", False)
