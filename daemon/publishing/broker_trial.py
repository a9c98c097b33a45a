"""Tests what a broker accepts from a table: the last will, retained messages, QoS 1, the rights to its topics, the
largest message. Other clients notice nothing: the messages are empty, or go to the table's own echo.

Uses MQTT 5 if the broker supports it, because it reports refusals; over 3.1.1 a refusal ends the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiomqtt
import msgspec

from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.publishing.broker_client import client
from pitwatch.daemon.publishing.echo import PATIENCE, REFUSED, Echo, NoEchoError
from pitwatch.daemon.publishing.envelope import LARGEST, Envelope, Message
from pitwatch.daemon.publishing.telling_client import BrokeOffError, TellingClient

HEAD = 16
"""Bytes of a packet beyond topic and payload, at most."""

QUICK = 3.0
"""Seconds for an echo on a line whose rate is known, plus ten times what it should take."""

TRIES = 3
"""Connections that end over one message before it is believed that the message ended them. A rival of the same name, or
a restart, ends one too."""

PUT_OUT = (0x8B, 0x8E)
"""MQTT 5 gives the reason why a connection ends: the broker is shut down, or another client took the name. Not a
refusal."""


class Problem(msgspec.Struct, frozen=True):
    """What the broker refuses, and how to fix that."""

    seen: str
    fix: str


class Takes(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker takes. `largest` in bytes of topic and payload; `unheard`: why the table's own echo could not
    confirm it, empty if it did; `requests`: whether requests may be subscribed to."""

    will: bool = True
    retain: bool = True
    qos: int = 1
    largest: int = LARGEST
    unheard: str = ""
    requests: bool = True

    def problems(self) -> list[Problem]:
        """What of it the table needs and has not; in order of weight."""
        found = []
        if self.largest < LARGEST:
            passed = f"passes on messages up to {self.largest} bytes only" if self.largest else "passes on nothing"
            enough = f"{LARGEST + 1024} or more"
            fix = f"set mosquitto's message_size_limit and max_packet_size to 0 or {enough}, or RabbitMQ's "
            fix += f"max_message_size (from 3.13 on mqtt.max_packet_size_authenticated) to {enough}"
            found.append(Problem(f"the broker {passed}; the largest of a table may have {LARGEST}", fix))
        if self.qos < 1:
            fix = "remove max_qos 0 from mosquitto's configuration"
            found.append(Problem("the broker takes QoS 0 only: subscribers do not receive again what they miss", fix))
        if not self.retain:
            fix = "remove retain_available false from mosquitto's configuration"
            found.append(Problem("the broker keeps no retained messages: new subscribers receive no states", fix))
        if not self.will:
            fix = "make its access list or plug-in accept a last will on the table's topics"
            found.append(Problem("the broker refuses the last will: nobody is notified when the table is lost", fix))
        if not self.requests:
            fix = "let the table subscribe to its request/+ and request/+/+ in the access list (pitwatch provision)"
            found.append(Problem("the broker refuses the subscription to requests", fix))
        return found

    def doubt(self) -> str | None:
        """Why it is not confirmed that the broker passes on what it acknowledges; None if it is."""
        if not self.unheard:
            return None
        return (
            f"not confirmed that it passes on what it acknowledges: the table does not hear its own echo "
            f"({self.unheard}); if its access list is older, run pitwatch provision again and reload it"
        )

    def told(self) -> str | None:
        """All that is not well, in one line; None if all is."""
        said = [f"{each.seen}; {each.fix}" for each in self.problems()]
        return ". ".join(said) or None


async def tried(
    settings: MqttSection, address: BrokerAddress, identifier: str, envelope: Envelope, requests: bool = False
) -> Takes:
    """What the broker takes; `requests`: try the subscription to them too. Raises MqttError, OSError or ValueError
    if it cannot be reached, admits nobody, or accepts nothing of this table."""
    for version in dict.fromkeys(("5", settings.version)):
        last = version == settings.version
        trial = _Trial(msgspec.structs.replace(settings, version=version), address, identifier, envelope)
        try:
            return await trial.run(requests)
        except RefusedError:
            raise
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            if last or _is_put_out(error):
                raise
    raise AssertionError


