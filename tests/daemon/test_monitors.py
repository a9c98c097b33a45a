"""The monitors in the running daemon: their state in the real journal, restarts and crashes, and what is published."""

from __future__ import annotations

import json
import random
from hashlib import sha256

import msgspec
import pytest

from pitwatch.daemon.config import config
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.service.monitors import kept
from pitwatch.devices.protocols import slingshot2
from pitwatch.devices.wheel_pockets import DOUBLE_ZERO
from pitwatch.hal.sim import SimClock, SimFactory
from pitwatch.rules.fairness.ledger import unpacked
from pitwatch.rules.statistics import rings
from pitwatch.rules.statistics.categorical import Categorical
from pitwatch.rules.statistics.pace import MeanRise

SECOND = 1_000_000_000

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[mqtt]
url = "mqtt://127.0.0.1:9"
[journal]
path = "journal.db"
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "sim:"
"""


class Table:
    """One table over several runs of its daemon."""

    def __init__(self, folder, more=""):
        self.path = folder / "table.toml"
        self.path.write_text(TABLE + more)
        self.now = SECOND
        self.spins = 0
        self.last = "0"

    async def run(self, pockets, crash=False):
        clock = SimClock(now=self.now)
        factory = SimFactory(clock)
        daemon = Daemon(config.load(self.path), clock, factory)
        await daemon.start()
        try:
            for pocket in pockets:
                counter, direction = self.spins % 256 + 1, self.spins % 2
                self.spins += 1
                for state, won in ((2, self.last), (3, self.last), (4, self.last), (5, pocket)):
                    clock.advance_to(clock.now() + 10 * SECOND)
                    line = slingshot2.status_line(state, counter, won, 0, 160, direction)
                    factory.links["wheel"].inject(line)
                self.last = pocket
        finally:
            if crash:  # the monitors are not told of an end
                daemon.pipeline.finish = lambda t: None
            await daemon.stop()
            self.now = clock.now()
        return daemon

    def records(self, kind):
        store = Store(self.path.parent / "journal.db", read_only=True)
        found = [(record, json.loads(record.body)) for record, _ in store.records() if record.kind == kind]
        store.close()
        return found

    def newest(self, monitor):
        return [data for _, data in self.records("statistic") if data["monitor"] == monitor][-1]


def pockets(seed, many):
    return random.Random(seed).choices(DOUBLE_ZERO, k=many)


@pytest.mark.parametrize("crash", [False, True])
async def test_a_restart_goes_on_with_the_same_bits(tmp_path, crash):
    table, runs = Table(tmp_path), [pockets(1, 30), pockets(2, 520), pockets(3, 45)]
    for run in runs[:-1]:
        await table.run(run, crash)
    await table.run(runs[-1])
    counted = [data["counted"]["pocket"] for _, data in table.records("round") if "counted" in data]
    alone = Categorical(rings.wheel(38))
    for (place,) in counted:
        alone.draw(place)
    pocket = table.newest("pocket")
    assert pocket["n"] == len(counted) >= 30 + 520 + 45 - 3  # the round in which a run begins may be partial
    assert pocket["r"] == alone.r
    assert pocket["counts"] == alone.counts
    assert pocket["epoch"] == 1


async def test_what_is_published_of_a_state_is_its_hash(tmp_path):
    table = Table(tmp_path)
    daemon = await table.run(pockets(4, 20))
    store = Store(tmp_path / "journal.db", read_only=True)
    states = [record for record, _ in store.records() if record.kind == "statistic_state"]
    store.close()
    assert states
    for record in states:
        for live_cards in (False, True):
            daemon.envelope._live_cards = live_cards
            (message,) = daemon.envelope.messages(record)
            assert not message.retain
            told = json.loads(message.payload)["data"]
            assert told["withheld"] is True
            assert told["sha256"] == sha256(record.body).hexdigest()
            assert not {"numbers", "recent", "counts"} & told.keys()
    (message,) = daemon.envelope.messages(table.records("statistic")[-1][0])
    assert message.retain
    assert message.topic.startswith("pitwatch/1/toledo/RL-07/statistic/")


async def test_a_stuck_reader_is_suspected_once_over_restarts(tmp_path):
    table = Table(tmp_path)
    await table.run(["17"] * 60)
    told = [data for _, data in table.records("irregularity") if data["rule"].endswith("wheel-bias-suspected")]
    assert [data["severity"] for data in told] == ["alert", "critical"]
    assert told[0]["observed"]["finding"].startswith("pocket 17 came ")
    assert told[0]["instruction"].startswith("Check the wheel's reader")
    await table.run(["17"] * 10, crash=True)
    await table.run(["17"] * 10)
    again = [data for _, data in table.records("irregularity") if data["rule"].endswith("wheel-bias-suspected")]
    assert len(again) == 2


async def test_a_state_that_cannot_be_read_begins_anew(tmp_path, caplog):
    table = Table(tmp_path)
    daemon = await table.run(pockets(5, 20))
    journal = daemon.journal
    record = journal.retained["statistic_state/pocket"]
    broken = msgspec.structs.replace(record, body=b'{"monitor": 3}')
    assert kept([broken], []).states == ()
    assert "statistic_state/pocket" in caplog.text
    assert [state.monitor for state in kept([record], []).states] == ["pocket"]


async def test_the_house_says_how_many_false_alerts_it_accepts(tmp_path):
    table = Table(tmp_path, "[statistics]\ntables = 30\nfalse_alerts_a_year = 2.0\n")
    await table.run(pockets(6, 5))
    assert table.newest("pocket")["c"] == pytest.approx(2e8 * 30 / 300 / 2)
    table.path.write_text(TABLE + "[statistics]\nwatch = false\n")
    await table.run(pockets(7, 5))
    assert "counted" not in table.records("round")[-1][1]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("tables = 0", "statistics.tables"),
        ("false_alerts_a_year = 0", "statistics.false_alerts_a_year"),
        ('shuffle = "none"', "statistics.shuffle"),
        ("looks = 3", "statistics.looks"),
        ("rounds_an_hour = 0", "statistics.rounds_an_hour"),
        ("idle_minutes = 0", "statistics.idle_minutes"),
    ],
)
def test_a_section_that_means_nothing_is_refused(tmp_path, line, key):
    table = Table(tmp_path, f"[statistics]\n{line}\n")
    with pytest.raises(config.ConfigError, match=key):
        config.load(table.path)


async def test_the_pace_is_judged_over_a_crash_and_leaves_the_wheel_its_rounds(tmp_path):
    """Each monitor puts its state out when it likes; none loses the rounds that another has counted already."""
    table = Table(tmp_path, "[statistics]\nrounds_an_hour = 90\n")
    for seed, many in ((11, 40), (12, 510), (13, 40)):
        await table.run(pockets(seed, many), crash=True)
    counted = [data["counted"] for _, data in table.records("round") if "counted" in data]
    at = {data["monitor"]: record.seq for record, data in table.records("statistic_state")}
    assert at["pace"] > at["pocket"]
    await table.run([])
    wheel, pace = Categorical(rings.wheel(38)), MeanRise(1.25 * 40, 0.5 * 40, 2.0 * 40)
    for each in counted:
        wheel.draw(each["pocket"][0])
        for milliseconds in each.get("pace", ()):
            pace.take(milliseconds / 1000)
    assert pace.n > 500
    states = {state["monitor"]: state for _, state in table.records("statistic_state")}
    assert states["pace"]["counts"] == [pace.n]
    assert unpacked(states["pace"]["numbers"])[: len(pace.rs)] == tuple(pace.rs)
    assert states["pocket"]["counts"] == wheel.counts


async def test_the_pace_is_published_and_kept_by_the_broker(tmp_path):
    table = Table(tmp_path, "[statistics]\nrounds_an_hour = 90\n")
    daemon = await table.run(pockets(14, 20))
    newest = [record for record, data in table.records("statistic") if data["monitor"] == "pace"][-1]
    (message,) = daemon.envelope.messages(newest)
    assert message.retain
    assert message.topic == "pitwatch/1/toledo/RL-07/statistic/pace"
    pace = json.loads(message.payload)["data"]["pace"]
    assert pace["game"] == "toledo-2020/roulette"
    assert pace["target"] == 90
    assert 80 < pace["opening"]["rounds_an_hour"] < 100
