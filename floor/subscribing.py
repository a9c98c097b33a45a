"""Subscribes, and requests retained messages of a large floor in portions that fit a broker's queue.

By default mosquitto queues 1,000 messages for a client and silently drops the rest (`max_queued_messages`). All
retained messages of 300 tables come at once with the subscription. So after a large burst they are requested again,
some tables at a time; messages that came already come again. The client still subscribes to everything at once, because
otherwise live records of kinds without a subscription would seem to be missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiomqtt

RETAINED = ("status", "health", "integrity", "retention", "alert", "device", "statistic")
"""Kinds that tables retain (docs/contract.md)."""

QUIET = 0.15
"""Seconds without a retained message, after which what a subscription brought has come."""
MOST_WAIT = 30.0
"""Seconds for which one portion is waited for."""
MANY = 400
"""Retained messages at once, from which on some may have been dropped."""
PORTION = 25
"""Tables whose retained messages are asked for at a time."""
MOST_TABLES = 5_000

REFUSED = 128
"""Answers to a subscription from here on are refusals, in MQTT 3.1.1 and 5."""

log = logging.getLogger("pitwatch.feed")


class Subscribing:
    """One connection's subscriptions, `patterns` below `prefix`/SITE/TABLE; `shared` are whole patterns."""

    def __init__(self, client: aiomqtt.Client, prefix: str, patterns: Sequence[str], shared: Sequence[str] = ()):
        self._client = client
        self._prefix = prefix
        self._patterns = patterns
        self._shared = shared
        self._tables: dict[str, None] = {}
        self._retained = 0
        self._came = asyncio.Event()

    def heard(self, topic: str, retained: bool) -> None:
        """A message came."""
        if not retained:
            return
        self._retained += 1
        self._came.set()
        levels = topic.removeprefix(self._prefix + "/").split("/", 2)
        if len(levels) == 3 and len(self._tables) < MOST_TABLES:
            self._tables[f"{levels[0]}/{levels[1]}"] = None

    async def subscribe(self) -> None:
        """Everything at once. Raises MqttError."""
        await self._to([f"{self._prefix}/+/+/{pattern}" for pattern in self._patterns] + list(self._shared))

    async def complete(self) -> None:
        """Ask again for what may have been dropped; returns at once on a floor that is not large. Raises MqttError."""
        await self._quiet()
        if self._retained < MANY:
            return
        kept = [pattern for pattern in self._patterns if _kind(pattern) in RETAINED]
        if "status" in kept:
            await self._to([f"{self._prefix}/+/+/status"])  # by which every table is known
            await self._quiet()
        tables = list(self._tables)
        for at in range(0, len(tables), PORTION):
            topics = [f"{self._prefix}/{table}/{pattern}" for table in tables[at : at + PORTION] for pattern in kept]
            await self._to(topics)
            await self._quiet()
            await self._client.unsubscribe(topics)

    async def _to(self, topics: list[str]) -> None:
        granted = await self._client.subscribe([(topic, 1) for topic in topics])
        for topic, answer in zip(topics, granted, strict=False):
            code = answer if isinstance(answer, int) else getattr(answer, "value", 0)
            if code >= REFUSED:
                log.warning("the broker refuses the subscription to %s: none of its messages arrive", topic)

    async def _quiet(self) -> None:
        """Until nothing that is retained has come for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MOST_WAIT):
                while await self._comes():
                    pass

    async def _comes(self) -> bool:
        self._came.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET):
                return await self._came.wait()
        return False


def _kind(pattern: str) -> str:
    return pattern.partition("/")[0]
