"""A floor that retains more than a stock mosquitto queues for a client (max_queued_messages 1000) is seen whole."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.feed import Feed
from pitwatch.floor.message import Message
from pitwatch.floor.subscribing import Subscribing
from pitwatch.floor.watch.model import TOPICS
from tests.e2e.mosquitto import Mosquitto
from tests.floor.test_feed import event, publish, running, until

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

STOCK = "allow_anonymous true\nmax_queued_messages 1000"
DEVICES = 4


def stock(folder: Path, options: str = STOCK) -> Mosquitto:
    broker = Mosquitto(folder, options)
    broker.start()
    return broker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = stock(tmp_path)
    yield broker
    broker.close()


def retain(broker: Mosquitto, tables: int) -> set[str]:
    """What so many tables leave at the broker; the topics."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.max_inflight_messages_set(1000)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    kinds = ("status", "health", "integrity", "retention", *(f"device/d{n}" for n in range(DEVICES)))
    topics = [f"pitwatch/1/toledo/T{table:03d}/{kind}" for table in range(tables) for kind in kinds]
    sent = []
    for number, topic in enumerate(topics, 1):
        table, kind = topic.split("/")[3], topic.split("/")[4]
        payload = (
            f'{{"specversion":"1.0","id":"{table}/b/{number}","source":"/toledo/{table}",'
            f'"type":"pitwatch.{kind}.v1","bootid":"b","data":{{}}}}'
        )
        sent.append(client.publish(topic, payload, qos=1, retain=True))
    for each in sent:
        each.wait_for_publish(120)
    client.loop_stop()
    client.disconnect()
    return set(topics)


def feed(broker: Mosquitto, came: list[Message]) -> Feed:
    settings = MqttSection(url=broker.url)
    return Feed([parse_broker_url(broker.url)], settings, "pitwatch/1", came.append, TOPICS)


def heard(came: list[Message]) -> set[str]:
    return {f"pitwatch/1/{message.table}/{message.subtopic}" for message in came if message.retained}


async def test_three_hundred_tables_are_seen_whole(broker: Mosquitto) -> None:
    topics = retain(broker, 300)
    came: list[Message] = []
    async with running(feed(broker, came)):
        await until(lambda: heard(came) == topics, 60)


async def test_what_happens_meanwhile_is_heard(broker: Mosquitto) -> None:
    """While the states come in portions. Of the first burst the broker may drop a record, which then is a gap."""
    retain(broker, 300)
    came: list[Message] = []
    subscriber = feed(broker, came)
    async with running(subscriber):
        await until(lambda: len(came) > 1000, 60)
        for sequence in range(1, 21):
            publish(broker, event(sequence))
        await until(lambda: len([m for m in came if m.event and m.event.kind == "round"]) == 20, 60)


async def test_of_a_small_floor_nothing_is_asked_twice(broker: Mosquitto) -> None:
    topics = retain(broker, 20)
    came: list[Message] = []
    async with running(feed(broker, came)):
        await until(lambda: heard(came) == topics, 120)
        publish(broker, event(1))
        await until(lambda: came[-1].event and came[-1].event.kind == "round")
    assert len(came) == len(topics) + 1


class Refusing:
    """What a broker answers that grants only rounds. None here does so without a plugin: mosquitto's access list takes
    every subscription and sends nothing."""

    async def subscribe(self, topics: list[tuple[str, int]]) -> list[int]:
        return [1 if topic.endswith("/round") else 128 for topic, _ in topics]


async def test_a_subscription_that_is_refused_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "pitwatch.feed"):
        await Subscribing(Refusing(), "pitwatch/1", ["round", "wire", "status"]).subscribe()  # type: ignore[arg-type]
    told = [record.message for record in caplog.records]
    assert told == [
        f"the broker refuses the subscription to pitwatch/1/+/+/{kind}: none of its messages arrive"
        for kind in ("wire", "status")
    ]
