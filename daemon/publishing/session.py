"""The transfer over one connection of the outbox: records in order, many at a time, and states beside them.

Reports to the journal how far the broker acknowledged. Ends with the error that ended the connection; opens none
itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING

from pitwatch.daemon.common.background import Tasks
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.broker_client import WINDOW
from pitwatch.daemon.publishing.envelope import Envelope, Message
from pitwatch.daemon.publishing.known_brokers import BELIEVED

if TYPE_CHECKING:
    from pitwatch.daemon.publishing.broker_trial import Takes
    from pitwatch.daemon.publishing.telling_client import TellingClient

READ_ROWS = 500
"""Records read from the journal's file at a time when memory does not reach back."""

STALLED_AFTER = 20.0
"""Seconds without an acknowledgement of what is under way, after which the connection is given up."""


class Session:
    """What is under way over one connection."""

    def __init__(
        self,
        client: TellingClient,
        journal: Journal,
        envelope: Envelope,
        takes: Takes,
        too_large: Callable[[Record, int], bool],
    ):
        from pitwatch.daemon.publishing.echo import Echo

        self.takes = takes
        self._too_large = too_large
        self._echo = Echo(client, envelope, takes.qos)
        self._client = client
        self._journal = journal
        self._envelope = envelope
        self._loop = asyncio.get_running_loop()
        self._failed: asyncio.Future[None] = self._loop.create_future()
        self._tasks = Tasks()
        self._sent = journal.delivered
        self._ready: deque[Record] = deque()  # read, not yet sent
        self._under_way: deque[int] = deque()
        self._acknowledged: set[int] = set()
        self._reading = False
        self._progress = self._loop.time()
        self._open = True
        self._on_request: Callable[[str, bytes, bool], None] = lambda asked, payload, retained: None
        self._requests = ""
        self._tasks.start(self._watch())
        if not takes.unheard:
            self._tasks.start(self._hear_itself())

    def put(self, message: Message) -> None:
        """Publish a state; it goes beside the records. One that the broker does not take is left out."""
        if message.size <= self.takes.largest:
            self._tasks.start(self._publish(message))

    def put_late(self, records: list[Record]) -> None:
        """Publish a record that had been passed over; what is retained there is newer."""
        for record in records:
            self.put(self._envelope.messages(record)[0]._replace(retain=False))

    def pump(self) -> None:
        """Send what is committed, as far as the window allows."""
        while self._open and len(self._under_way) < WINDOW and self._sent < self._journal.released:
            if not self._ready:
                if self._reading:
                    return
                self._ready.extend(self._journal.fresh(self._sent, WINDOW))
            if not self._ready:
                self._reading = True
                self._journal.read(self._sent, READ_ROWS, self._read)
                return
            record = self._ready[0]
            messages = self._envelope.messages(record)
            size = max(message.size for message in messages)
            passed_over = size > self.takes.largest
            if passed_over and self._too_large(record, size):
                if not self._under_way:
                    told = f"record {record.seq} has {size} bytes and it takes {self.takes.largest}"
                    self._fail(ValueError(f"{told}; another broker of the list may take it"))
                return
            self._ready.popleft()
            self._sent = record.seq
            if not self._under_way:
                self._progress = self._loop.time()
            self._under_way.append(record.seq)
            if passed_over:
                self._acknowledged.add(record.seq)
                self._settle()
                continue
            *before, last = messages
            # All go before the next record: what takes away a retained message shall not come after its successor.
            sent = [self._tasks.start(self._publish(message)) for message in before]
            self._tasks.start(self._publish(last, record.seq, sent))

    def heed(self, base: str, on_request: Callable[[str, bytes, bool], None]) -> None:
        """Subscribe to requests: `base` and a verb, or a verb and the client's name."""
        self._on_request, self._requests = on_request, base
        self._tasks.start(self._subscribe(base + "+", base + "+/+"))

    async def ended(self) -> None:
        """Returns never; raises what ended the connection."""
        while True:
            await asyncio.wait({self._failed}, timeout=STALLED_AFTER / 4)
            if self._failed.done():
                self._failed.result()
            if self._under_way and self._loop.time() - self._progress > STALLED_AFTER:
                raise ValueError(f"nothing acknowledged for {STALLED_AFTER:.0f} s")

    def close(self) -> None:
        self._open = False
        self._tasks.cancel()

    def _read(self, records: list[Record]) -> None:
        self._reading = False
        if not records:
            self._loop.call_later(1.0, self.pump)  # the file cannot be read now; the journal says why
            return
        self._ready.extend(records)
        self.pump()

    async def _publish(self, message: Message, seq: int = 0, before: Sequence[asyncio.Task[None]] = ()) -> None:
        """Have it acknowledged; with it record `seq`, if those `before` it are too."""
        topic, payload, retain = message
        try:
            takes = self.takes
            await self._client.publish(topic, payload, qos=takes.qos, retain=retain and takes.retain, timeout=inf)
            if not takes.qos:  # acknowledged by nobody: what is answered after it shows that the broker has had it
                await self._client.subscribe(self._echo.topic, timeout=inf)
            if before:
                await asyncio.gather(*before)
            if self._client.refused:
                raise ValueError(self._client.refused)
        except Exception as error:
            self._fail(error)
            return
        if seq and not self._failed.done():
            self._arrived(seq)

    def _arrived(self, seq: int) -> None:
        self._progress = self._loop.time()
        self._acknowledged.add(seq)
        self._settle()
        self.pump()

    def _settle(self) -> None:
        while self._under_way and self._under_way[0] in self._acknowledged:
            seq = self._under_way.popleft()
            self._acknowledged.discard(seq)
            self._journal.deliver(seq)

    async def _subscribe(self, *topics: str) -> None:
        try:
            await self._client.subscribe([(topic, 1) for topic in topics], timeout=inf)
        except Exception as error:
            self._fail(error)

    async def _watch(self) -> None:
        """Hear what comes, and notice a connection that ends while nothing is sent."""
        try:
            async for message in self._client.messages:
                if not isinstance(message.payload, bytes):
                    continue
                if str(message.topic) == self._echo.topic:
                    self._echo.take(message.payload)
                else:
                    asked = str(message.topic).removeprefix(self._requests)
                    self._on_request(asked, message.payload, message.retain)
        except Exception as error:
            self._fail(error)

    async def _hear_itself(self) -> None:
        """Now and then, over a connection that lasts: its configuration may change to accept less."""
        from pitwatch.daemon.publishing.echo import NoEchoError

        try:
            while True:
                await asyncio.sleep(BELIEVED)
                await self._echo.ask()
                if not await self._echo.passes(self.takes.largest):
                    raise ValueError(f"the broker passes on no more what has {self.takes.largest} bytes")
        except NoEchoError as error:
            self._fail(ValueError(f"the table does not hear its echo any more: {error}"))
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._failed.done():
            self._failed.set_exception(error)
