"""Four tables under `pitwatch run` at once, in real time: every wire is a line of the kernel or a terminal, and every
message goes through a broker. What is reported is exactly what was provoked.

Craps is played twice with the same throws: by libgpiod, and by RPi.GPIO on the header of a Raspberry Pi 4.
"""

from __future__ import annotations

import time
from collections import Counter
from heapq import merge

import pytest

from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.kernel.guest.sim_chip import HeaderChip, SimChip
from tests.kernel.guest.wired_table import SECOND, WiredTable


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables and what their daemons published, after everything that was to happen has happened."""
    if not Mosquitto.installed():
        pytest.skip("mosquitto is not installed")
    folder = tmp_path_factory.mktemp("tables")
    chips = {name: SimChip(name) for name in ("craps", "shuffler", "wheel")}
    tables = [
        WiredTable("craps", chips["craps"], "craps", table_id="CR-01", rounds=10, seed=2),
        WiredTable(
            "craps", HeaderChip(), "pinctrl-bcm2711", table_id="CR-02", rounds=10, seed=2, stack="RPi.GPIO"
        ),
        WiredTable("three-card-poker", chips["shuffler"], "shuffler", table_id="TC-01", rounds=2, seed=1),
        WiredTable("roulette-raw", chips["wheel"], "wheel", table_id="RL-02", rounds=2, seed=1),
    ]  # fmt: skip
    broker = Mosquitto(folder)
    broker.start()
    subscriber = broker.subscribe()
    try:
        for table in tables:
            table.start(folder / table.id, broker.url)
        wait_for(lambda: all(table.online(subscriber) for table in tables), 60, "a device is not on line")
        play(tables)
        yield {table.id: table for table in tables}, subscriber
        assert [table.stop() for table in tables] == [0] * len(tables)
    finally:
        for table in tables:
            if table.process is not None and table.process.poll() is None:
                table.process.kill()
        broker.close()


def play(tables):
    """Real time: the devices' time-outs run by the kernel's clock."""
    begin = time.monotonic_ns() + SECOND
    for t, number, event in merge(
        *([(event.t_ns, number, event) for event in table.events] for number, table in enumerate(tables)),
        key=lambda each: each[:2],
    ):
        time.sleep(max(0, begin + t - time.monotonic_ns()) / 1e9)
        tables[number].happen(event)
    time.sleep(3)


@pytest.mark.parametrize("table_id", ["CR-01", "CR-02", "TC-01", "RL-02"])
def test_what_is_reported_is_what_was_provoked(tables, table_id):
    table, subscriber = tables[0][table_id], tables[1]
    assert table.planned
    reported = Counter(each["rule"].rpartition("/")[2] for each in table.records(subscriber, "irregularity/"))
    assert reported == table.planned


@pytest.mark.parametrize("table_id", ["CR-01", "CR-02", "TC-01", "RL-02"])
def test_every_round_has_the_result_it_was_played_with(tables, table_id):
    table, subscriber = tables[0][table_id], tables[1]
    expected = [(each.void, each.result) for each in table.heard.rounds]
    assert len(expected) >= 2
    assert [(each["void"], each["result"]) for each in table.records(subscriber, "round")] == expected


@pytest.mark.parametrize("table_id", ["CR-01", "CR-02", "TC-01", "RL-02"])
def test_no_edge_was_lost_and_no_device_complained(tables, table_id):
    table, subscriber = tables[0][table_id], tables[1]
    complaints = Counter(
        each["event"]
        for each in table.records(subscriber, "observation/")
        if each["event"] in ("edges_lost", "device_fault", "bytes_discarded", "device_offline")
    )
    expected = Counter(each.event for each in table.heard.observations if each.event in complaints)
    offline = [each for each in table.records(subscriber, "observation/") if each["event"] == "device_offline"]
    assert complaints == expected, offline


def test_the_wheel_s_revolutions_and_pocket_are_those_of_the_ball(tables):
    """From five sensors alone, timed by the kernel."""
    table, subscriber = tables[0]["RL-02"], tables[1]
    kinds = ("ball_launched", "ball_left_rim", "ball_settled")

    def told(observations):
        return [
            (event, {key: value for key, value in data.items() if key in ("direction", "revolutions", "pocket")})
            for event, data in observations
            if event in kinds
        ]

    expected = told((each.event, each.data) for each in table.heard.observations)
    assert len(expected) >= 4
    assert told((each["event"], each["data"]) for each in table.records(subscriber, "observation/")) == expected
