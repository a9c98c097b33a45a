"""From bytes on a serial port to the message at a subscriber, beside a bare publication and mqtt-io's serial stream.

All of them over one broker to one subscriber, a trial of each in turn, so that whatever else the machine does falls on
all alike. Trials come at random moments: a poller must not be caught always at the same point of its interval.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import aiomqtt

from benchmarks import mqtt_io
from benchmarks.figure import Figure, median, percentile, say
from benchmarks.table import TOPIC, scratch, serial_port, table
from daemon.bench.broker import embedded_broker, mosquitto
from daemon.broker_url import BrokerAddress, parse_broker_url
from devices.protocols import slingshot2
from devices.slingshot_wheel import BALL_IN_RIM, PLACE_BETS

BARE = "bare aiomqtt publication, QoS 1, to the same subscriber"
SYNCED = "the same publication after a sync of 8 KiB to the same disk"
BARE_TOPIC = "bare/message"

SYNC_BYTES = bytes(8192)
"""Two pages: what a record adds to the journal."""

PAUSE = (0.010, 0.030)
"""Seconds between trials."""

HEARD_WITHIN = 10.0
"""Seconds after which a message is not expected any more."""

WARM_UP = 20
"""Trials of each kind that do not count."""

Trial = Callable[[], Awaitable[float]]


class Ear:
    """The subscriber: hears everything, and tells when the message arrived that somebody waits for."""

    def __init__(self, client: aiomqtt.Client):
        self._client = client
        self._topic = ""
        self._needle = b""
        self._heard: asyncio.Future[tuple[float, bytes]] | None = None

    async def listen(self) -> None:
        async for message in self._client.messages:
            now = time.perf_counter()
            payload = bytes(message.payload or b"")
            waiting = self._heard
            if waiting and not waiting.done() and str(message.topic) == self._topic and self._needle in payload:
                waiting.set_result((now, payload))

    def expect(self, topic: str, needle: bytes = b"") -> asyncio.Future[tuple[float, bytes]]:
        """When (perf_counter) the next message on the topic that contains `needle` arrives, and its payload."""
        self._topic, self._needle = topic, needle
        self._heard = asyncio.get_running_loop().create_future()
        return self._heard

    async def wait(self, topic: str, needle: bytes) -> tuple[float, bytes]:
        """As `expect`, awaited. Raises TimeoutError."""
        return await asyncio.wait_for(self.expect(topic, needle), HEARD_WITHIN)


class Course:
    """The trials. Each returns the seconds from its bytes to its message."""

    def __init__(self, ear: Ear, publisher: aiomqtt.Client, wheel: int, peer: int, disk: int):
        self._ear = ear
        self._publisher = publisher
        self._wheel = wheel
        self._peer = peer
        self._disk = disk
        self._spin = 1
        self._payload = b""

    async def observation(self) -> float:
        """A winning-number line, which the daemon reports as one observation."""
        return await self._wire(slingshot2.result_line("17"), f"{TOPIC}/observation/wheel", b'"result_announced"')

    async def irregularity(self) -> float:
        """The status line of a ball launched with the rotor: two observations first, then the irregularity."""
        os.write(self._wheel, self._status(PLACE_BETS, 0))
        await asyncio.sleep(PAUSE[0])
        self._spin = self._spin % 256 + 1
        line = self._status(BALL_IN_RIM, slingshot2.SAME_DIRECTION)
        return await self._wire(line, f"{TOPIC}/irregularity/alert", b"/same-direction-spin")

    async def bare(self) -> float:
        """A payload of the daemon's published without anything around it."""
        began = time.perf_counter()
        return await self._published() - began

    async def synced(self) -> float:
        """The same, but first on disk: the least that can be had of a journal that comes first."""
        began = time.perf_counter()
        await asyncio.to_thread(self._sync)
        return await self._published() - began

    async def peer(self) -> float:
        """The winning-number line published by mqtt-io as it is."""
        began = time.perf_counter()
        os.write(self._peer, slingshot2.result_line("17"))
        return (await self._ear.wait(mqtt_io.TOPIC, b"17"))[0] - began

    async def peer_is_up(self) -> None:
        """Return when mqtt-io reads its port. Raises TimeoutError."""
        for _ in range(20):
            os.write(self._peer, slingshot2.result_line("17"))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ear.wait(mqtt_io.TOPIC, b"17"), 0.5)
                return
        raise TimeoutError

    async def _published(self) -> float:
        heard = self._ear.expect(BARE_TOPIC)
        await self._publisher.publish(BARE_TOPIC, self._payload, qos=1)
        return (await asyncio.wait_for(heard, HEARD_WITHIN))[0]

    def _sync(self) -> None:
        os.pwrite(self._disk, SYNC_BYTES, 0)
        os.fdatasync(self._disk)

    async def _wire(self, line: bytes, topic: str, needle: bytes) -> float:
        began = time.perf_counter()
        os.write(self._wheel, line)
        heard, self._payload = await self._ear.wait(topic, needle)
        return heard - began

    def _status(self, state: int, warn: int) -> bytes:
        return slingshot2.status_line(state, self._spin, "17", warn, 150, 0)


