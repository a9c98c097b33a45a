"""What devices say over MQTT, for a listener: payloads as a byte link, ONVIF digital inputs as lines. CPython.

Needs aiomqtt, which the daemon has for its own broker. The client subscribes and does nothing else: no function here
publishes.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pitwatch.hal import onvif_ej
from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import Forbidden, HalError, Missing, Unusable
from pitwatch.hal.line import LineSpec
from pitwatch.hal.reopening_lines import ReopeningLines
from pitwatch.hal.reopening_link import ReopeningLink

CONNECT_S = 10.0
KNOWN_S = 5.0
"""Within which the broker gives the retained state of every input."""

LONGEST = 65_536  # bytes of a payload that is passed on


class _Ear:
    """One task that listens and tells its owner; the owner decides whether it still wants to hear."""

    def __init__(self, address: Address, topic: str, owner: "MqttLink | OnvifLines") -> None:
        self._address = address
        self._topic = topic
        self._owner = owner
        self.where = "%s:%s:%d" % (address.scheme, address.host, address.port)
        self.task = asyncio.get_running_loop().create_task(self._listen())

    def stop(self) -> None:
        if self.task is not asyncio.current_task():
            self.task.cancel()

    async def _listen(self) -> None:
        import aiomqtt

        try:
            async with self._client() as client:
                await self._owner.heard_all(client.messages)
            problem: HalError = Missing(self.where, "the connection ended", "check the broker")
        except HalError as error:
            problem = error
        except aiomqtt.MqttCodeError as error:
            problem = Missing(self.where, str(error), "check the broker")
            if "authori" in str(error).lower():
                problem = Forbidden(self.where, "the broker refuses: %s" % error, "check user and password_file")
        except (aiomqtt.MqttError, TimeoutError) as error:
            problem = Missing(self.where, "no broker (%s)" % (error or "no answer"), "check its power and address")
        except (OSError, ValueError) as error:
            problem = Unusable(self.where, str(error), "correct `link`")
        self._owner.ended(self, problem)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Any]:
        import aiomqtt

        address = self._address
        password = await asyncio.to_thread(_password, address.password_file)
        tls = await asyncio.to_thread(ssl.create_default_context, cafile=address.ca) if address.ca else None
        async with aiomqtt.Client(
            address.host, address.port, username=address.user or None, password=password, tls_context=tls,
            timeout=CONNECT_S, keepalive=15,
        ) as client:  # fmt: skip
            await client.subscribe(self._topic, qos=1)
            yield client


def _password(path: str) -> "str | None":
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read().rstrip("\r\n")


class MqttLink(ReopeningLink):
    """Payloads of the topics of a filter, each ended by a line feed; one within a payload becomes a blank.

    A retained message was sent before and is passed over, for nobody knows when.
    """

    def __init__(self, clock: Clock, address: Address) -> None:
        super().__init__(clock)
        self._address = address
        self._ear: _Ear | None = None

    def _open(self) -> None:
        self._ear = _Ear(self._address, self._address.topic, self)

    def _close(self) -> None:
        ear, self._ear = self._ear, None
        if ear is not None:
            ear.stop()

    async def heard_all(self, messages: Any) -> None:
        self._is_open()
        async for message in messages:
            payload = message.payload if isinstance(message.payload, bytes) else b""
            if self._on_bytes is None:  # stopped from the callback
                return
            if message.retain or not payload or len(payload) > LONGEST:
                continue
            line = payload.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
            self._on_bytes(line, self._clock.now())

    def ended(self, ear: _Ear, problem: HalError) -> None:
        if ear is self._ear:
            self._fail(problem)


class OnvifLines(ReopeningLines):
    """Digital inputs of a camera or an input module that speaks `onvif-ej`. The token of each input stands after the
    last "#" of its spec's `chip`. Edges are stamped as they come."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str, address: Address) -> None:
        super().__init__(clock, specs, consumer)
        self._address = address
        self._of_token: dict[str, list[LineSpec]] = {}
        for spec in specs:
            self._of_token.setdefault(spec.chip.rpartition("#")[2], []).append(spec)
        self._ear: _Ear | None = None
        self._known: dict[str, int] = {}

    def _open(self) -> None:
        self._known = {}
        self._ear = _Ear(self._address, onvif_ej.inputs_filter(self._address.topic), self)

    def _close(self) -> None:
        ear, self._ear = self._ear, None
        self._known = {}
        if ear is not None:
            ear.stop()

    def levels(self) -> dict[str, int]:
        if len(self._known) < len(self._specs):
            raise self._not_held()
        return dict(self._known)

    async def heard_all(self, messages: Any) -> None:
        try:
            async with asyncio.timeout(KNOWN_S):
                while len(self._known) < len(self._specs):
                    self._take(await anext(messages))
        except TimeoutError:
            lacking = [token for token, specs in self._of_token.items() if specs[0].name not in self._known]
            what = "no state of input %s is retained there" % ", ".join(sorted(lacking))
            raise Missing(self._where(), what, "check token and prefix, and that the module publishes") from None
        self._is_open()
        async for message in messages:
            for name, level in self._take(message):
                if self._report is not None:
                    on_edge: Callable[[str, int, int], object] = self._report[0]
                    on_edge(name, level, self._clock.now())
            if self._report is None:  # stopped from the callback
                return

    def _take(self, message: Any) -> "list[tuple[str, int]]":
        """The lines that a message changes."""
        token = onvif_ej.token_of(str(message.topic))
        specs = self._of_token.get(token)
        if specs is None:
            return []
        payload = message.payload if isinstance(message.payload, bytes) else b""
        if not payload:
            raise Missing(self._where(), "input %s was withdrawn" % token, "see the module's configuration")
        try:
            active = onvif_ej.logical_state(payload)
        except ValueError as error:
            raise Unusable(self._where(), "input %s: %s" % (token, error), "see what publishes there") from None
        changed = []
        for spec in specs:
            level = active ^ (1 if spec.active_low else 0)
            if self._known.get(spec.name) != level:
                self._known[spec.name] = level
                changed.append((spec.name, level))
        return changed

    def _where(self) -> str:
        return "onvif:%s:%d" % (self._address.host, self._address.port)

    def ended(self, ear: _Ear, problem: HalError) -> None:
        if ear is self._ear:
            self._fail(problem)
