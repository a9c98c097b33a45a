"""The outbox: a cursor over the journal that sends committed records to the broker, in order, many at a time.

When a connection ends, it continues at the next address. It tests what the broker accepts before anything counts as
delivered over a connection. It skips a record that no broker accepts, and reports it. Each connection has a new client,
so that records are queued only in the journal. The cursor moves only over records that the broker acknowledged without
a gap; records in transit when a connection broke are sent again under the same id. Never blocks the event loop.
Independent of devices and rules.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pitwatch.daemon.config import Config
from pitwatch.daemon.config.house_names import client_id
from pitwatch.daemon.contract.messages import KEPT_ONLY
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.broker_client import client, reason
from pitwatch.daemon.publishing.envelope import LARGEST, Envelope, Message
from pitwatch.daemon.publishing.known_brokers import KnownBrokers
from pitwatch.daemon.publishing.passing_over import PassedOver
from pitwatch.daemon.publishing.session import Session
from pitwatch.daemon.publishing.turns import Turns

if TYPE_CHECKING:
    from pitwatch.daemon.publishing.broker_trial import Takes
    from pitwatch.daemon.publishing.telling_client import TellingClient

MOST_PENDING = 1_000
"""Number of waiting publications at which the library must not warn yet: the window, states, a replay that is
asked for."""

BACKOFF_FIRST, BACKOFF_MOST = 0.5, 4.0
"""Seconds between attempts to connect, doubled each time that no address answered, with jitter of half. Retained
states are right within five seconds of the broker's return, whatever the length of its absence."""

SHORT, CUTS = 30.0, 3
"""So many connections in a row that each lasted less than so many seconds look like two clients of one name, of which
each puts the other out."""

log = logging.getLogger("pitwatch.mqtt")


class Publisher:
    """Runs as one task (`run`). `status` and `health` are states of the process: only the newest of each counts.

    `on_connection(bool)` is called when the broker is reached or lost.
    """

    def __init__(self, config: Config, journal: Journal, envelope: Envelope):
        self._addresses = config.brokers
        self._address = self._addresses[0]
        assert config.mqtt is not None
        self._settings = config.mqtt
        self._known = KnownBrokers(time.monotonic)
        self.passed = PassedOver(self._addresses, self._known)
        self._identifier = client_id(f"{config.table.site}/{config.table.id}")
        self._journal = journal
        self._envelope = envelope
        self._session: Session | None = None
        self._states: dict[str, bytes] = {}
        self._first: Message | None = None
        self._will: Callable[[], bytes] = lambda: b""
        self.on_request: Callable[[str, bytes, bool], None] | None = None
        """Told of every message on `request/…`: what follows that, payload, whether it was retained. None: nothing is
        subscribed."""
        self.connections = 0
        self.trouble: str | None = "not connected yet"
        self.on_connection: Callable[[bool], None] = lambda connected: None
        self.broker = "ok"
        """What the broker refuses of what is published, or that this is not confirmed."""
        self.on_broker: Callable[[str | None], None] = lambda refused: None
        """Told when what the broker refuses has changed; None: nothing any more."""
        self._refused: str | None = None
        journal.on_commit = self._committed

    def set_will(self, payload: Callable[[], bytes]) -> None:
        """`payload()` is what the broker shall publish as `status` if this connection is lost."""
        self._will = payload

    def begin_with(self, subtopic: str, payload: bytes) -> None:
        """The process's first state, published at the first connection before the present state."""
        self._first = Message(self._envelope.topic(subtopic), payload, True)

    @property
    def largest(self) -> int:
        """Bytes of topic and payload that the broker takes."""
        return self._session.takes.largest if self._session is not None else LARGEST

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

        from pitwatch.daemon.publishing.telling_client import BrokeOffError

        loop = asyncio.get_running_loop()
        turns = Turns(self._addresses, BACKOFF_FIRST, BACKOFF_MOST)
        cuts = 0
        while True:
            began, before = loop.time(), self.connections
            self._address = turns.address
            takes = self._known.takes(self._address)
            try:
                takes = takes or await self._try()
                will = self._last_will(takes)
                async with await client(
                    self._settings, self._address, self._identifier, will, qos=takes.qos
                ) as connected:
                    connected.pending_calls_threshold = MOST_PENDING
                    await self._serve(connected, takes)
            except (aiomqtt.MqttError, OSError, ValueError, RuntimeError) as error:
                cuts = cuts + 1 if self.connections > before and loop.time() - began < SHORT else 0
                rival = f"; again and again: is another board or program {self._identifier}?" if cuts >= CUTS else ""
                self._say(reason(error) + rival)
                self._known.doubt(self._address)
                if self.connections == before:
                    self.passed.unreachable(self._address)
                    if takes is not None and takes.will and isinstance(error, aiomqtt.MqttCodeError | BrokeOffError):
                        # Something of this will that the trial's has not, such as its topic: better without any.
                        self._known.suspect_will(self._address)
            await asyncio.sleep(turns.next(loop.time() - began))

    async def _try(self) -> Takes:
        """What the broker takes, before anything counts as delivered. Raises ValueError if it is nothing of this
        table."""
        from pitwatch.daemon.publishing.broker_trial import tried

        self._known.trying()
        takes = await tried(self._settings, self._address, self._identifier, self._envelope)
        self._known.learned(self._address, takes)
        return takes

    def _last_will(self, takes: Takes) -> Message | None:
        will = Message(self._envelope.topic("status"), self._will(), takes.retain)
        return will if takes.will and will.size <= takes.largest else None

    def _tell(self, takes: Takes) -> None:
        """Say what the broker refuses."""
        place = f"broker {self._address.host}:{self._address.port}"
        refused, doubt = takes.told(), takes.doubt()
        told = f"{place}: {refused or doubt}" if refused or doubt else "ok"
        if told != self.broker:
            self.broker = told
            (log.info if told == "ok" else log.warning)("%s", f"{place} takes all" if told == "ok" else told)
        refused = f"{place}: {refused}" if refused else None
        if refused != self._refused:
            self._refused = refused
            self.on_broker(refused)

    async def drain(self, seconds: float) -> bool:
        """Wait until every record is acknowledged, at most so many seconds; whether that was reached."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self._journal.delivered < self._journal.last:
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(0.01)
        return True

    async def _serve(self, client: TellingClient, takes: Takes) -> None:
        session = Session(client, self._journal, self._envelope, takes, self._too_large)
        self._session = session
        self.connections += 1
        self.passed.reached(self._address)
        self._say(None)
        self._tell(takes)
        try:
            if self._first is not None:
                session.put(self._first)
                self._first = None
            for subtopic, payload in self._states.items():
                session.put(Message(self._envelope.topic(subtopic), payload, True))
            for record in self._delivered():
                session.put(self._envelope.retained(record))
            for seq in self.passed.take(takes.largest):
                self._journal.read(seq - 1, 1, session.put_late)
            session.pump()
            if self.on_request is not None:
                session.heed(self._envelope.topic("request/"), self.on_request)
            await session.ended()
        finally:
            self._session = None
            session.close()

    def _delivered(self) -> list[Record]:
        """The newest record of each retained topic, if the broker has had it."""
        delivered = (record for record in self._journal.retained.values() if record.seq <= self._journal.delivered)
        return [record for record in delivered if record.kind not in KEPT_ONLY]

    def _too_large(self, record: Record, size: int) -> bool:
        """Whether another broker shall be asked to take this record, which is passed over else."""
        assert self._session is not None
        if self.passed.elsewhere(record.seq, size, self._address):
            return True
        self.passed.add(record, size, self._session.takes.largest)
        return False

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
