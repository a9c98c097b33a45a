"""The outbox: a cursor over the journal that hands committed records to the broker, in order, many at a time.

Goes on at the next of its addresses whenever a connection ends. A fresh client for every connection, so that nothing
is queued anywhere but in the journal. The cursor moves only over records that the broker acknowledged without a gap;
what was under way when a connection broke is sent again under the same id. Never blocks the event loop. Knows nothing
of devices or rules.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from daemon.broker_client import WINDOW, client, reason
from daemon.broker_url import BrokerAddress
from daemon.chain import Record
from daemon.config import Config
from daemon.envelope import Envelope, Message
from daemon.journal import Journal
from daemon.turns import Turns

if TYPE_CHECKING:
    from daemon.telling_client import TellingClient

READ_ROWS = 500
"""Records read from the journal's file at a time when memory does not reach back."""

MOST_PENDING = 1_000
"""Publications waiting at once that are no reason for the library to complain: the window, states, a replay that is
asked for."""

STALLED_AFTER = 20.0
"""Seconds without an acknowledgement of what is under way, after which the connection is given up."""

BACKOFF_FIRST, BACKOFF_MOST = 0.5, 4.0
"""Seconds between attempts to connect, doubled each time that no address answered, with jitter of half. Retained
states are right within five seconds of the broker's return, whatever the length of its absence."""

SHORT, CUTS = 30.0, 3
"""So many connections in a row that each lasted less than so many seconds look like two clients of one name, of which
each puts the other out."""

log = logging.getLogger("pitwatch.mqtt")


