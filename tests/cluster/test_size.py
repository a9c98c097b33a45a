"""A RabbitMQ that takes no large message: it answers nothing more on the connection, and closes none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.brokers import RABBITMQ, Node, kinds, rabbitmq, rabbitmq_release
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.publishing import echo
from pitwatch.daemon.publishing import publisher as publisher_module
from pitwatch.daemon.publishing.broker_trial import Takes, tried
from pitwatch.daemon.publishing.envelope import LARGEST, Envelope
from pitwatch.floor.message import Message
from tests.cluster.test_rabbitmq import TOPIC, listening
from tests.e2e.test_outbox import Bench

pytestmark = pytest.mark.skipif("rabbitmq" not in kinds(), reason="rabbitmq-server is not installed")

ENVELOPE = Envelope("toledo", "RL-07", TOPIC, "doctor", False)


def limit() -> str:
    """Of 700 bytes, less than a checkpoint has, by the key that the release holds MQTT to."""
    key = "max_message_size" if rabbitmq_release() < (3, 13) else "mqtt.max_packet_size_authenticated"
    return f"{key} = 700\n"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Callable[[str], Node]]:
    """Starts one node with settings of its own."""
    with contextlib.ExitStack() as stack:
        yield lambda more: stack.enter_context(rabbitmq(tmp_path, 1, RABBITMQ + more)).nodes[0]


@pytest.fixture(autouse=True)
def _fast_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first large echo is waited for as on a slow line, 76 s."""
    monkeypatch.setattr(echo, "LEAST_RATE", 20_000)
    monkeypatch.setattr(publisher_module, "BACKOFF_FIRST", 0.05)


async def takes(node: Node) -> Takes:
    settings = MqttSection(url=node.url)
    return await tried(settings, settings.addresses[0], "pitwatch-toledo-RL-07", ENVELOPE)


async def test_a_rabbitmq_as_it_is_takes_all(node: Callable[[str], Node]) -> None:
    found = await takes(node(""))
    assert (found.largest, found.told(), found.doubt()) == (LARGEST, None, None)


async def test_a_record_above_its_limit_is_passed_over_and_holds_up_no_other(
    node: Callable[[str], Node], tmp_path: Path
) -> None:
    small = node(limit())
    came: list[Message] = []
    async with listening([small.url], came.append):
        bench = Bench(tmp_path, small.url)
        await bench.daemon.start()
        bench.spin()
        await bench.until(lambda: bool(named(came)), 180)
        await bench.delivered()
        last = bench.daemon.journal.last
        # What is delivered may still be on its way here, and so may the report of what is not.
        await bench.until(lambda: heard(came) | named(came) >= set(range(1, last + 1)), 30)
        missing = named(came)
        assert not heard(came) & missing
        assert missing
        assert "RabbitMQ's max_message_size" in bench.daemon.publisher.broker
        assert "alert/broker" in bench.daemon.journal.retained
        assert 550 < bench.daemon.publisher.largest <= 700 + len(ENVELOPE.topic("echo"))
        await bench.daemon.stop()


def heard(came: list[Message]) -> set[int]:
    return {each.event.sequence for each in came if each.event and each.event.sequence is not None}


def named(came: list[Message]) -> set[int]:
    """Sequences that the table says are not published."""
    told = [each.event.payload() for each in came if each.event and each.event.kind == "system"]
    return {seq for data in told if data["event"] == "records_not_published" for seq in data["detail"]["sequences"]}
