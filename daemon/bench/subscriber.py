"""The bench's subscriber: removes duplicates by id, detects gaps, shows each event as it arrives."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.contract.attributes import Digits
from pitwatch.daemon.publishing.broker_client import reason

Show = Callable[[str, str, dict[str, Any]], None]
"""Called with (table, kind, event) for every event received once."""


class _Event(msgspec.Struct):
    id: str
    source: str
    type: str
    data: Any
    bootid: str = ""
    sequence: int | Digits | None = None
    monotonic: Digits = "0"


class Subscriber:
    """What a subscriber has received, by table: rounds, irregularities by rule, sequences. `boots`: of the daemons that
    count; a broker may keep what others have left there."""

    def __init__(self, show: Show, boots: Collection[str]):
        self._boots = boots
        self.rounds: Counter[str] = Counter()
        self.partial: Counter[str] = Counter()
        self.reported: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.messages = 0
        self.duplicates = 0
        self._show = show
        self._seen: defaultdict[str, set[int]] = defaultdict(set)
        self._decode = msgspec.json.Decoder(_Event).decode

    def received(self, table: str) -> int:
        """How many different records of a table have arrived."""
        return len(self._seen[table])

    def missing(self, table: str) -> int:
        """Records that a gap in the sequence shows not to have arrived."""
        seen = self._seen[table]
        return max(seen) - min(seen) + 1 - len(seen) if seen else 0

    def take(self, payload: bytes) -> None:
        """One message. An empty payload only removes a retained one."""
        if not payload:
            return
        event = self._decode(payload)
        if event.bootid not in self._boots:
            return
        table = event.source.rpartition("/")[2]
        kind = event.type.split(".")[1]
        self.messages += 1
        if event.sequence is not None:
            sequence = int(event.sequence)
            if sequence in self._seen[table]:
                self.duplicates += kind != "alert"  # repeated while it lasts
                return
            self._seen[table].add(sequence)
        if kind == "round":
            self.rounds[table] += 1
            self.partial[table] += bool(event.data["partial"])
        elif kind == "irregularity":
            self.reported[table][event.data["rule"].rpartition("/")[2]] += 1
        self._show(table, kind, {"t": int(event.monotonic) / 1e9, **event.data})

    @contextlib.asynccontextmanager
    async def listening(self, broker: BrokerAddress, topic: str) -> AsyncIterator[None]:
        """Subscribed to everything below `topic` for the length of the block, which is broken off if the broker goes.
        Raises UsageError then, or if nobody answers."""
        import aiomqtt

        place = f"broker {broker.host}:{broker.port}"
        async with contextlib.AsyncExitStack() as stack:
            try:
                client = await stack.enter_async_context(
                    aiomqtt.Client(broker.host, broker.port, max_queued_incoming_messages=0)
                )
                await client.subscribe(f"{topic}/#", qos=1)
            except aiomqtt.MqttError as error:
                raise UsageError(f"{place}: {reason(error)}; start it, or name another with --broker") from None
            try:
                async with asyncio.TaskGroup() as beside:
                    listening = beside.create_task(self._listen(client))
                    yield
                    listening.cancel()
            except BaseExceptionGroup as group:
                first = group.exceptions[0]
                if isinstance(first, aiomqtt.MqttError):
                    raise UsageError(f"{place}: {reason(first)}; nothing can be compared without it") from None
                raise first from None

    async def _listen(self, client: Any) -> None:
        async for message in client.messages:
            if "/request/" not in str(message.topic):  # requests of other clients; no event
                self.take(bytes(message.payload or b""))
