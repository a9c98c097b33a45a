"""From bytes on a serial port to the message at a subscriber, beside a bare publication and mqtt-io's serial stream.

All of them over one broker to one subscriber, a trial of each in turn, so that whatever else the machine does falls on
all alike. Trials come at random moments: a poller must not be caught always at the same point of its interval.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import IO

import aiomqtt

from benchmarks import bare_publisher, mqtt_io
from benchmarks.figure import Figure, median, percentile, say
from benchmarks.table import ROOT, TOPIC, scratch, serial_port, table
from pitwatch.daemon.bench.broker import embedded_broker, mosquitto
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.devices.protocols import slingshot2
from pitwatch.devices.slingshot_wheel import BALL_IN_RIM, PLACE_BETS

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

    def __init__(self, ear: Ear, publisher: IO[bytes], within: aiomqtt.Client, wheel: int, peer: int):
        self._ear = ear
        self._publisher = publisher
        self._within = within
        self._wheel = wheel
        self._peer = peer
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
        """A payload as long as the daemon's published without anything around it."""
        return await self._published(b"bare")

    async def synced(self) -> float:
        """The same, but first something on disk: the least that can be had of a journal that comes first."""
        return await self._published(b"synced")

    async def within(self) -> float:
        """A publication by the very process that hears it."""
        heard = self._ear.expect(bare_publisher.TOPIC)
        began = time.perf_counter()
        await self._within.publish(bare_publisher.TOPIC, self._payload, qos=1)
        return (await asyncio.wait_for(heard, HEARD_WITHIN))[0] - began

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

    async def _published(self, how: bytes) -> float:
        self._publisher.write(b"%s %d\n" % (how, len(self._payload)))
        self._publisher.flush()
        heard, payload = await self._ear.wait(bare_publisher.TOPIC, b"")
        return heard - float(payload)

    async def _wire(self, line: bytes, topic: str, needle: bytes) -> float:
        began = time.perf_counter()
        os.write(self._wheel, line)
        heard, self._payload = await self._ear.wait(topic, needle)
        return heard - began

    def _status(self, state: int, warn: int) -> bytes:
        return slingshot2.status_line(state, self._spin, "17", warn, 150, 0)


@contextlib.asynccontextmanager
async def at_broker(port: int) -> AsyncIterator[tuple[Ear, aiomqtt.Client]]:
    """A subscriber to everything and a publisher beside it."""
    async with bare_publisher.client(port) as hears, bare_publisher.client(port) as says:
        await hears.subscribe("#", qos=1)
        ear = Ear(hears)
        listening = asyncio.create_task(ear.listen())
        try:
            yield ear, says
        finally:
            listening.cancel()


async def _run(course: Course, trials: int, with_peer: bool) -> dict[str, list[float]]:
    kinds: list[Trial] = [course.observation, course.irregularity, course.bare, course.synced, course.within]
    if with_peer:
        kinds.append(course.peer)
    took: dict[str, list[float]] = {kind.__name__: [] for kind in kinds}
    for number in range(WARM_UP + trials):
        random.shuffle(kinds)
        if number == 0:
            kinds.sort(key=lambda kind: kind != course.observation)  # the bare ones are as long as its message
        for kind in kinds:
            await asyncio.sleep(random.uniform(*PAUSE))
            seconds = await kind()
            if number >= WARM_UP:
                took[kind.__name__].append(seconds)
    return took


async def _measure(trials: int, install: bool, folder: Path) -> dict[str, list[float]]:
    with serial_port() as (wheel, wheel_port), serial_port() as (peer, peer_port):
        async with embedded_broker() as (url, _), at_broker(parse_broker_url(url).port) as (ear, within):
            with (
                table(url, wheel_port, folder),
                _bare_publisher(parse_broker_url(url).port, folder) as publisher,
                mqtt_io.running(url, peer_port, folder, install) as with_peer,
            ):
                course = Course(ear, publisher, within, wheel, peer)
                if with_peer:
                    try:
                        await course.peer_is_up()
                    except TimeoutError:
                        say("mqtt-io: no figures: it publishes nothing of what it is sent")
                        with_peer = False
                return await _run(course, trials, with_peer)


@contextlib.contextmanager
def _bare_publisher(port: int, folder: Path) -> Iterator[IO[bytes]]:
    """The bare publisher runs; yields where it takes its orders."""
    command = [sys.executable, "-m", "benchmarks.bare_publisher", str(port), str(folder / "synced")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) as running:
        assert running.stdin is not None
        yield running.stdin
        running.stdin.close()


BASELINES = (
    ("", "bare aiomqtt publication, QoS 1, by a process that does nothing else", "bare"),
    ("_beside_synced", "the same publication after a sync of 8 KiB to the same disk", "synced"),
    ("_beside_own", "bare aiomqtt publication by the subscriber's own process", "within"),
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