class RefusedError(ValueError):
    """The broker accepts nothing that this table publishes."""


class _Trial:
    def __init__(self, settings: MqttSection, address: BrokerAddress, identifier: str, envelope: Envelope):
        self._settings = settings
        self._address = address
        self._identifier = identifier
        self._envelope = envelope
        self._nothing = envelope.topic("alert/none")
        """An empty retained message there takes away what is not there."""
        self._qos = 1
        self._retain = True
        self._echo: Echo | None = None
        self._rate: float | None = None
        """Bytes a second with which the last echo came back."""
        self._silent = False
        """Whether nothing was heard any more after the message that was tried last."""
        self._stack = contextlib.AsyncExitStack()

    async def run(self, requests: bool) -> Takes:
        try:
            return await self._run(requests)
        finally:
            with contextlib.suppress(aiomqtt.MqttError, OSError):
                await self._stack.aclose()

    async def _run(self, requests: bool) -> Takes:
        try:
            connected = await self._open(with_will=True)
            will = True
        except (aiomqtt.MqttCodeError, BrokeOffError):
            connected = await self._open()  # raises what it is if it is not the will
            will = False
        connected = await self._state(connected)
        if not will:
            try:
                connected = await self._open(with_will=True)
                will = True
            except (aiomqtt.MqttCodeError, BrokeOffError):
                connected = await self._open()
        asked = await self._requests(connected) if requests else True
        packet = getattr(connected.announced, "MaximumPacketSize", None)
        most = min(LARGEST, packet - HEAD) if packet else LARGEST
        largest, unheard = await self._largest(most)
        return Takes(will=will, retain=self._retain, qos=self._qos, largest=largest, unheard=unheard, requests=asked)

    async def _open(self, with_will: bool = False) -> TellingClient:
        """A fresh connection in the place of the one before."""
        with contextlib.suppress(aiomqtt.MqttError, OSError):
            await self._stack.aclose()
        will = Message(self._nothing, b"", self._retain) if with_will else None
        return await self._stack.enter_async_context(self._connection(will))

    @contextlib.asynccontextmanager
    async def _connection(self, will: Message | None) -> AsyncIterator[TellingClient]:
        made = await client(self._settings, self._address, self._identifier, will, incoming=0, qos=self._qos)
        async with made as connected:
            self._echo = echo = Echo(connected, self._envelope, self._qos)
            listening = asyncio.create_task(_listen(connected, echo))
            try:
                yield connected
            finally:
                listening.cancel()

    async def _state(self, connected: TellingClient) -> TellingClient:
        """Publish as a state is: retained, QoS 1; or as far as the broker takes that. Raises RefusedError."""
        if getattr(connected.announced, "MaximumQoS", 1) == 0:
            self._qos = 0
        if getattr(connected.announced, "RetainAvailable", 1) == 0:
            self._retain = False
        for qos, retain in ((1, True), (1, False), (0, True), (0, False)):
            if qos > self._qos or retain > self._retain:
                continue
            for _ in range(2):  # a connection may be lost for another reason, once
                try:
                    publishing = connected.publish(self._nothing, b"", qos=qos, retain=retain, timeout=PATIENCE)
                    await connected.before_end(publishing)
                    if not qos:  # acknowledged by nobody: what is answered after it shows that it was taken
                        await connected.before_end(connected.subscribe(self._nothing, timeout=PATIENCE))
                except aiomqtt.MqttCodeError as error:
                    _put_out(error)
                    connected = await self._open()
                    continue
                self._qos, self._retain = qos, retain
                if connected.refused:
                    raise RefusedError(connected.refused)
                return connected
        raise aiomqtt.MqttError("the broker ends the connection when the table publishes")

    async def _requests(self, connected: TellingClient) -> bool:
        try:
            topics = [(self._envelope.topic(topic), self._qos) for topic in ("request/+", "request/+/+")]
            codes = await connected.before_end(connected.subscribe(topics, timeout=PATIENCE))
        except aiomqtt.MqttCodeError as error:
            _put_out(error)
            await self._open()
            return False
        return all(getattr(code, "value", code) < REFUSED for code in codes)

    async def _largest(self, most: int) -> tuple[int, str]:
        """The largest message that comes back, and why none does if none does; then `most` is believed."""
        unheard = await self._unheard()
        if unheard and self._settings.version != "5":
            return most, unheard
        # A client that may not read it still learns over MQTT 5, at least from mosquitto, whether it was too large.
        try:
            return await self._sought(most, not unheard), unheard
        except NoEchoError as error:
            return most, str(error)

    async def _unheard(self) -> str:
        """Why the table does not hear its echo; empty if it does."""
        for _ in range(2):
            assert self._echo is not None
            try:
                await self._echo.ask()
                await self._echo.any()
            except NoEchoError as error:
                return str(error)
            except aiomqtt.MqttCodeError as error:
                _put_out(error)
                await self._open()
            else:
                return ""
        return "the broker ends the connection over it"

    async def _sought(self, most: int, hears: bool) -> int:
        if await self._passes(most, hears):
            return most
        silent = self._silent
        assert self._echo is not None
        size, beyond = 0, most
        step = len(self._echo.payload(0)) + len(self._echo.topic)
        while step < beyond:
            if not await self._passes(step, hears):
                beyond = step
                break
            size, step = step, step * 2
        while size and beyond - size > max(32, size // 16):
            middle = (size + beyond) // 2
            if await self._passes(middle, hears):
                size = middle
            else:
                beyond = middle
        if silent and size and beyond == most and await self._passes(most, hears):
            return most  # it had been slow, not deaf
        return size

    async def _passes(self, size: int, hears: bool) -> bool:
        """Whether it comes back, or is acknowledged where the table `hears` nothing. A broker that ends the connection
        over it each time does not take it; nor does one that answers nothing more on the connection, as RabbitMQ 3.10
        does: before it is believed, an empty message must come back over another connection."""
        self._silent = False
        for _ in range(TRIES):
            assert self._echo is not None
            try:
                if hears:
                    return await self._comes_back(size)
                await self._echo.acknowledged(size)
            except aiomqtt.MqttCodeError as error:
                _put_out(error)
                await self._afresh(hears)
            except NoEchoError:
                await self._afresh(hears)
                if self._silent or self._rate is None:
                    self._silent = True
                    return False
                self._silent = True
            else:
                return True
        return False

    async def _comes_back(self, size: int) -> bool:
        assert self._echo is not None
        loop = asyncio.get_running_loop()
        began = loop.time()
        passed = await self._echo.passes(size, None if self._rate is None else QUICK + 10 * size / self._rate)
        if passed:
            self._rate = size / max(loop.time() - began, 0.001)
        return passed

    async def _afresh(self, hears: bool) -> None:
        """Another connection, on which the table `hears` an empty message. Raises NoEchoError, MqttError."""
        await self._open()
        if hears:
            assert self._echo is not None
            await self._echo.ask()
            await self._echo.any()


def _put_out(error: aiomqtt.MqttCodeError) -> None:
    """Raises it again if it is no refusal."""
    if _is_put_out(error):
        raise error


def _is_put_out(error: Exception) -> bool:
    code = getattr(error, "rc", None)
    return getattr(code, "value", code) in PUT_OUT


async def _listen(connected: TellingClient, echo: Echo) -> None:
    with contextlib.suppress(aiomqtt.MqttError):
        async for message in connected.messages:
            if str(message.topic) == echo.topic and isinstance(message.payload, bytes):
                echo.take(message.payload)