def _client(broker: BrokerAddress) -> aiomqtt.Client:
    """With TCP_NODELAY, as the daemon's: else Nagle's algorithm adds up to 40 ms that nobody wants to measure."""
    return aiomqtt.Client(broker.host, broker.port, socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)])


@contextlib.asynccontextmanager
async def _mqtt(broker: BrokerAddress) -> AsyncIterator[tuple[Ear, aiomqtt.Client]]:
    """A subscriber to everything and a publisher."""
    async with _client(broker) as hears, _client(broker) as says:
        await hears.subscribe("#", qos=1)
        ear = Ear(hears)
        listening = asyncio.create_task(ear.listen())
        try:
            yield ear, says
        finally:
            listening.cancel()


async def _run(course: Course, trials: int, with_peer: bool) -> dict[str, list[float]]:
    kinds: list[Trial] = [course.observation, course.irregularity, course.bare, course.synced]
    if with_peer:
        kinds.append(course.peer)
    took: dict[str, list[float]] = {kind.__name__: [] for kind in kinds}
    for number in range(WARM_UP + trials):
        random.shuffle(kinds)
        if number == 0:
            kinds.sort(key=lambda kind: kind.__name__ in ("bare", "synced"))  # their payload is one of the daemon's
        for kind in kinds:
            await asyncio.sleep(random.uniform(*PAUSE))
            seconds = await kind()
            if number >= WARM_UP:
                took[kind.__name__].append(seconds)
    return took


async def _measure(trials: int, install: bool, folder: Path) -> dict[str, list[float]]:
    with serial_port() as (wheel, wheel_port), serial_port() as (peer, peer_port), _disk(folder) as disk:
        async with embedded_broker() as (url, _), _mqtt(parse_broker_url(url)) as (ear, publisher):
            with table(url, wheel_port, folder), mqtt_io.running(url, peer_port, folder, install) as with_peer:
                course = Course(ear, publisher, wheel, peer, disk)
                if with_peer:
                    try:
                        await course.peer_is_up()
                    except TimeoutError:
                        say("mqtt-io: no figures: it publishes nothing of what it is sent")
                        with_peer = False
                return await _run(course, trials, with_peer)


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[int]:
    """An open file that is as long as it will be."""
    with (folder / "synced").open("w+b", buffering=0) as file:
        file.write(SYNC_BYTES)
        yield file.fileno()


BASELINES = (
    ("", BARE, "bare"),
    ("_beside_synced", SYNCED, "synced"),
    ("_beside_mqtt_io", mqtt_io.NAME, "peer"),
)
"""Suffix of the figure's name, what the baseline is, its kind of trial."""


def figures(trials: int, install: bool) -> list[Figure]:
    """Median and 99th percentile in ms of so many trials of each kind. `install`: mqtt-io may be installed."""
    took: dict[str, list[float]] = {}
    if mosquitto() is None:
        say("latency: no figures: mosquitto is not installed")
    else:
        with scratch() as folder:
            took = asyncio.run(_measure(trials, install, folder))
    found = []
    for kind in ("observation", "irregularity"):
        for name, of in (("median", median), ("p99", lambda values: percentile(values, 99))):
            for suffix, baseline, beside in BASELINES:
                value, other = (of(took[key]) * 1000 if took.get(key) else None for key in (kind, beside))
                found.append(Figure(f"latency_{kind}_{name}{suffix}", value, "ms", baseline, other))
    return found
