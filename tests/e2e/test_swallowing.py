"""Brokers that take part of what a table says and drop it, acknowledged or not: doctor and the daemon say which part,
and nothing that nobody can hear counts as delivered in silence. Real mosquitto, each option; and those that are
well."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging

import aiomqtt
import pytest

from pitwatch.daemon.config.broker_url import BrokerAddress, parse_broker_url
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.doctor import broker as doctor_broker
from pitwatch.daemon.publishing import echo
from pitwatch.daemon.publishing import publisher as publisher_module
from pitwatch.daemon.publishing.broker_trial import Takes, tried
from pitwatch.daemon.publishing.envelope import LARGEST, Envelope
from pitwatch.daemon.publishing.known_brokers import AT_ONCE, BELIEVED, EVERY, KnownBrokers
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.old_speaker import Between
from tests.e2e.test_outbox import SECOND, TOPIC, Bench

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

ENVELOPE = Envelope("toledo", "RL-07", TOPIC, "doctor", False)
OPEN = "allow_anonymous true\n"
OLD_LIST = "".join(
    f"topic write {TOPIC}/{each}\n"
    for each in ("status", "health", "system", "device/+", "round", "irregularity/+", "alert/+", "observation/+")
) + "".join(
    f"topic write {TOPIC}/{each}\n" for each in ("integrity", "checkpoint", "retention", "wire", "requested")
)  # fmt: skip
"""What `provision` wrote before tables had an echo."""

REFUSALS = [
    ("message_size_limit 600", ["passes on messages up to"], ["message_size_limit"]),
    ("message_size_limit 20000", ["passes on messages up to"], ["message_size_limit"]),
    ("message_size_limit 50", ["passes on nothing"], ["message_size_limit"]),
    ("max_packet_size 700", ["passes on messages up to"], ["max_packet_size"]),
    ("max_packet_size 20000", ["passes on messages up to"], ["max_packet_size"]),
    ("retain_available false", ["keeps no retained messages"], ["retain_available"]),
    ("max_qos 0", ["takes QoS 0 only"], ["max_qos"]),
    (
        "retain_available false\nmax_qos 0\nmessage_size_limit 600",
        ["passes on messages up to", "takes QoS 0 only", "keeps no retained messages"],
        ["message_size_limit", "max_qos", "retain_available"],
    ),
]


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch):
    monkeypatch.setattr(publisher_module, "BACKOFF_FIRST", 0.05)
    monkeypatch.setattr(publisher_module, "BACKOFF_MOST", 0.2)


@contextlib.asynccontextmanager
async def broker_with(folder, options):
    folder.mkdir(exist_ok=True)
    broker = Mosquitto(folder, OPEN + options)
    await asyncio.to_thread(broker.start)
    try:
        yield broker
    finally:
        await asyncio.to_thread(broker.close)


async def with_options(broker, options):
    """The same broker started again with others."""
    await asyncio.to_thread(broker.stop)
    lines = broker._config.read_text().splitlines()[:3]
    broker._config.write_text("\n".join([*lines, OPEN + options]) + "\n")
    await asyncio.to_thread(broker.start)


async def examined(url, version="3.1.1"):
    settings = MqttSection(url=url, version=version)
    return await doctor_broker.broker(settings, url, settings.addresses[0], "pitwatch-doctor-1", ENVELOPE)


async def takes(port, name="pitwatch-toledo-RL-07", **more):
    settings = MqttSection(url=f"mqtt://127.0.0.1:{port}", **more)
    return await tried(settings, settings.addresses[0], name, ENVELOPE, bool(settings.requests))


@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.parametrize(("options", "seen", "fix"), REFUSALS)
async def test_doctor_names_what_a_broker_refuses_and_the_option_that_fixes_it(tmp_path, options, seen, fix, version):
    async with broker_with(tmp_path, options) as broker:
        found = await examined(broker.url, version)
    assert [each.well for each in found] == [False] * len(seen)
    for each, what, option in zip(found, seen, fix, strict=True):
        assert what in each.seen
        assert option in each.fix


@pytest.mark.parametrize(("options", "seen", "fix"), REFUSALS)
async def test_the_same_is_found_where_no_mqtt_5_is_spoken(tmp_path, monkeypatch, options, seen, fix):
    from pitwatch.daemon.publishing import broker_client

    monkeypatch.setattr(broker_client, "ANSWERED_WITHIN", 1.0)
    async with broker_with(tmp_path, options) as broker, Between(broker.port, only_3=True) as between:
        told = (await takes(between.port)).problems()
    assert len(told) == len(seen)
    for each, what, option in zip(told, seen, fix, strict=True):
        assert what in each.seen
        assert option in each.fix


@pytest.mark.parametrize("limit", [600, 1_000, 5_000, 20_000, 60_000])
async def test_the_largest_that_is_taken_is_found_and_never_said_too_large(tmp_path, limit):
    async with broker_with(tmp_path, f"message_size_limit {limit}") as broker, Between(broker.port, True) as between:
        for port in (broker.port, between.port):
            largest = (await takes(port)).largest
            payload = largest - len(ENVELOPE.topic("echo"))
            assert limit * 0.85 < payload <= limit


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_broker_that_takes_all_is_well_in_one_line(tmp_path, version):
    async with broker_with(tmp_path, f"message_size_limit {LARGEST}\nmax_packet_size {LARGEST + 32}") as broker:
        (found,) = await examined(broker.url, version)
    assert found.well
    assert found.fix == ""
    assert f"passes on {LARGEST} bytes" in found.seen


async def test_the_subscription_to_requests_is_tried_only_where_they_are_enabled(tmp_path):
    (tmp_path / "acl").write_text(f"topic write {TOPIC}/#\ntopic read {TOPIC}/echo\n")
    async with broker_with(tmp_path, f"acl_file {tmp_path}/acl") as broker:
        assert (await takes(broker.port)).told() is None


@pytest.mark.parametrize("only_3", [False, True])
async def test_an_older_access_list_is_told_as_not_confirmed_and_nothing_more(tmp_path, monkeypatch, only_3):
    monkeypatch.setattr(echo, "PATIENCE", 1.0)
    (tmp_path / "acl").write_text(OLD_LIST)
    async with broker_with(tmp_path, f"acl_file {tmp_path}/acl") as broker, Between(broker.port, only_3) as between:
        found = await takes(between.port)
        assert (found.told(), found.largest) == (None, LARGEST)
        assert "run pitwatch provision again" in str(found.doubt())
        (finding,) = await examined(f"mqtt://127.0.0.1:{between.port}")
        assert finding.well
        assert "run pitwatch provision again" in finding.fix


async def test_over_mqtt_5_a_limit_is_found_though_the_access_list_is_older(tmp_path):
    (tmp_path / "acl").write_text(OLD_LIST)
    async with broker_with(tmp_path, f"acl_file {tmp_path}/acl\nmessage_size_limit 600") as broker:
        found = await takes(broker.port)
    assert 500 < found.largest < 640
    assert found.unheard


async def test_a_slow_broker_a_slow_line_and_one_that_is_restarted_are_not_accused(tmp_path):
    async with broker_with(tmp_path, "") as broker:
        async with Between(broker.port, late=2.0) as late, Between(broker.port, rate=20_000) as slow:
            for found in await asyncio.gather(takes(late.port, "one"), takes(slow.port, "two")):
                assert (found.told(), found.doubt()) == (None, None)
        restarted = []

        def restart(sent):
            if sent > LARGEST / 2 and not restarted:
                restarted.append(sent)
                broker._process.kill()
                broker._process.wait()
                broker.start()

        async with Between(broker.port, on_bytes=restart) as between:
            try:
                found = await takes(between.port)
            except Exception as error:
                assert "connection" in str(error) or "refused" in str(error)  # noqa: PT017 - either is right
            else:
                assert (found.told(), found.doubt()) == (None, None)
        assert restarted


async def test_a_line_slower_than_the_patience_for_it_is_not_accused(tmp_path, monkeypatch):
    """Nothing comes of the largest message in time: it is tried again once it is known how fast the line is."""
    monkeypatch.setattr(echo, "PATIENCE", 2.0)
    monkeypatch.setattr(echo, "LEAST_RATE", 10**9)
    async with broker_with(tmp_path, "") as broker, Between(broker.port, rate=15_000) as slow:
        found = await takes(slow.port)
    assert (found.told(), found.doubt()) == (None, None)


async def test_a_client_that_took_the_name_is_not_taken_for_a_broker_that_takes_less(tmp_path):
    half = asyncio.Event()

    def on_bytes(sent):
        if sent > LARGEST / 2:
            half.set()

    async with broker_with(tmp_path, "") as broker, Between(broker.port, rate=40_000, on_bytes=on_bytes) as slow:
        trial = asyncio.create_task(takes(slow.port))
        await half.wait()
        async with aiomqtt.Client("127.0.0.1", broker.port, identifier="pitwatch-toledo-RL-07"):
            try:
                found = await trial
            except aiomqtt.MqttError:
                return  # the broker's word on it may come through or not
            assert (found.told(), found.doubt()) == (None, None)


def told(subscriber, subtopic):
    return [payload for topic, payload, _ in subscriber.messages if topic == f"{TOPIC}/{subtopic}"]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_record_that_the_broker_throws_away_is_passed_over_told_and_sent_when_it_takes_it(
    tmp_path, caplog, version
):
    caplog.set_level(logging.INFO)
    async with broker_with(tmp_path, "message_size_limit 600") as broker:
        subscriber = await asyncio.to_thread(broker.subscribe)
        bench = Bench(tmp_path, broker.url, mqtt=f'version = "{version}"')
        await bench.daemon.start()
        bench.spin()
        await bench.until(
            lambda: any(p["data"]["event"] == "records_not_published" for p in told(subscriber, "system"))
        )
        await bench.delivered()
        (not_published,) = [p for p in told(subscriber, "system") if p["data"]["event"] == "records_not_published"]
        missing = not_published["data"]["detail"]["sequences"]
        heard = {p["sequence"] for p in await asyncio.to_thread(subscriber.up_to, bench.daemon.journal.last)}
        assert set(range(1, bench.daemon.journal.last + 1)) - heard == set(missing) != set()
        assert "passes on messages up to" in bench.daemon.publisher.broker
        assert "passes on messages up to" in caplog.text
        alert = bench.daemon.journal.retained["alert/broker"]
        assert json.loads(alert.body)["raised"] is True
        subscriber.close()
        await with_options(broker, "")
        subscriber = await asyncio.to_thread(broker.subscribe)
        await bench.until(lambda: bench.daemon.publisher.broker == "ok")
        await bench.until(lambda: set(missing) <= {p["sequence"] for p in subscriber.records()})
        assert json.loads(bench.daemon.journal.retained["alert/broker"].body)["raised"] is False
        await bench.daemon.stop()


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_broker_that_is_restarted_with_a_limit_is_tried_again(tmp_path, version):
    async with broker_with(tmp_path, "") as broker:
        bench = Bench(tmp_path, broker.url, mqtt=f'version = "{version}"')
        await bench.daemon.start()
        await bench.delivered()
        assert bench.daemon.publisher.broker == "ok"
        await with_options(broker, "message_size_limit 600")
        await bench.until(lambda: "passes on messages up to" in bench.daemon.publisher.broker)
        await bench.daemon.stop()


async def test_what_one_broker_throws_away_goes_to_the_next_of_the_list(tmp_path):
    async with (
        broker_with(tmp_path / "small", "message_size_limit 600") as small,
        broker_with(tmp_path / "whole", "") as whole,
    ):
        ears = [await asyncio.to_thread(each.subscribe) for each in (small, whole)]
        bench = Bench(tmp_path, [small.url, whole.url])
        await bench.daemon.start()
        bench.spin()
        await bench.delivered()
        last = bench.daemon.journal.last
        await asyncio.to_thread(ears[1].up_to, last)
        assert {record["sequence"] for ear in ears for record in ear.records()} >= set(range(1, last + 1))
        assert not bench.daemon.publisher.passed._sizes
        await bench.daemon.stop()


@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.parametrize("options", ["retain_available false", "max_qos 0", "retain_available false\nmax_qos 0"])
async def test_a_broker_without_retained_messages_or_qos_1_is_told_and_hears_every_record(
    tmp_path, caplog, options, version
):
    async with broker_with(tmp_path, options) as broker:
        subscriber = await asyncio.to_thread(broker.subscribe)
        bench = Bench(tmp_path, broker.url, mqtt=f'version = "{version}"')
        await bench.daemon.start()
        for _ in range(5):
            bench.spin()
        await bench.delivered()
        last = bench.daemon.journal.last
        assert [p["sequence"] for p in await asyncio.to_thread(subscriber.up_to, last)] == list(range(1, last + 1))
        assert options.split()[0].split("_")[0] in caplog.text
        assert "alert/broker" in bench.daemon.journal.retained
        await bench.daemon.stop()


async def test_a_table_goes_on_as_before_under_an_older_access_list(tmp_path, caplog):
    (tmp_path / "acl").write_text(OLD_LIST + "topic read #\n".replace("#", "nothing") + "topic readwrite test/#\n")
    async with broker_with(tmp_path, f"acl_file {tmp_path}/acl") as broker:
        bench = Bench(tmp_path, broker.url)
        await bench.daemon.start()
        bench.spin()
        await bench.delivered()
        assert "not confirmed" in bench.daemon.publisher.broker
        assert caplog.text.count("run pitwatch provision again") == 1
        assert "alert/broker" not in bench.daemon.journal.retained
        bench.clock.advance_to(bench.clock.now() + 60 * SECOND)
        await bench.delivered()
        await bench.daemon.stop()


async def test_a_connection_that_is_cut_again_and_again_does_not_carry_the_largest_message_each_time(tmp_path):
    async with broker_with(tmp_path, "") as broker, Between(broker.port) as between:
        bench = Bench(tmp_path, f"mqtt://127.0.0.1:{between.port}")
        await bench.daemon.start()
        publisher = bench.daemon.publisher
        for cuts in range(1, 31):
            await bench.until(lambda cuts=cuts: publisher.connections >= cuts and publisher.trouble is None)
            between.cut()
        await bench.daemon.stop()
    assert LARGEST * 2 < between.sent < LARGEST * (AT_ONCE + 5)


def test_what_is_known_of_a_broker_lasts_an_hour_or_to_the_end_of_a_connection():
    now = 0.0
    here, there = BrokerAddress("a", 1, False), BrokerAddress("b", 1, False)
    known = KnownBrokers(lambda: now)
    assert known.takes(here) is None
    known.trying()
    known.learned(here, Takes())
    assert known.takes(here) == Takes()
    assert known.takes(there) is None
    now += BELIEVED + 1
    assert known.takes(here) is None
    for _ in range(AT_ONCE):
        assert known.takes(here) is None
        known.trying()
        known.learned(here, Takes())
        known.doubt(here)
    assert known.takes(here) == Takes()  # as it was found last: the line fails too often
    now += EVERY
    assert known.takes(here) is None


def test_the_largest_probe_is_as_long_as_the_largest_message():
    address = parse_broker_url("mqtt://127.0.0.1")
    assert address.port
    from pitwatch.daemon.publishing.envelope import Message

    class Nobody:
        refused = None

    made = echo.Echo(Nobody(), ENVELOPE)
    assert Message(made.topic, made.payload(LARGEST), False).size == LARGEST