class Publisher:
    """Runs as one task (`run`). `status` and `health` are states of the process: only the newest of each counts.

    `on_connection(bool)` is told when the broker is reached or lost.
    """

    def __init__(self, config: Config, journal: Journal, envelope: Envelope):
        self._addresses = config.brokers
        self._address = self._addresses[0]
        assert config.mqtt is not None
        self._settings = config.mqtt
        self._table = config.topic
        self._asked: set[BrokerAddress] = set()
        self._identifier = f"pitwatch-{config.table.site}-{config.table.id}"
        self._journal = journal
        self._envelope = envelope
        self._session: _Session | None = None
        self._states: dict[str, bytes] = {}
        self._first: Message | None = None
        self._will: Callable[[], bytes] = lambda: b""
        self.on_request: Callable[[str, bytes, bool], None] | None = None
        """Told of every message on `request/…`: what follows that, payload, whether it was retained. None: nothing is
        subscribed."""
        self.connections = 0
        self.trouble: str | None = "not connected yet"
        self.on_connection: Callable[[bool], None] = lambda connected: None
        journal.on_commit = self._committed

    def set_will(self, payload: Callable[[], bytes]) -> None:
        """`payload()` is what the broker shall publish as `status` if this connection is lost."""
        self._will = payload

    def begin_with(self, subtopic: str, payload: bytes) -> None:
        """The process's first state, which is told at the first connection before what is true by then."""
        self._first = Message(self._envelope.topic(subtopic), payload, True)

    def put_state(self, subtopic: str, payload: bytes) -> None:
        """Publish a retained state of the process, now if connected and at every connection to come."""
        self._states[subtopic] = payload
        if self._session is not None:
            self._session.put(Message(self._envelope.topic(subtopic), payload, True))

    def tell_alerts(self) -> None:
        """Publish the alerts that stand once more: not every broker keeps a retained message for those who come later,
        or wherever they come."""
        if self._session is not None:
            for record in self._delivered():
                if record.kind == "alert" and (message := self._envelope.retained(record)).payload:
                    self._session.put(message)

    def say(self, message: Message) -> None:
        """Publish something that nobody needs who does not hear it now."""
        if self._session is not None:
            self._session.put(message)

    async def run(self) -> None:
        """Keep a connection and hand records over it until cancelled."""
        import aiomqtt

        loop = asyncio.get_running_loop()
        turns = Turns(self._addresses, BACKOFF_FIRST, BACKOFF_MOST)
        cuts = 0
        while True:
            began, before = loop.time(), self.connections
            self._address = turns.address
            try:
                if self._address not in self._asked:
                    await self._permitted()
                will = Message(self._envelope.topic("status"), self._will(), True)
                async with await client(self._settings, self._address, self._identifier, will) as connected:
                    connected.pending_calls_threshold = MOST_PENDING
                    await self._serve(connected)
            except (aiomqtt.MqttError, OSError, ValueError, RuntimeError) as error:
                cuts = cuts + 1 if self.connections > before and loop.time() - began < SHORT else 0
                rival = f"; again and again: is another board or program {self._identifier}?" if cuts >= CUTS else ""
                self._say(reason(error) + rival)
            await asyncio.sleep(turns.next(loop.time() - began))

    async def _permitted(self) -> None:
        """Before anything counts as delivered. Raises ValueError if the broker drops what this table publishes."""
        from daemon.permission import refusal

        refused = await refusal(self._settings, self._address, self._identifier, self._table)
        if refused:
            raise ValueError(refused)

    async def drain(self, seconds: float) -> bool:
        """Wait until every record is acknowledged, at most so many seconds; whether that was reached."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self._journal.delivered < self._journal.last:
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(0.01)
        return True

    async def _serve(self, client: TellingClient) -> None:
        session = _Session(client, self._journal, self._envelope)
        self._session = session
        self.connections += 1
        self._asked.add(self._address)
        self._say(None)
        try:
            if self._first is not None:
                session.put(self._first)
                self._first = None
            for subtopic, payload in self._states.items():
                session.put(Message(self._envelope.topic(subtopic), payload, True))
            for record in self._delivered():
                session.put(self._envelope.retained(record))
            session.pump()
            if self.on_request is not None:
                session.heed(self._envelope.topic("request/"), self.on_request)
            await session.ended()
        finally:
            self._session = None
            session.close()

    def _delivered(self) -> list[Record]:
        """The newest record of each retained topic, if the broker has had it."""
        return [record for record in self._journal.retained.values() if record.seq <= self._journal.delivered]

    def _committed(self, seq: int) -> None:
        if self._session is not None:
            self._session.pump()

    def _say(self, trouble: str | None) -> None:
        if trouble != self.trouble:
            was, self.trouble = self.trouble, trouble
            place = f"broker {self._address.host}:{self._address.port}"
            if trouble is None:
                log.info("%s: connected", place)
            else:
                log.warning("%s: %s; trying again", place, trouble)
            if (was is None) != (trouble is None):
                self.on_connection(trouble is None)


class _Session:
    """What is under way over one connection."""

    def __init__(self, client: TellingClient, journal: Journal, envelope: Envelope):
        self._client = client
        self._journal = journal
        self._envelope = envelope
        self._loop = asyncio.get_running_loop()
        self._failed: asyncio.Future[None] = self._loop.create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._sent = journal.delivered
        self._ready: deque[Record] = deque()  # read, not yet sent
        self._under_way: deque[int] = deque()
        self._acknowledged: set[int] = set()
        self._reading = False
        self._progress = self._loop.time()
        self._open = True
        self._on_request: Callable[[str, bytes, bool], None] = lambda asked, payload, retained: None
        self._requests = ""
        self._start(self._watch())

    def put(self, message: Message) -> None:
        """Publish a state; it goes beside the records."""
        self._start(self._publish(message))

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
            record = self._ready.popleft()
            self._sent = record.seq
            if not self._under_way:
                self._progress = self._loop.time()
            self._under_way.append(record.seq)
            *before, last = self._envelope.messages(record)
            # All go before the next record: what takes away a retained message shall not come after its successor.
            sent = [self._start(self._publish(message)) for message in before]
            self._start(self._publish(last, record.seq, sent))

    def heed(self, base: str, on_request: Callable[[str, bytes, bool], None]) -> None:
        """Subscribe to requests: `base` and a verb, or a verb and the client's name."""
        self._on_request, self._requests = on_request, base
        self._start(self._subscribe(base + "+", base + "+/+"))

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
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

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
            await self._client.publish(topic, payload, qos=1, retain=retain, timeout=inf)
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
        while self._under_way and self._under_way[0] in self._acknowledged:
            seq = self._under_way.popleft()
            self._acknowledged.discard(seq)
            self._journal.deliver(seq)
        self.pump()

    async def _subscribe(self, *topics: str) -> None:
        try:
            await self._client.subscribe([(topic, 1) for topic in topics], timeout=inf)
        except Exception as error:
            self._fail(error)

    async def _watch(self) -> None:
        """Hear what comes, and notice a connection that ends while nothing is sent."""
        try:
            async for message in self._client.messages:
                if isinstance(message.payload, bytes):
                    asked = str(message.topic).removeprefix(self._requests)
                    self._on_request(asked, message.payload, message.retain)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._failed.done():
            self._failed.set_exception(error)
