"""The bench's subscriber: removes duplicates by id, detects gaps, shows each event as it arrives."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.event import Event
from pitwatch.daemon.publishing.broker_client import client, reason

Show = Callable[[str, str, dict[str, Any]], None]
"""Called with (table, kind, event) for every event received once."""


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
        self._decode = msgspec.json.Decoder(Event).decode

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
        kind, sequence, data = event.kind, event.sequence, event.payload()
        self.messages += 1
        if sequence is not None:
            if sequence in self._seen[table]:
                self.duplicates += kind != "alert"  # repeated while it lasts
                return
            self._seen[table].add(sequence)
        if kind == "round":
            self.rounds[table] += 1
            self.partial[table] += bool(data["partial"])
        elif kind == "irregularity":
            self.reported[table][data["rule"].rpartition("/")[2]] += 1
        self._show(table, kind, {"t": event.monotonicns / 1e9, **data})

    @contextlib.asynccontextmanager
    async def listening(self, url: str, topic: str) -> AsyncIterator[None]:
        """Subscribed to everything below `topic` for the length of the block, which is broken off if the broker goes.
        Raises UsageError then, or if nobody answers."""
        import aiomqtt

        broker = parse_broker_url(url)
        place = f"broker {broker.host}:{broker.port}"
        async with contextlib.AsyncExitStack() as stack:
            try:
                made = await client(MqttSection(url=url), broker, None, incoming=0)
                connected = await stack.enter_async_context(made)
                await connected.subscribe(f"{topic}/#", qos=1)
            except aiomqtt.MqttError as error:
                raise UsageError(f"{place}: {reason(error)}; start it, or name another with --broker") from None
            try:
                async with asyncio.TaskGroup() as beside:
                    listening = beside.create_task(self._listen(connected))
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
