"""A journal and a configuration with what only a newer version knows: this one reads them, and says what it passes
over.
"""

from __future__ import annotations

import json
import shutil

import msgspec
import pytest

from pitwatch.daemon.common import last_upgrade
from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.asyncapi import KINDS, STATES
from pitwatch.daemon.contract.messages import UNDERSTOOD
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.held import standing
from pitwatch.daemon.journal.statements import RetentionData, stated
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.service.last_words import was_stopped
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.neighbours.test_neighbours import ROOT, kept  # noqa: F401  a fixture
from tests.neighbours.writing import Running, spun

NEWER = (
    ("system", "system", {"event": "weighed", "detail": {}, "severity": "critical"}, False),
    ("weight", "weight/pan", {"grams": 12, "card": "TD"}, True),
    ("alert", "alert/pan-heavy", {"key": "pan-heavy", "raised": "since noon", "grams": 12}, True),
    ("device", "device/pan", {"device": "pan", "state": "asleep", "since": 1.0, "reason": None}, True),
    ("hold", "hold", {"change": "extended", "hold": 1, "by": "Ann", "reason": "x", "holds": [], "more": 1}, True),
    ("round", "round", {"round": 40, "game": "toledo-2020/roulette", "spun": True}, False),
    ("system", "system", {"event": "weighed", "detail": {}}, False),
)


@pytest.fixture
def from_newer(kept):  # noqa: F811
    """The kept files, and in the journal records that a newer version has written last."""
    folder = kept("0.2.0")
    store = Store(folder / "journal.db")
    last = store.last
    records = [
        Record(
            last + n, "newer", n, 1_900_000_000_000_000_000 + n, True, kind, topic, retained, json.dumps(data).encode()
        )
        for n, (kind, topic, data, retained) in enumerate(NEWER, 1)
    ]
    store.write(records, store.delivered)
    store.close()
    return folder


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_daemon_goes_on_after_records_that_only_a_newer_version_knows(from_newer, tmp_path):
    if not Mosquitto.installed():
        pytest.skip("mosquitto is not installed")
    broker = Mosquitto(tmp_path)
    broker.start()
    subscriber = broker.subscribe()
    assert verify(from_newer / "journal.db").fault is None
    running = Running(ROOT, from_newer, broker.url)
    try:
        spun(running)
        wait_for(lambda: any(each["type"] == "pitwatch.weight.v1" for each in subscriber.records()), 60)
        assert running.stop() == 0
        (weight,) = [each for each in subscriber.records() if each["type"] == "pitwatch.weight.v1"]
        assert set(weight["data"]) == {"withheld", "sha256"}  # it may disclose a card
        events = [each["data"]["event"] for each in subscriber.records() if each["type"] == "pitwatch.system.v1"]
        assert events.count("weighed") == 2
        rounds = [each["data"]["round"] for each in subscriber.records() if each["type"] == "pitwatch.round.v1"]
        assert rounds[:2] == [40, 41]
        assert verify(from_newer / "journal.db").fault is None
        assert running.says("journal", "export", str(running.journal)).stdout.count("weighed") == 2
        assert not list(from_newer.glob("*.damaged*"))
    finally:
        running.close()
        broker.close()


def record(kind, data):
    return Record(1, "b", 1, 1, True, kind, kind, False, json.dumps(data).encode())


def test_words_that_this_version_does_not_know_change_nothing_else():
    hold = {"hold": 3, "first": 1, "last": 2, "by": "Ann", "reason": "x", "time": "2026-01-02T03:04:05Z"}
    data = {"change": "extended", "hold": 3, "by": "Ann", "reason": "x", "holds": [hold]}
    assert [each.hold for each in standing(record("hold", data))] == [3]
    cut = {"table": "toledo/RL-07", "sequence": 1, "hash": "00", "reason": "size", "time": "2026-01-02T03:04:05Z"}
    found = stated(record("retention", cut), RetentionData)
    assert found is not None
    assert found.reason == "size"
    assert was_stopped([record("system", {"event": "stopped"}), record("system", {"event": "weighed"})])
    assert not was_stopped([record("system", {"event": "weighed"}), record("system", {})])


def test_each_kind_of_record_is_one_that_this_version_may_publish():
    assert {"request" if kind == "requested" else kind for kind in KINDS} - set(STATES) == UNDERSTOOD


TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
weights = true
[mqtt]
url = "mqtt://broker.example:1883"
[scale]
pan = 3
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "serial:/dev/ttyUSB0"
weigh = "often"
"""


def outcome(home, result):
    (home / "upgrade").mkdir(parents=True, exist_ok=True)
    said = {"id": "1", "at": "2026-11-29T12:00:00Z", "from": "0.2.0", "to": "0.3.0", "result": result, "new": 1}
    (home / "upgrade/outcome.json").write_bytes(msgspec.json.encode(said))


def test_a_key_of_a_newer_version_is_passed_over_after_a_roll_back_and_refused_at_any_other_time(tmp_path, monkeypatch):
    monkeypatch.setattr(last_upgrade, "HOME", tmp_path / "opt")
    file = tmp_path / "RL-07.toml"
    file.write_text(TABLE)
    for result in (None, "good", "some newer word"):
        if result is not None:
            outcome(tmp_path / "opt", result)
        with pytest.raises(ConfigError) as refused:
            config.load(file)
        assert [each.key for each in (refused.value, *refused.value.also)] == [
            "scale",
            "table.weights",
            "device[0].weigh",
        ]
    outcome(tmp_path / "opt", "rolled_back")
    table = config.load(file)
    assert [line.split(":")[0] for line in table.passed_over] == ["scale", "table.weights", "device[0].weigh"]
    assert set(table.passed_over) <= set(table.warnings)
    assert "version 0.3.0 was rolled back" in table.passed_over[0]
    assert [device.id for device in table.devices] == ["wheel"]
    file.write_text(TABLE.replace('"slingshot2"', '"slingshot9"'))
    with pytest.raises(ConfigError, match="slingshot9"):  # a value is no key
        config.load(file)
