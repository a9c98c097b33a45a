"""Upgrades of a board with a real daemon at a real broker: a good one, and those that must be rolled back."""

from __future__ import annotations

import os
import pty
import re
import shutil
import time
import tty

import pytest

from pitwatch.daemon.config import installed
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import spin
from tests.e2e.upgraded_board import RunningBoard
from tests.roulette import roulette

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

CRASHES = "if 'run' in sys.argv:\n    sys.exit(3)"
HEARS_NO_WHEEL = """
import os
real = os.open
def refuse(path, *rest, **more):
    if str(path).endswith("/plug"):
        raise PermissionError(13, "Permission denied")
    return real(path, *rest, **more)
os.open = refuse
"""
WRITES_A_BROKEN_CHAIN = """
import pitwatch.daemon.journal.store
pitwatch.daemon.journal.store.link = lambda *_: bytes(32)
"""


class Table(RunningBoard):
    """One roulette table, with its wheel; version 1 runs."""

    def __init__(self, folder, url, monkeypatch):
        etc = folder / "etc"
        etc.mkdir(parents=True)
        self._wheel, self._other = pty.openpty()
        tty.setraw(self._other)
        self.journal = folder / "journal.db"
        self.plug = folder / "plug"
        self.plug.symlink_to(os.ttyname(self._other))
        (etc / "RL-07.toml").write_text(roulette(f"serial:{self.plug}", url, str(self.journal)))
        monkeypatch.setattr(installed, "FOLDER", etc)
        super().__init__(folder, {"RL-07": etc / "RL-07.toml"})
        self._spins = 0
        self.impatient = False
        self._ahead = 0.0
        self.package("1")
        self.change().stage()
        self.processes.restart(["RL-07"])
        wait_for(lambda: self.processes.all()["RL-07"].up and self.online(), 60)

    def spin(self):
        self._spins += 1
        os.write(self._wheel, spin(self._spins, self._spins % 2).encode())

    def devices(self):
        store = Store(self.journal, read_only=True)
        try:
            newest = store.read(store.last - 1, 1)
            return [r.body for r in store.retained() if r.kind == "device" and newest and r.boot == newest[0].boot]
        finally:
            store.close()

    def online(self):
        return any(b'"online"' in body for body in self.devices())

    def offline(self):
        return any(b'"offline"' in body for body in self.devices())

    def now(self):
        return time.monotonic() + self._ahead

    def sleep(self, seconds):
        """The check's time passes at once when there is nothing to wait for."""
        time.sleep(0.1)
        if self.impatient and self.offline():
            self._ahead += 1000

    def upgrade(self, fault=""):
        self.package("2", fault)
        assert self.change().stage() is True
        return self.change().go_on()

    def close(self):
        self.processes.close()
        os.close(self._wheel)
        os.close(self._other)


@pytest.fixture
def table(tmp_path, broker, monkeypatch):
    monkeypatch.setattr(os, "sync", lambda: None)  # of all that the machine writes meanwhile
    table = Table(tmp_path / "board", broker.url, monkeypatch)
    yield table
    table.close()


def told(subscriber, event):
    records = [e["data"] for e in subscriber.records() if e["type"] == "pitwatch.system.v1"]
    return [data["detail"] for data in records if data["event"] == event]


def test_a_good_upgrade_stays_and_is_reported(table, broker):
    subscriber = broker.subscribe()
    table.spin()
    outcome = table.upgrade()
    assert (outcome.result, outcome.faults) == ("good", ())
    assert (table.home / "current").resolve().name == "2"
    assert (table.home / "previous").resolve().name == "1"
    assert told(subscriber, "started")[-1]["version"] == "2"
    table.processes.restart(["RL-07"])  # or within half a minute by itself
    (detail,) = wait_for(lambda: told(subscriber, "upgraded"), 60)
    assert detail == {"from": "1", "to": "2", "at": outcome.at}
    table.processes.restart(["RL-07"])
    wait_for(lambda: len(told(subscriber, "started")) >= 3, 60)
    assert len(told(subscriber, "upgraded")) == 1
    assert verify(table.journal).fault is None


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (CRASHES, "table RL-07 is not watched: the service is activating; its process ended 3 times"),
        (HEARS_NO_WHEEL, "table RL-07 device wheel was on line before, and is offline: "),
        (WRITES_A_BROKEN_CHAIN, "table RL-07 its journal (does not verify|was set aside): .*record "),
    ],
    ids=["crashes", "hears no wheel", "breaks the chain"],
)
def test_a_bad_upgrade_is_rolled_back_and_reported_as_critical(table, broker, fault, says):
    subscriber = broker.subscribe()
    table.impatient = fault == HEARS_NO_WHEEL
    outcome = table.upgrade(fault)
    assert outcome.result == "rolled_back"
    assert re.match(says, outcome.faults[0])
    assert (table.home / "current").resolve().name == "1"
    (detail,) = wait_for(lambda: told(subscriber, "upgrade_rolled_back"), 60)
    assert detail["severity"] == "critical"
    assert (detail["from"], detail["to"], detail["faults"]) == ("1", "2", list(outcome.faults))
    assert told(subscriber, "started")[-1]["version"] == "1"
    assert table.change().stage() is False  # never again by itself
    assert (table.home / "current").resolve().name == "1"


def test_a_table_that_is_set_up_later_does_not_report_it(table, broker):
    table.upgrade()
    table.processes.close()
    for file in table.root.glob("journal.*"):
        file.unlink()
    subscriber = broker.subscribe()
    for count in (1, 2):
        table.processes.restart(["RL-07"])
        wait_for(lambda count=count: len(told(subscriber, "started")) >= count, 60)
    wait_for(table.online, 60)
    assert told(subscriber, "upgraded") == []


def test_what_was_off_line_before_is_not_the_upgrades_fault(table):
    table.plug.unlink()
    table.processes.restart(["RL-07"])
    wait_for(lambda: table.processes.all()["RL-07"].up and table.offline(), 60)
    assert table.upgrade().result == "good"


def test_a_check_that_never_ends_is_rolled_back(table):
    """The newer version takes the board down each time: a power cut in the middle of the check."""

    class Down(BaseException):
        pass

    def down(_):
        raise Down

    table.package("2")
    table.change().stage()
    for _ in range(3):
        change = table.change()
        change._sleep = down
        with pytest.raises(Down):
            change.go_on()
        assert (table.home / "current").resolve().name == "2"
        table.processes.restart(["RL-07"])
    outcome = table.change().go_on()
    assert outcome.result == "rolled_back"
    assert "began 3 times and did not end" in outcome.faults[0]
    assert (table.home / "current").resolve().name == "1"
