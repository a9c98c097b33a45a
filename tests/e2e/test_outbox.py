"""The outbox under bad brokers: in-process daemon on simulated hardware, real mosquitto, real time for the network."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import threading
import time

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon.config import config
from pitwatch.daemon.publishing import publisher as publisher_module
from pitwatch.daemon.publishing import session as session_module
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock, SimFactory
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.table_process import spin
from tests.roulette import lid, roulette, wheel

SECOND = 1_000_000_000
TOPIC = "pitwatch/1/toledo/RL-07"


class Bench:
    """A daemon with a simulated clock and simulated devices."""

    def __init__(self, folder, url, more="", mqtt=""):
        path = folder / "table.toml"
        text = roulette("sim:", url, "journal.db") + lid("sim:") + more
        path.write_text(text.replace("[mqtt]\n", f"[mqtt]\n{mqtt}\n"))
        self.clock = SimClock(now=SECOND)
        self.factory = SimFactory(self.clock)
        self.daemon = Daemon(config.load(path), self.clock, self.factory)
        self.spins = 0

    def spin(self):
        """One spin, a minute of virtual time."""
        self.spins += 1
        for line in spin((self.spins - 1) % 256 + 1, self.spins % 2).splitlines(keepends=True):
            self.clock.advance_to(self.clock.now() + 10 * SECOND)
            self.factory.links["wheel"].inject(line.encode())

    async def until(self, condition, seconds=10.0):
        deadline = asyncio.get_running_loop().time() + seconds
        while not condition():
            assert asyncio.get_running_loop().time() < deadline, "waited in vain"
            await asyncio.sleep(0.01)

    async def delivered(self, seconds=20.0):
        await self.until(lambda: self.daemon.journal.delivered == self.daemon.journal.last, seconds)


@contextlib.asynccontextmanager
async def lag():
    """Measures the longest time that the event loop was not running, in turns of a thread beside it: what a busy
    machine takes from the process it takes from both."""
    worst, turns, going = [0.0], 0, True

    def beside():
        nonlocal turns
        while going:
            time.sleep(0.005)
            turns += 1

    async def measure():
        while True:
            before = turns
            await asyncio.sleep(0.005)
            worst[0] = max(worst[0], (turns - before) * 0.005)

    thread = threading.Thread(target=beside)
    thread.start()
    task = asyncio.create_task(measure())
    try:
        yield worst
    finally:
        task.cancel()
        going = False
        await asyncio.to_thread(thread.join)


class Proxy:
    """Between daemon and broker: refuses until it is entered; while `stalled` passes nothing on and closes nothing."""

    def __init__(self, broker_port):
        self._broker_port = broker_port
        self.port = free_port()
        self.stalled = False
        self._writers = []
        self._server = None

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader, writer):
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._broker_port)
        self._writers += [writer, up_writer]

        async def pump(source, sink):
            while data := await source.read(65536):
                if not self.stalled:
                    sink.write(data)
            sink.close()

        await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer), return_exceptions=True)


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch):
    monkeypatch.setattr(publisher_module, "BACKOFF_FIRST", 0.05)
    monkeypatch.setattr(publisher_module, "BACKOFF_MOST", 0.2)


async def test_a_broker_that_is_down_while_play_goes_on_gets_everything_in_order_later(tmp_path, broker):
    subscriber = await asyncio.to_thread(broker.subscribe)
    proxy = Proxy(broker.port)  # not entered: the broker cannot be reached
    bench = Bench(tmp_path, f"mqtt://127.0.0.1:{proxy.port}")
    await bench.daemon.start()
    async with lag() as worst:
        for _ in range(60):  # an hour of play, far more than ten minutes
            bench.spin()
            await asyncio.sleep(0.01)
        await bench.until(lambda: bench.daemon.journal.committed == bench.daemon.journal.last)
        assert bench.daemon.journal.delivered == 0
        assert "refused" in bench.daemon.publisher.trouble
        async with proxy:
            await bench.delivered()
            await bench.daemon.stop()
            last = bench.daemon.journal.last
        assert worst[0] < 0.25
    received = subscriber.up_to(last)
    assert [p["sequence"] for p in received] == list(range(1, last + 1))
    assert [p["data"]["round"] for p in received if p["type"] == "pitwatch.round.v1"] == list(range(1, 61))


async def test_a_backlog_larger_than_memory_is_read_from_the_file(tmp_path, broker, monkeypatch):
    from pitwatch.daemon.journal import journal as journal_module

    monkeypatch.setattr(journal_module, "TAIL", 10)
    monkeypatch.setattr(session_module, "READ_ROWS", 7)
    monkeypatch.setattr(session_module, "WINDOW", 5)
    subscriber = await asyncio.to_thread(broker.subscribe)
    proxy = Proxy(broker.port)
    bench = Bench(tmp_path, f"mqtt://127.0.0.1:{proxy.port}")
    await bench.daemon.start()
    for _ in range(40):
        bench.spin()
    async with proxy:
        await bench.delivered()
        await bench.daemon.stop()
        last = bench.daemon.journal.last
    assert [p["sequence"] for p in subscriber.up_to(last)] == list(range(1, last + 1))


async def test_many_broker_restarts_leak_nothing_and_lose_nothing(tmp_path, broker):
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    await bench.delivered()
    # All the threads that asyncio's pool may have, so that it does not grow any more.
    await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(40)))

    def footprint():
        return (len(asyncio.all_tasks()), threading.active_count(), len(os.listdir("/proc/self/fd")))

    after_first = None
    for n in range(15):
        bench.spin()
        await asyncio.to_thread(broker.stop)
        bench.spin()
        await bench.until(lambda: bench.daemon.publisher.trouble is not None)
        await asyncio.to_thread(broker.start)
        await bench.delivered()
        if n == 4:
            await asyncio.sleep(0.1)
            after_first = footprint()
    await asyncio.sleep(0.1)
    tasks, threads, files = footprint()
    assert tasks <= after_first[0]
    assert threads <= after_first[1]
    assert files <= after_first[2] + 1
    assert bench.daemon.publisher.connections >= 16
    await bench.daemon.stop()
    assert bench.daemon.journal.delivered == bench.daemon.journal.last


async def test_a_broker_that_accepts_and_says_nothing_does_not_hold_up_the_loop(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        bench = Bench(tmp_path, f"mqtt://127.0.0.1:{silent.getsockname()[1]}")
        await bench.daemon.start()
        async with lag() as worst:
            for _ in range(20):
                bench.spin()
                await asyncio.sleep(0.01)
            await bench.until(lambda: bench.daemon.journal.committed == bench.daemon.journal.last)
            assert worst[0] < 0.25
        await asyncio.wait_for(bench.daemon.stop(), 5)


async def test_a_connection_that_stalls_is_given_up_and_nothing_is_lost(tmp_path, broker, monkeypatch):
    monkeypatch.setattr(session_module, "STALLED_AFTER", 0.4)
    subscriber = await asyncio.to_thread(broker.subscribe)
    async with Proxy(broker.port) as proxy:
        bench = Bench(tmp_path, f"mqtt://127.0.0.1:{proxy.port}")
        await bench.daemon.start()
        bench.spin()
        await bench.delivered()
        proxy.stalled = True
        async with lag() as worst:
            for _ in range(5):
                bench.spin()
            await bench.until(lambda: bench.daemon.publisher.trouble is not None, 15)
            assert "nothing acknowledged" in bench.daemon.publisher.trouble
            proxy.stalled = False
            await bench.delivered(30)
            assert worst[0] < 0.25
        await bench.daemon.stop()
        last = bench.daemon.journal.last
    ids = {p["id"]: p["sequence"] for p in subscriber.up_to(last)}
    assert sorted(ids.values()) == list(range(1, last + 1))


def retained(subscriber, subtopic):
    return [p for topic, p, _ in subscriber.messages if topic == f"{TOPIC}/{subtopic}"]


async def test_an_alert_is_retained_while_it_lasts_and_its_end_keeps_the_sequence_whole(tmp_path, broker):
    subscriber = await asyncio.to_thread(broker.subscribe)
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    bench.clock.advance_to(10 * SECOND)
    bench.factory.banks["lid"].drive("lid", 1)
    bench.clock.advance_to(20 * SECOND)
    await bench.delivered()
    late = await asyncio.to_thread(broker.subscribe)
    raised = [(t, p) for t, p, r in late.messages if t.startswith(f"{TOPIC}/alert/") and r]
    assert len(raised) == 1
    topic, event = raised[0]
    assert event["data"]["raised"] is True
    bench.factory.banks["lid"].drive("lid", 0)
    bench.clock.advance_to(30 * SECOND)
    await bench.delivered()

    def told():
        return [p for t, p, _ in subscriber.messages if t == topic]

    await bench.until(lambda: len(told()) >= 3)
    later = await asyncio.to_thread(broker.subscribe)
    assert not [t for t, _, _ in later.messages if t == topic]
    assert [p and p["data"]["raised"] for p in told()] == [True, False, ""]
    await bench.daemon.stop()
    last = bench.daemon.journal.last
    assert [p["sequence"] for p in subscriber.up_to(last)] == list(range(1, last + 1))


async def test_what_an_earlier_run_left_is_ended_at_the_start(tmp_path, broker):
    first = Bench(tmp_path, broker.url, wheel("old", "sim:"))
    await first.daemon.start()
    first.clock.advance_to(10 * SECOND)
    first.factory.banks["lid"].drive("lid", 1)
    first.clock.advance_to(20 * SECOND)
    for _ in range(3):
        first.spin()
    await first.delivered()
    await first.daemon.stop()
    before = await asyncio.to_thread(broker.subscribe)
    topics = {t for t, _, _ in before.messages}
    assert f"{TOPIC}/device/old" in topics
    assert any(t.startswith(f"{TOPIC}/alert/") for t in topics)
    second = Bench(tmp_path, broker.url)
    await second.daemon.start()
    second.spins = first.spins
    second.spin()
    await second.delivered()
    rounds = [
        json.loads(r.body)["round"]
        for r in second.daemon.journal.fresh(first.daemon.journal.last, 500)
        if r.kind == "round"
    ]
    assert rounds == [4]  # round numbers go on
    ended = {topic for topic in topics if topic == f"{TOPIC}/device/old" or "/alert/" in topic}
    await second.until(lambda: ended <= {t for t, p, _ in before.messages if p == ""})
    after = await asyncio.to_thread(broker.subscribe)
    topics = {t for t, _, _ in after.messages}
    assert f"{TOPIC}/device/wheel" in topics
    assert f"{TOPIC}/device/old" not in topics
    assert not [t for t in topics if t.startswith(f"{TOPIC}/alert/")]
    await second.daemon.stop()


async def test_health_comes_every_thirty_seconds_and_counts(tmp_path, broker):
    subscriber = await asyncio.to_thread(broker.subscribe)
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    bench.spin()
    await bench.delivered()
    bench.factory.links["wheel"].inject(b"garbage\r\n")
    for told in range(1, 5):
        bench.clock.advance_to(bench.clock.now() + 30 * SECOND)
        await bench.until(lambda told=told: len(retained(subscriber, "health")) >= told)
    await bench.delivered()
    await bench.daemon.stop()
    health = [p["data"] for p in retained(subscriber, "health")]
    assert len(health) >= 4
    assert all("sequence" not in p for p in retained(subscriber, "health"))
    newest = health[-1]
    assert newest["dropped"] == {"bytes": 7}
    assert newest["sequence"] >= newest["committed"] >= newest["delivered"] > 0
    assert newest["memory_kib"] > 1000
    assert newest["clock_synced"] is True
    assert newest["connections"] == 1
    assert newest["uptime_s"] >= 120


async def test_a_journal_that_cannot_write_is_told_at_once_and_watching_goes_on(tmp_path, broker, monkeypatch):
    import sqlite3

    from pitwatch.daemon.journal import writing
    from pitwatch.daemon.journal.store import Store

    monkeypatch.setattr(writing, "RETRY_AFTER", 0.02)
    subscriber = await asyncio.to_thread(broker.subscribe)
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    bench.spin()
    await bench.delivered()
    write = Store.write

    def full(self, records, delivered):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "write", full)
    bench.spin()
    await bench.until(lambda: retained(subscriber, "status")[-1]["data"]["journal"] != "ok")
    assert "disk is full" in retained(subscriber, "status")[-1]["data"]["journal"]
    undelivered = bench.daemon.journal.last - bench.daemon.journal.delivered
    assert undelivered > 5  # nothing is published that is not in the journal
    monkeypatch.setattr(Store, "write", write)
    await bench.delivered()
    await bench.until(lambda: retained(subscriber, "status")[-1]["data"]["journal"] == "ok")
    await bench.daemon.stop()
    last = bench.daemon.journal.last
    assert [p["sequence"] for p in subscriber.up_to(last)] == list(range(1, last + 1))


async def test_goes_on_at_another_broker_and_loses_nothing(tmp_path, broker):
    (tmp_path / "second").mkdir()
    second = Mosquitto(tmp_path / "second")
    second.start()
    bench = Bench(tmp_path, [broker.url, second.url])
    first_heard, second_heard = broker.subscribe(), second.subscribe()
    try:
        await bench.daemon.start()
        bench.spin()
        await bench.delivered()
        await asyncio.to_thread(first_heard.up_to, bench.daemon.journal.last)
        broker.stop()
        bench.spin()
        await bench.delivered()
        last = bench.daemon.journal.last
        heard = {record["sequence"] for record in (*first_heard.records(), *second_heard.up_to(last))}
        assert heard == set(range(1, last + 1))
        state = [payload["data"]["state"] for topic, payload, _ in second_heard.messages if topic == f"{TOPIC}/status"]
        assert state[-1] in ("ready", "aligning")
        second.stop()
        broker.start()
        bench.spin()
        await bench.delivered()
    finally:
        await bench.daemon.stop()
        second.close()


async def test_a_standing_alert_is_told_again_for_latecomers_and_an_ended_one_is_not(tmp_path, broker):
    subscriber = await asyncio.to_thread(broker.subscribe)
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    bench.clock.advance_to(10 * SECOND)
    bench.factory.banks["lid"].drive("lid", 1)
    bench.clock.advance_to(20 * SECOND)
    await bench.delivered()

    def told():
        return [p for t, p, _ in subscriber.messages if t == f"{TOPIC}/alert/lid-open"]

    bench.clock.advance_to(40 * SECOND)  # past the first look at itself
    await bench.until(lambda: len(told()) == 2)
    assert told()[0] == told()[1]
    bench.factory.banks["lid"].drive("lid", 0)
    bench.clock.advance_to(50 * SECOND)
    await bench.delivered()
    bench.clock.advance_to(75 * SECOND)
    bench.spin()
    await bench.delivered()
    last = bench.daemon.journal.last
    await asyncio.to_thread(subscriber.up_to, last)
    assert [p and p["data"]["raised"] for p in told()] == [True, True, False, ""]
    await bench.daemon.stop()


async def test_a_second_board_of_the_same_name_is_suspected_in_the_log(tmp_path, broker, caplog):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    one, other = Bench(first, broker.url), Bench(second, broker.url)
    await one.daemon.start()
    await one.delivered()
    assert "again and again" not in caplog.text
    await other.daemon.start()
    suspected = "the broker closed the connection, or it was lost; again and again: is another board or program "
    await one.until(lambda: f"{suspected}pitwatch-toledo-RL-07?; trying again" in caplog.text)
    await other.daemon.stop()
    await one.delivered()
    await one.daemon.stop()


async def test_a_broker_that_is_restarted_twice_is_no_second_board(tmp_path, broker, caplog):
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    for restarts in range(2):
        await bench.until(lambda connections=restarts + 1: bench.daemon.publisher.connections == connections)
        await asyncio.to_thread(broker.stop)
        await asyncio.to_thread(broker.start)
    await bench.until(lambda: bench.daemon.publisher.connections == 3)
    await bench.daemon.stop()
    assert "the broker closed the connection, or it was lost; trying again" in caplog.text
    assert "again and again" not in caplog.text


async def test_an_alert_that_stands_again_is_retained_whatever_is_sent_in_one_go(tmp_path):
    """A loose plug while there is no broker: raised, over, raised; the broker gets it all at once."""
    broker = Mosquitto(tmp_path)
    bench = Bench(tmp_path, broker.url)
    await bench.daemon.start()
    for plugged in (False, True, False):
        bench.clock.advance_to(bench.clock.now() + 10 * SECOND)
        link = bench.factory.links["wheel"]
        if plugged:
            link.replug()
            bench.clock.advance_to(bench.clock.now() + 60 * SECOND)
        else:
            link.unplug()
    await asyncio.to_thread(broker.start)
    try:
        await bench.delivered()
        late = await asyncio.to_thread(broker.subscribe)
        await bench.until(lambda: any(topic == f"{TOPIC}/alert/wheel-offline" for topic, _, _ in late.messages))
        await bench.daemon.stop()
    finally:
        await asyncio.to_thread(broker.close)


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_table_that_the_access_list_lacks_keeps_what_it_has(tmp_path, caplog, version):
    (tmp_path / "acl").write_text("topic read #\ntopic readwrite test/#\n")
    broker = Mosquitto(tmp_path, f"allow_anonymous true\nacl_file {tmp_path}/acl")
    await asyncio.to_thread(broker.start)
    bench = Bench(tmp_path, broker.url, mqtt=f'version = "{version}"')
    try:
        subscriber = await asyncio.to_thread(broker.subscribe)
        await bench.daemon.start()
        bench.spin()
        await bench.until(lambda: "the broker refuses the table's messages: Not authorized" in caplog.text)
        await asyncio.sleep(0.5)
        assert bench.daemon.journal.delivered == 0
        (tmp_path / "acl").write_text("topic readwrite #\n")
        await asyncio.to_thread(broker.reload)
        await bench.delivered()
        records = await asyncio.to_thread(subscriber.up_to, bench.daemon.journal.last)
        assert [p["sequence"] for p in records] == list(range(1, bench.daemon.journal.last + 1))
        await bench.daemon.stop()
    finally:
        await asyncio.to_thread(broker.close)


async def test_over_mqtt_5_rights_that_are_taken_away_meanwhile_lose_nothing(tmp_path, caplog):
    (tmp_path / "acl").write_text("topic readwrite #\n")
    broker = Mosquitto(tmp_path, f"allow_anonymous true\nacl_file {tmp_path}/acl")
    await asyncio.to_thread(broker.start)
    bench = Bench(tmp_path, broker.url, mqtt='version = "5"')
    try:
        await bench.daemon.start()
        await bench.delivered()
        before = bench.daemon.journal.delivered
        (tmp_path / "acl").write_text("topic read #\n")
        await asyncio.to_thread(broker.reload)
        bench.spin()
        await bench.until(lambda: "the broker refuses the table's messages: Not authorized" in caplog.text)
        assert bench.daemon.journal.delivered == before
        (tmp_path / "acl").write_text("topic readwrite #\n")
        await asyncio.to_thread(broker.reload)
        await bench.delivered()
        await bench.daemon.stop()
    finally:
        await asyncio.to_thread(broker.close)
