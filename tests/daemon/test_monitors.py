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
from pitwatch.rules.statistics import rings
from pitwatch.rules.statistics.categorical import Categorical

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
    ],
)
def test_a_section_that_means_nothing_is_refused(tmp_path, line, key):
    table = Table(tmp_path, f"[statistics]\n{line}\n")
    with pytest.raises(config.ConfigError, match=key):
        config.load(table.path)
