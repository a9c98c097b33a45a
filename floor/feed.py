"""A subscriber's connection: kept up over the brokers of the list; passes on the messages of the floor.

Handles MQTT and topics; independent of the use of messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.publishing.broker_client import Credentials, client, reason
from pitwatch.daemon.publishing.turns import Turns
from pitwatch.floor.message import Message, Unreadable, read_message, table_of
from pitwatch.floor.own_name import own_name
from pitwatch.floor.subscribing import Subscribing

if TYPE_CHECKING:
    import aiomqtt

BACKOFF_FIRST, BACKOFF_MOST = 0.2, 4.0
"""Seconds between attempts to connect, doubled each time that no address answered, with jitter of half."""

log = logging.getLogger("pitwatch.feed")


class Feed:
    """Runs as one task (`run`).

    `topics` are patterns below `PREFIX/SITE/TABLE`, such as `irregularity/#`. `identifier`: the client's name, needed
    if `lasting`: the broker then keeps what comes while this subscriber is away. `shared`: patterns whose messages the
    instances of one `group` share between them (`$share/GROUP/…`). `settled`: a message counts as received only once
    `settle` is called with it; until then the broker sends it again at the next connection.
    """

    def __init__(
        self,
        addresses: Sequence[BrokerAddress],
        credentials: Credentials,
        prefix: str,
        take: Callable[[Message], None],
        topics: Sequence[str] = ("#",),
        identifier: str | None = None,
        lasting: bool = False,
        shared: Sequence[str] = (),
        group: str = "",
        settled: bool = False,
    ):
        self._addresses = addresses
        self._credentials = credentials
        self._prefix = prefix
        self._take = take
        self._patterns = topics
        self._shared = [f"$share/{group}/{prefix}/+/+/{topic}" for topic in shared]
        self._identifier = identifier
        self._lasting = lasting
        self._settled = settled
        self._client: aiomqtt.Client | None = None
        self._name: str | None = None
        self.connections = 0
        self.foreign = 0
        """Messages that no table would send."""
        self.trouble: str | None = "not connected yet"
        self.on_connection: Callable[[str | None], None] = lambda trouble: None
        """Called at each change: None, or why there is no connection."""
        self.on_unreadable: Callable[[Unreadable], None] | None = None
        """Told of what no table would send, which then is its to settle; None: one line in the log, and it counts as
        received."""

    @property
    def connected(self) -> bool:
        return self._client is not None

    async def run(self) -> None:
        """Keep a connection until cancelled."""
        import aiomqtt

        loop = asyncio.get_running_loop()
        turns = Turns(self._addresses, BACKOFF_FIRST, BACKOFF_MOST)
        while True:
            address, began = turns.address, loop.time()
            try:
                async with await client(
                    self._credentials, address, self._identifier, incoming=0, lasting=self._lasting
                ) as connected:
                    await self._listen(connected)
            except (aiomqtt.MqttError, OSError, ValueError, RuntimeError) as error:
                self._say(f"broker {address.host}:{address.port}: {reason(error)}")
            finally:
                self._client = None
            await asyncio.sleep(turns.next(loop.time() - began))

    async def publish(self, table: str, subtopic: str, payload: bytes) -> None:
        """Send a request to a table. Raises ConnectionError without a broker that takes it."""
        import aiomqtt

        if self._client is None:
            raise ConnectionError(self.trouble or "not connected")
        try:
            await self._client.publish(f"{self._prefix}/{table}/{subtopic}", payload, qos=1)
        except aiomqtt.MqttError as error:
            raise ConnectionError(reason(error)) from None

    async def name(self) -> str:
        """This client's name at the broker; empty where it has none."""
        if self._name is None:
            self._name = await asyncio.to_thread(own_name, self._credentials)
        return self._name

    def settle(self, message: Message | Unreadable) -> None:
        """The message is in safe hands. One of a former connection will come again; nothing is lost by that."""
        connection, packet = message.ticket
        if self._client is not None and packet and connection == self.connections:
            self._client._client.ack(packet, 1)

    async def _listen(self, connected: aiomqtt.Client) -> None:
        if self._settled:
            connected._client.manual_ack_set(True)  # aiomqtt has no word for it
        self.connections += 1
        self._client = connected
        subscribing = Subscribing(connected, self._prefix, self._patterns, self._shared)
        hearing = asyncio.create_task(self._hear(connected, subscribing))
        try:
            await subscribing.subscribe()
            self._say(None)
            await subscribing.complete()
            await hearing
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def _hear(self, connected: aiomqtt.Client, subscribing: Subscribing) -> None:
        async for message in connected.messages:
            subscribing.heard(str(message.topic), bool(message.retain))
            payload = message.payload if isinstance(message.payload, bytes) else b""
            ticket = (self.connections, message.mid)
            try:
                taken = read_message(self._prefix, str(message.topic), payload, message.retain, ticket)
            except ValueError as error:
                self.foreign += 1
                if self.on_unreadable is not None:
                    table = table_of(self._prefix, str(message.topic))
                    self.on_unreadable(Unreadable(table, str(message.topic), payload, str(error), ticket))
                    continue
                log.warning("%s", error)
                if self._settled:
                    connected._client.ack(message.mid, 1)
                continue
            self._take(taken)

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if trouble is not None:
                log.warning("%s; trying again", trouble)
            self.on_connection(trouble)
