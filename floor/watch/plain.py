"""Changes on the floor as JSON lines, for scripts: each record once, and what only a subscriber can detect.

A line is {"table", "kind", …}. For messages of a table, `event` is the message as received; other lines have other
fields.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import msgspec

from pitwatch.daemon.common.ending import when_told
from pitwatch.floor.allowance import Allowance
from pitwatch.floor.asking import Asker
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.feed import Feed
from pitwatch.floor.identity.guard import Guard
from pitwatch.floor.message import Message
from pitwatch.floor.watch.looking_back import LookingBack
from pitwatch.floor.watch.model import TOPICS, Floor
from pitwatch.floor.watch.records import Change


def line(change: Change) -> str:
    """One line of JSON."""
    said: dict[str, Any] = {"table": change.table or None, "kind": change.kind, **change.data}
    if change.earlier:
        said["earlier"] = True
    if change.message is not None:
        said["event"] = msgspec.Raw(change.message.payload)
    return msgspec.json.encode(said).decode()


async def follow(
    config: FloorConfig, write: Callable[[str], None], since: float | None = None, floor: Floor | None = None
) -> None:
    """Write lines until SIGTERM, SIGINT or SIGHUP. `since`: how far to look back, in seconds since 1970; `floor`: a new
    one, where somebody else looks at it too. Raises OSError where a line cannot be written."""
    floor = floor or Floor()
    floor.connection("not connected yet", time.time())
    stopped = asyncio.Event()
    refused: list[OSError] = []

    def put(change: Change) -> None:
        if refused:
            return
        try:
            write(line(change))
        except OSError as error:  # the reader is gone, or there is no room: not the broker's fault
            refused.append(error)
            stopped.set()

    floor.on_change = put

    def take(message: Message) -> None:
        asker.take(message)
        floor.take(message, time.time())
        guard.take(message, time.time())
        if back is not None:
            back.take(message, time.time())

    feed = Feed(config.mqtt.addresses, config.mqtt, config.mqtt.prefix, take, TOPICS)
    asker = Asker(feed, "watch")
    guard = Guard(config.approved, floor.contradicted, floor.settled)
    back = None if since is None else LookingBack(floor, asker.replay, Allowance(), since)
    feed.on_connection = lambda trouble: floor.connection(trouble, time.time())
    work = [asyncio.create_task(each.run()) for each in (feed, guard, back) if each is not None]
    when_told(stopped.set)
    try:
        while not stopped.is_set() and not any(task.done() for task in work):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), 1.0)
            floor.tick(time.time())
            guard.tick(time.time())
    finally:
        for task in work:
            task.cancel()
        for task in work:
            with contextlib.suppress(asyncio.CancelledError):
                await task
    if refused:
        raise refused[0]
