"""The feed against real brokers: it comes back, goes on to another address, and has again what was not settled."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message, read_message
from tests.e2e.mosquitto import Mosquitto

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

TOPIC = "pitwatch/1/toledo/RL-07/round"


def event(sequence: int) -> str:
    return (
        f'{{"specversion":"1.0","id":"RL-07/b/{sequence}","source":"/toledo/RL-07","type":"pitwatch.round.v1",'
        f'"bootid":"b","sequence":{sequence},"data":{{"round":{sequence}}}}}'
    )


def publish(broker: Mosquitto, payload: str, topic: str = TOPIC) -> None:
    subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, "-m", payload], check=True)


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[list[Mosquitto]]:
    started = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        started.append(Mosquitto(tmp_path / name))
        started[-1].start()
    yield started
    for broker in started:
        broker.close()


@contextlib.asynccontextmanager
async def running(feed: Feed) -> AsyncIterator[None]:
    task = asyncio.create_task(feed.run())
    try:
        await until(lambda: feed.connected and feed.trouble is None)
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.02)


def sequences(came: list[Message]) -> list[int | None]:
    return [message.event.sequence for message in came if message.event]


async def test_goes_on_at_another_address(brokers: list[Mosquitto]) -> None:
    came: list[Message] = []
    said: list[str | None] = []
    addresses = [parse_broker_url(broker.url) for broker in brokers]
    feed = Feed(addresses, MqttSection(url=brokers[0].url), "pitwatch/1", came.append)
    feed.on_connection = said.append
    async with running(feed):
        publish(brokers[0], event(1))
        await until(lambda: len(came) == 1)
        brokers[0].stop()
        await until(lambda: feed.connections == 2 and feed.trouble is None)
        publish(brokers[1], event(2))
        await until(lambda: len(came) == 2)
    assert sequences(came) == [1, 2]
    assert said[0] is None
    assert said[1] is not None
    assert f"127.0.0.1:{brokers[0].port}" in said[1]


async def test_what_was_not_settled_comes_again(brokers: list[Mosquitto]) -> None:
    def feed(take: Callable[[Message], None]) -> Feed:
        settings = MqttSection(url=brokers[0].url)
        address = [parse_broker_url(settings.url)]
        return Feed(address, settings, "pitwatch/1", take, identifier="archive", lasting=True, settled=True)

    first: list[Message] = []
    once = feed(first.append)
    async with running(once):
        for sequence in (1, 2, 3):
            publish(brokers[0], event(sequence))
        await until(lambda: len(first) == 3)
        once.settle(first[0])
        once.settle(first[2])
        await asyncio.sleep(0.1)
    publish(brokers[0], event(4))  # while nobody is there
    again: list[Message] = []
    async with running(feed(again.append)):
        await until(lambda: len(again) == 2)
    assert sequences(again) == [2, 4]


async def test_strangers_are_counted_and_let_go(brokers: list[Mosquitto]) -> None:
    came: list[Message] = []
    feed = Feed([parse_broker_url(brokers[0].url)], MqttSection(url=""), "pitwatch/1", came.append)
    async with running(feed):
        publish(brokers[0], "junk")
        publish(brokers[0], event(1), "pitwatch/1/toledo/BJ-01/round")  # in another's name
        publish(brokers[0], event(1))
        await until(lambda: came)
    assert feed.foreign == 2
    assert len(came) == 1


@pytest.mark.parametrize(
    "payload",
    [
        b"\xff",
        b"[]",
        b'{"id":1}',
        b"[" * 100_000,
        event(1).replace("pitwatch.round.v1", "round").encode(),
        event(1).replace("round.v1", ".v1").encode(),
    ],
)
def test_no_event_is_one_line(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"^pitwatch/1/toledo/RL-07/round: no[^\n]*$"):
        read_message("pitwatch/1", TOPIC, payload, False)


def test_a_removed_message_has_no_event() -> None:
    message = read_message("pitwatch/1", "pitwatch/1/toledo/RL-07/alert/wheel-offline", b"", True)
    assert (message.table, message.subtopic, message.event) == ("toledo/RL-07", "alert/wheel-offline", None)
