"""Hands on the equipment, as surveillance is told of them at its broker; and what looks alike and is nothing."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from pitwatch.rules.book import BOOKS
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import TableProcess, spin
from tests.faults import virtual

TOPIC = "pitwatch/1/toledo/RL-07"
MINUTE = 60_000_000_000

READER = """
[[device]]
id = "keys"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:{port}?baud=115200&address=5"
"""


def told(subscriber):
    return [p["data"] for topic, p, _ in subscriber.messages if topic == f"{TOPIC}/irregularity/critical"]


def ready(subscriber, device, boots):
    """Whether the device is on line in the newest of so many runs of the daemon."""
    said = [p for topic, p, _ in subscriber.messages if topic == f"{TOPIC}/device/{device}" and p]
    return len({p["bootid"] for p in said}) == boots and said[-1]["data"]["state"] == "online"


@pytest.fixture
def table(tmp_path, broker):
    table = TableProcess(tmp_path, broker.url)
    yield table
    table.close()


def test_a_rule_book_that_was_changed_between_two_boots(tmp_path, table, broker):
    book = tmp_path / "house"
    shutil.copytree(BOOKS / "toledo-2020", book)
    text = table.config.read_text()
    table.config.write_text(text.replace("toledo-2020/roulette", f"{book}/roulette"))
    subscriber = broker.subscribe()
    for boots in (1, 2):
        table.start()
        wait_for(lambda boots=boots: ready(subscriber, "wheel", boots))
        assert table.stop() == 0
    assert told(subscriber) == []
    chapter = book / "roulette.toml"
    chapter.write_text(chapter.read_text() + "\n# one word more\n")
    table.start()
    (irregularity,) = wait_for(lambda: told(subscriber))
    assert irregularity["rule"].endswith("/roulette/rule-book-changed")
    assert (irregularity["category"], irregularity["disposition"]) == ("integrity", "inspect")
    assert irregularity["required"] != irregularity["observed"]
    assert table.stop() == 0
    table.start()
    wait_for(lambda: ready(subscriber, "wheel", 4))
    table.write(spin(1, 1))
    wait_for(lambda: [p for p in subscriber.records() if p["type"] == "pitwatch.round.v1"])
    assert len(told(subscriber)) == 1, "told once"


async def test_a_card_reader_that_was_swapped(table, broker):
    """By libosdp, with another serial number, while the table runs; before that the same one is switched off and on."""
    pytest.importorskip("osdp", reason="libosdp is not installed")
    from tests.daemon.osdp_readers import Bus

    bus = Bus()
    bus.add(5, serial=1001)
    table.config.write_text(table.config.read_text() + READER.format(port=bus.path))
    subscriber = broker.subscribe()
    states = lambda: [p["data"]["state"] for t, p, _ in subscriber.messages if t == f"{TOPIC}/device/keys"]  # noqa: E731
    try:
        table.start()
        await bus.until(lambda: ready(subscriber, "keys", 1), 10)
        for serial in (1001, 1002):
            assert told(subscriber) == []
            bus.powered.discard(5)
            await bus.until(lambda: states()[-1] == "offline", 15)
            bus.add(5, serial=serial)
            await bus.until(lambda: states()[-1] == "online", 15)
        await bus.until(lambda: told(subscriber), 15)
        (irregularity,) = told(subscriber)
        assert irregularity["rule"] == "toledo-2020/roulette/device-identity-changed"
        assert "serial=1001" in irregularity["required"]["device keys"]
        assert "serial=1002" in irregularity["observed"]["device keys"]
    finally:
        await bus.close()


async def test_a_wheel_that_is_gone_and_one_that_was_unplugged_for_cleaning(tmp_path, broker):
    """In virtual time: nine minutes are nothing, ten are told, once, and that it is back is no irregularity."""
    table = virtual.Table(tmp_path, broker.port)
    subscriber = broker.subscribe()
    await table.daemon.start()
    wire, clock = table.factory.links["wheel"], table.clock

    async def without_it(minutes: int) -> None:
        wire.unplug()
        clock.advance_to(clock.now() + minutes * MINUTE)
        wire.replug()
        clock.advance_to(clock.now() + 2 * MINUTE)  # it is looked for every thirty seconds at most
        await table.play(2)
        await table.delivered(10)

    try:
        await table.play(2)
        await table.delivered(10)
        await without_it(9)
        last = table.daemon.journal.last
        await asyncio.to_thread(subscriber.up_to, last)
        assert told(subscriber) == []
        await without_it(11)
        await without_it(9)
    finally:
        await table.daemon.stop()
    wait_for(lambda: told(subscriber))
    (irregularity,) = told(subscriber)
    assert irregularity["rule"] == "toledo-2020/roulette/device-vanished"
    assert irregularity["observed"] == {"presence of wheel": "off line for 10 minutes"}
