"""The bridge: hears the tables, publishes ONVIF events. Two connections, each of which may be lost and comes back.

A message of a table counts as received only once its event is at the other broker, so a table's broker that keeps
messages (`client`) loses none. Properties are published again at each connection, and those that a former run left
there and that no longer hold are withdrawn.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.publishing.broker_client import client, reason
from pitwatch.daemon.publishing.turns import Turns
from pitwatch.floor.feed import BACKOFF_FIRST, BACKOFF_MOST, Feed
from pitwatch.floor.message import Message
from pitwatch.floor.onvif.config import Onvif
from pitwatch.floor.onvif.events import CONDITION, IRREGULARITY, STATUS, TOPICS, OnvifEvent, onvif_event
from pitwatch.hal.onvif_ej import MARK, level

if TYPE_CHECKING:
    import aiomqtt

REMEMBERED = 20_000
"""Irregularities that are not published again."""

WAITING = 10_000
"""Events kept while the other broker is away; then the oldest are dropped, unless the tables' broker has them too."""

KNOWN_S = 10.0
"""Seconds after the tables' broker was reached in which it gives what is retained there."""

log = logging.getLogger("pitwatch.onvif")


class Bridge:
    """`run` until cancelled. `published` and `dropped` count events."""

    def __init__(self, tables: MqttSection, onvif: Onvif, known_s: float = KNOWN_S):
        self._onvif = onvif
        self._to = onvif.mqtt or tables
        self._known_s = known_s
        self._feed = Feed(
            tables.addresses, tables, tables.prefix, self._take, topics=TOPICS, identifier=onvif.client or None,
            lasting=bool(onvif.client), settled=True,
        )  # fmt: skip
        self._waiting: deque[tuple[OnvifEvent, Message | None]] = deque()
        self._news = asyncio.Event()
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._properties: dict[str, bytes] = {}
        self._left: set[str] = set()
        self._heard: set[str] = set()
        """Tables, as topics have them."""
        self.published = self.dropped = 0
        self.trouble: str | None = "not connected yet"

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._feed.run())
            tasks.create_task(self._publish_for_ever())

    def _take(self, message: Message) -> None:
        self._heard.add("&" + "/".join(map(level, message.table.split("/"))))
        try:
            made = onvif_event(self._onvif.prefix, message)
        except ValueError as error:
            log.warning("%s", error)
            made = None
        if made is None or not self._is_news(made, message):
            self._feed.settle(message)
            return
        self._waiting.append((made, message))
        if len(self._waiting) > WAITING:
            self._waiting.popleft()
            self.dropped += 1
        self._news.set()

    def _is_news(self, made: OnvifEvent, message: Message) -> bool:
        if made.retained:
            if self._properties.get(made.topic, b"") == made.payload:
                return False
            self._properties[made.topic] = made.payload
            if not made.payload:
                del self._properties[made.topic]
            return True
        assert message.event is not None
        key = (message.table, message.event.id)
        if key in self._seen:
            return False
        self._seen[key] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return True

    async def _publish_for_ever(self) -> None:
        import aiomqtt

        loop = asyncio.get_running_loop()
        turns = Turns(self._to.addresses, BACKOFF_FIRST, BACKOFF_MOST)
        while True:
            address, began = turns.address, loop.time()
            try:
                async with await client(self._to, address, None, incoming=0) as connected:
                    await self._publish(connected)
            except (aiomqtt.MqttError, OSError, ValueError, RuntimeError) as error:
                self._say(f"broker {address.host}:{address.port}: {reason(error)}")
            await asyncio.sleep(turns.next(loop.time() - began))

    async def _publish(self, connected: aiomqtt.Client) -> None:
        self._left = set()
        for local in (CONDITION, STATUS):
            await connected.subscribe(f"{self._onvif.prefix}/{MARK}/{local}/#", qos=1)
        hearing = asyncio.create_task(self._hear_what_is_left(connected))
        clearing = asyncio.create_task(self._withdraw_what_is_over())
        try:
            self._say(None)
            for topic, payload in list(self._properties.items()):
                await connected.publish(topic, payload, qos=1, retain=True)
            while True:
                while self._waiting:
                    made, message = self._waiting[0]
                    await connected.publish(made.topic, made.payload, qos=1, retain=made.retained)
                    if self._waiting and self._waiting[0] == (made, message):
                        self._waiting.popleft()
                    self.published += 1
                    if message is not None:
                        self._feed.settle(message)
                self._news.clear()
                waiting = asyncio.create_task(self._news.wait())
                done, _ = await asyncio.wait((waiting, hearing), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if hearing in done:
                    hearing.result()  # the connection is lost
                    return
        finally:
            for task in (hearing, clearing):
                task.cancel()
            await asyncio.gather(hearing, clearing, return_exceptions=True)

    async def _hear_what_is_left(self, connected: aiomqtt.Client) -> None:
        async for message in connected.messages:
            if message.retain and message.payload:
                self._left.add(str(message.topic))

    async def _withdraw_what_is_over(self) -> None:
        """Once the tables' broker has given what holds: what a former run left here and holds no longer."""
        since = 0.0
        while since < self._known_s:
            await asyncio.sleep(self._known_s / 10)
            since = since + self._known_s / 10 if self._feed.connected else 0.0
        for topic in sorted(self._left - self._properties.keys()):
            where = topic[topic.index("&") :] if "&" in topic else ""
            if "/".join(where.split("/")[:2]) not in self._heard:  # perhaps another bridge's
                continue
            self._waiting.append((OnvifEvent(topic, b"", True), None))
        self._news.set()

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble is None:
                log.info("ONVIF events are published below %s/%s/%s", self._onvif.prefix, MARK, IRREGULARITY[:8])
            else:
                log.warning("%s; trying again", trouble)
