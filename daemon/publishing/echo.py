"""A table's own echo: a message that comes back on `echo` was passed on by the broker, not only acknowledged.

Over MQTT 3.1.1 a broker may acknowledge a message and silently drop it. Uses a connection that the caller keeps and
reads.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from pitwatch.daemon.contract.messages import EchoData
from pitwatch.daemon.publishing.envelope import ECHO, Envelope

if TYPE_CHECKING:
    from pitwatch.daemon.publishing.telling_client import TellingClient

PATIENCE = 10.0
"""Seconds for the echo of an empty message."""

LEAST_RATE = 2_000
"""Bytes a second of the slowest line on which a large echo is waited for to its end."""

REFUSED = 0x80
"""Codes of MQTT from which on they are refusals."""


class NoEchoError(Exception):
    """Nothing comes back at all, so nothing can be said about what the broker does."""


class Echo:
    """Over one connection. The caller, who reads it, passes on what comes on the topic (`take`)."""

    def __init__(self, client: TellingClient, envelope: Envelope, qos: int = 1):
        self._client = client
        self._envelope = envelope
        self.topic = envelope.topic(ECHO)
        self._qos = qos
        self._came: asyncio.Queue[int] = asyncio.Queue()
        self._number = 0

    def take(self, payload: bytes) -> None:
        """A message has come on the topic."""
        self._came.put_nowait(len(payload))

    async def ask(self) -> None:
        """Subscribe. Raises NoEchoError if the table may not, MqttError."""
        codes = await self._client.before_end(self._client.subscribe(self.topic, qos=self._qos, timeout=PATIENCE))
        if any(getattr(code, "value", code) >= REFUSED for code in codes):
            raise NoEchoError("the broker refuses the subscription to it")

    async def any(self) -> None:
        """Hear the echo of an empty message. Raises NoEchoError if it does not come, MqttError."""
        sent = asyncio.ensure_future(self._put(b""))
        try:
            heard = asyncio.ensure_future(self._next(PATIENCE))
            await asyncio.wait((sent, heard), return_when=asyncio.FIRST_COMPLETED)
            if not heard.done() and self._client.refused:
                heard.cancel()
                raise NoEchoError("the broker refuses messages on that topic")
            came = await heard
        finally:
            sent.cancel()
            await asyncio.gather(sent, return_exceptions=True)
        if came is None:
            raise NoEchoError(f"it did not come back within {PATIENCE:.0f} s")

    async def passes(self, size: int, patience: float | None = None) -> bool:
        """Whether a message of so many bytes (topic and payload) comes back. An empty one goes behind it: the order of
        a topic is kept, so if that comes alone the other was thrown away. `patience`: seconds that each is waited for,
        by default as a slow line needs them. Raises NoEchoError if nothing comes, MqttError."""
        payload = self.payload(size)
        if patience is None:
            patience = PATIENCE + 2 * size / LEAST_RATE
        sent = [asyncio.ensure_future(self._put(each)) for each in (payload, b"")]
        try:
            first = await self._next(patience)
            if first and await self._next(patience) is None:
                first = None
        finally:
            for task in sent:
                task.cancel()
            await asyncio.gather(*sent, return_exceptions=True)
        if first is None:
            raise NoEchoError(f"{size} bytes did not come back within {patience:.0f} s")
        return first > 0

    async def acknowledged(self, size: int) -> None:
        """Publish so many bytes, whether they come back or not. Raises MqttError if the connection ends over it."""
        await self._put(self.payload(size))

    def payload(self, size: int) -> bytes:
        """An event that with its topic has so many bytes, or as few as there can be."""
        self._number += 1
        empty = self._envelope.probe(EchoData(probe=self._number, filler=""))
        filler = max(0, size - len(self.topic.encode()) - len(empty))
        return self._envelope.probe(EchoData(probe=self._number, filler="." * filler))

    async def _put(self, payload: bytes) -> None:
        await self._client.before_end(self._client.publish(self.topic, payload, qos=self._qos, timeout=inf))

    async def _next(self, seconds: float) -> int | None:
        """Bytes of the next payload that comes; None if none does in time. Raises MqttError if the connection ends."""
        try:
            async with asyncio.timeout(seconds):
                return await self._client.before_end(self._came.get())
        except TimeoutError:
            return None
