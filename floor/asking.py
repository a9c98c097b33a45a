"""Requests to tables (docs/access.md) and their answers."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import msgspec
from msgspec import UNSET

from pitwatch.daemon.contract.asked import (
    AcknowledgeRequest,
    ConsistencyRequest,
    CosignRequest,
    ReplayRequest,
    SnapshotRequest,
)
from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message

ANSWERED_WITHIN = 10.0
"""Seconds. A table that answers no requests says nothing at all."""


class Asker:
    """`take` has to be called with every message of the feed, which must hear `response/+`. `by`: what the asker calls
    himself; he asks under the feed's name at the broker, where it has one."""

    def __init__(self, feed: Feed, by: str):
        self._feed = feed
        self._by = by
        self._open: dict[tuple[str, str], asyncio.Future[ResponseData]] = {}
        """What is waited for, by the client's name and the request's id: others may use the same id."""

    def take(self, message: Message) -> None:
        """Looks for answers among what comes."""
        if message.event is None or message.event.kind != "response":
            return
        try:
            answer = msgspec.json.decode(message.event.data, type=ResponseData)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        client = "" if answer.client is UNSET else answer.client
        waiting = self._open.get((client, answer.request or ""))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def replay(self, table: str, first: int, last: int) -> ResponseData:
        """Have records sent again; they come by the feed, as they were. Raises as `_ask` does."""
        return await self._ask(table, "replay", ReplayRequest(id=_new(), by=self._by, first=first, last=last))

    async def acknowledge(self, table: str, sequence: int, by: str, note: str = "") -> ResponseData:
        """Send a table the acknowledgement of one of its records."""
        return await self._ask(table, "acknowledge", AcknowledgeRequest(id=_new(), by=by, sequence=sequence, note=note))

    async def snapshot(self, table: str) -> ResponseData:
        """How a table stands."""
        return await self._ask(table, "snapshot", SnapshotRequest(id=_new(), by=self._by))

    async def consistency(self, table: str, old: int, new: int) -> ResponseData:
        """The proof that the journal's tree of `new` records begins with that of `old` records."""
        return await self._ask(table, "consistency", ConsistencyRequest(id=_new(), by=self._by, old=old, new=new))

    async def cosign(self, table: str, note: str) -> ResponseData:
        """Hand over a head that a witness has cosigned."""
        return await self._ask(table, "cosign", CosignRequest(id=_new(), by=self._by, note=note))

    async def _ask(self, table: str, verb: str, request: Any) -> ResponseData:
        """Raises ConnectionError without a broker, TimeoutError if no answer comes."""
        answer: asyncio.Future[ResponseData] = asyncio.get_running_loop().create_future()
        name = await self._feed.name()
        self._open[name, request.id] = answer
        try:
            topic = f"request/{verb}/{name}" if name else f"request/{verb}"
            await self._feed.publish(table, topic, msgspec.json.encode(request))
            async with asyncio.timeout(ANSWERED_WITHIN):
                return await answer
        except TimeoutError:
            raise TimeoutError(f"{table} does not answer; its configuration may not allow {verb}") from None
        finally:
            del self._open[name, request.id]


def _new() -> str:
    return uuid.uuid4().hex[:16]
