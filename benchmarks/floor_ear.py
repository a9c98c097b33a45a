"""The subscriber of a floor: hears every table over a lasting session, as an archive does, and says how late it was.

    python -m benchmarks.floor_ear URL…

Says `{"connected": true}` on standard output once it is. Each line `stock` on standard input is answered by what came
since the last: messages with a sequence, duplicates among them, and their lateness in ms after the moment they tell of;
`count` by how many of them there are so far.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time

from benchmarks.figure import median, percentile
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message


class Ear:
    """Everything since the last `take_stock`; what came in all is known by id."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._late: list[float] = []
        self._duplicates = 0
        self._bytes = 0
        self._cpu = time.process_time()

    def take(self, message: Message) -> None:
        now = time.monotonic_ns()
        event = message.event
        if event is None or event.sequence is None or message.retained:
            return
        if event.id in self._seen:
            self._duplicates += 1
            return
        self._seen.add(event.id)
        self._late.append((now - event.monotonicns) / 1e6)
        self._bytes += len(message.payload)

    def count(self) -> dict[str, float | None]:
        return {"received": len(self._late)}

    def take_stock(self) -> dict[str, float | None]:
        late, self._late = self._late, []
        told = {
            "received": len(late),
            "duplicates": self._duplicates,
            "bytes": self._bytes,
            "median": median(late) if late else None,
            "p99": percentile(late, 99) if late else None,
            "cpu": time.process_time() - self._cpu,
        }
        self._duplicates = self._bytes = 0
        self._cpu = time.process_time()
        return told


async def _serve(urls: list[str]) -> None:
    ear = Ear()
    addresses = [parse_broker_url(url) for url in urls]
    feed = Feed(addresses, MqttSection(url=urls), "pitwatch/1", ear.take, identifier="floor-ear", lasting=True)
    running = asyncio.create_task(feed.run())
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while feed.trouble is not None:  # noqa: ASYNC110 - it has no event
        await asyncio.sleep(0.02)
    print(json.dumps({"connected": True}), flush=True)
    while order := (await orders.readline()).strip():
        print(json.dumps(ear.count() if order == b"count" else ear.take_stock()), flush=True)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
