"""The floor as `pitwatch watch` has it: the same model, fed by the same feed. One for all who look."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque

from pitwatch.daemon.common.background import Tasks
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.asking import Asker
from pitwatch.floor.bookmarks import Bookmarks
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.feed import Feed
from pitwatch.floor.identity.guard import Guard
from pitwatch.floor.message import Message
from pitwatch.floor.open_lines import AskArchive
from pitwatch.floor.watch.acknowledging import Acknowledger
from pitwatch.floor.watch.beginning import Beginning
from pitwatch.floor.watch.errands import Errands
from pitwatch.floor.watch.model import TOPICS, Floor
from pitwatch.floor.watch.wording import clean
from pitwatch.floor.web.open_rounds import LIVE, OpenRounds

TICK_S = 0.25


class Watching:
    """`ask`: what an archive knows to be open. `live_cards`: hear cards of open rounds too."""

    def __init__(self, config: FloorConfig, ask: AskArchive | None, live_cards: bool):
        self.floor = Floor()
        self.floor.connection("not connected yet", time.time())
        self.revision = 0
        """Another whenever something may have changed."""
        self.said: deque[tuple[float, str]] = deque(maxlen=20)
        """Results of what people asked for, with their times."""
        self.open_rounds = OpenRounds()
        topics = (*TOPICS, LIVE) if live_cards else TOPICS
        self.feed = Feed(config.mqtt.addresses, config.mqtt, config.mqtt.prefix, self._take, topics)
        self.feed.on_connection = self._connection
        asker = Asker(self.feed, "web")
        self._take_answer = asker.take
        self._guard = Guard(config.approved, self.floor.contradicted, self.floor.settled)
        self.acknowledger = Acknowledger(self.floor, asker.acknowledge, Allowance(), self._told)
        self.beginning = Beginning(self.floor, ask)
        self._bookmarks = Bookmarks(config.video)
        self.video = config.video.wanted
        self.errands = Errands(self.floor, asker, self._bookmarks, config.video.wanted, self._told)
        self._tasks = Tasks()

    async def run(self) -> None:
        """Until cancelled."""
        self._bookmarks.start()
        work = [asyncio.create_task(each.run()) for each in (self.feed, self._guard, self.beginning)]
        known = ""
        try:
            while True:
                await asyncio.sleep(TICK_S)
                for task in work:
                    if task.done() and not task.cancelled() and task.exception() is not None:
                        task.result()
                concerns = len(self.floor.concerns)
                self.floor.tick(time.time())
                self._guard.tick(time.time())
                unknown = self.beginning.unknown
                if unknown != known or concerns != len(self.floor.concerns):
                    known = unknown
                    self.revision += 1
        finally:
            for task in work:
                task.cancel()
            for task in work:
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            self._bookmarks.stop()

    def _connection(self, trouble: str | None) -> None:
        self.floor.connection(trouble, time.time())
        self.revision += 1

    def _take(self, message: Message) -> None:
        now = time.time()
        self.open_rounds.take(message)
        if not message.subtopic.startswith("live/"):
            self._take_answer(message)
            self.floor.take(message, now)
            self._guard.take(message, now)
        self.revision += 1

    def _told(self, what: str, bad: bool) -> None:
        self.said.append((time.time(), clean(what)))
        self.revision += 1
