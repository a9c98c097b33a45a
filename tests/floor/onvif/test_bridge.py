"""`pitwatch onvif` beside a real table and two real brokers: what a video system gets to know."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor import config
from pitwatch.floor.message import read_message
from pitwatch.floor.onvif.events import OnvifEvent, onvif_event
from tests.e2e.mosquitto import Mosquitto, wait_for
from tests.e2e.table_process import TableProcess, spin

RAISED = {"raised": True, "condition": "device fault", "device": "wheel"}
BREACH = {"rule": "r", "severity": "critical"}
PREFIX = "vms/onvif-ej/pitwatch:Table"


def message(subtopic, data, id="RL-07/b/411"):
    event = {
        "id": id, "source": "/toledo/RL-07", "type": f"pitwatch.{subtopic.partition('/')[0]}.v1", "bootid": "b",
        "time": "2026-11-28T01:30:00.437Z", "data": data,
    }  # fmt: skip
    payload = json.dumps(event).encode() if data is not None else b""
    return read_message("pitwatch/1", f"pitwatch/1/toledo/RL-07/{subtopic}", payload, False)


def test_an_irregularity_is_an_event():
    made = onvif_event(
        "vms",
        message(
            "irregularity/critical",
            {"rule": "a/b/c", "category": "integrity", "severity": "critical", "round": 12, "disposition": "inspect",
             "instruction": "Look.", "observed": {"x": 1}, "evidence": [1]},
        ),
    )  # fmt: skip
    assert made is not None
    assert (made.topic, made.retained) == (f"{PREFIX}/Irregularity/&toledo/RL-07", False)
    assert json.loads(made.payload) == {
        "UtcTime": "2026-11-28T01:30:00.437Z",
        "Source": {"Site": "toledo", "Table": "RL-07"},
        "Data": {
            "Rule": "a/b/c", "Category": "integrity", "Severity": "critical", "Round": 12, "Disposition": "inspect",
            "Instruction": "Look.", "Id": "RL-07/b/411",
        },
    }  # fmt: skip


def test_conditions_and_status_are_properties():
    raised = onvif_event(
        "vms", message("alert/wheel-fault", {"raised": True, "condition": "device fault", "device": "wheel"})
    )
    assert raised is not None
    assert (raised.topic, raised.retained) == (f"{PREFIX}/Condition/&toledo/RL-07/wheel-fault", True)
    assert json.loads(raised.payload)["Data"] == {"State": True, "Condition": "device fault", "Device": "wheel"}
    assert json.loads(raised.payload)["Source"] == {"Site": "toledo", "Table": "RL-07", "Key": "wheel-fault"}
    assert onvif_event("vms", message("alert/wheel-fault", None)) == OnvifEvent(raised.topic, b"", True)
    status = onvif_event("vms", message("status", {"state": "ready"}))
    assert status is not None
    assert json.loads(status.payload)["Data"] == {"State": "ready"}


@pytest.mark.parametrize("subtopic", ["round", "observation/wheel", "health", "alert"])
def test_what_is_no_event(subtopic):
    assert onvif_event("vms", message(subtopic, {})) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('prefix = "a/#"', "onvif.prefix"),
        ('prefix = "pitwatch/1/x"', 'onvif.prefix: "pitwatch/1/x" is where tables publish; choose another'),
        ('client = "a b"', 'onvif.client: "a b" is no name'),
        ('[onvif.mqtt]\nurl = "http://x"', "onvif.mqtt.url"),
        ("port = 3", "onvif.port"),
    ],
)
def test_mistakes_in_the_section_are_said_in_one_line(tmp_path, text, says):
    path = tmp_path / "floor.toml"
    path.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[onvif]\n{text}\n')
    with pytest.raises(UsageError) as caught:
        config.load(path)
    assert says in str(caught.value)


class Running:
    """The bridge as a process."""

    def __init__(self, folder: Path, tables: Mosquitto, system: Mosquitto, more: str = ""):
        self.file = folder / "floor.toml"
        self.file.write_text(
            f'[mqtt]\nurl = "{tables.url}"\n[onvif]\nprefix = "vms"\n{more}\n[onvif.mqtt]\nurl = "{system.url}"\n'
        )
        self.log = folder / "onvif.log"
        self.start()

    def start(self):
        command = [sys.executable, "-m", "pitwatch.daemon.cli", "onvif", str(self.file)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@pytest.fixture
def brokers(tmp_path):
    if not Mosquitto.installed():
        pytest.skip("mosquitto is not installed")
    made = []
    for name in ("tables", "system"):
        (tmp_path / name).mkdir()
        made.append(Mosquitto(tmp_path / name))
        made[-1].start()
    yield made
    for broker in made:
        broker.close()


def publish(broker, subtopic, data, *options, id="RL-07/b/1"):
    made = message(subtopic, data, id)
    said = ["-m", made.payload.decode()] if data is not None else ["-n"]
    topic = f"pitwatch/1/toledo/RL-07/{subtopic}"
    subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, *said, *options], check=True)


def heard(subscriber, local):
    return [payload for topic, payload, _ in subscriber.messages if topic.startswith(f"{PREFIX}/{local}/&toledo/RL-07")]


def test_what_tables_report_reaches_the_video_system_once(tmp_path, brokers):
    tables, system = brokers
    running = Running(tmp_path, tables, system, 'client = "bridge"')
    subscriber = system.subscribe()
    publish(tables, "status", {"state": "ready"}, "-r")
    wait_for(lambda: heard(subscriber, "Status"), 60)
    for _ in range(2):  # at least once, as tables deliver
        publish(tables, "irregularity/critical", BREACH, id="RL-07/b/2")
        publish(tables, "alert/wheel-fault", RAISED, "-r")
    publish(tables, "irregularity/critical", BREACH, id="RL-07/b/3")
    wait_for(lambda: len(heard(subscriber, "Irregularity")) == 2, 60)
    assert [each["Data"]["Id"] for each in heard(subscriber, "Irregularity")] == ["RL-07/b/2", "RL-07/b/3"]
    assert [each["Data"]["State"] for each in heard(subscriber, "Condition")] == [True]
    # the video system's broker goes away and forgets; what happens meanwhile comes afterwards
    system.stop()
    publish(tables, "irregularity/critical", BREACH, id="RL-07/b/4")
    system.start()
    later = system.subscribe()
    wait_for(lambda: heard(later, "Irregularity") and heard(later, "Condition"), 90)
    assert [each["Data"]["Id"] for each in heard(later, "Irregularity")] == ["RL-07/b/4"]
    assert heard(later, "Condition")[0]["Data"]["State"] is True
    # the bridge itself goes away: its name has the tables' broker keep what comes
    assert running.stop() == 0
    publish(tables, "irregularity/critical", BREACH, id="RL-07/b/5")
    publish(tables, "alert/wheel-fault", None, "-r")
    running.start()
    try:
        wait_for(lambda: len(heard(later, "Irregularity")) == 2, 60)
        wait_for(lambda: heard(later, "Condition")[-1] == "", 90)
    finally:
        running.stop()
    assert [each["Data"]["Id"] for each in heard(later, "Irregularity")] == ["RL-07/b/4", "RL-07/b/5"]


def test_a_condition_that_ended_while_no_bridge_was_there_is_withdrawn_and_another_s_is_left(tmp_path, brokers):
    tables, system = brokers
    for where in ("&toledo/RL-07/old-jam", "&elsewhere/BJ-01/jam"):
        topic = f"{PREFIX}/Condition/{where}"
        subprocess.run(["mosquitto_pub", "-p", str(system.port), "-t", topic, "-m", "{}", "-r"], check=True)
    publish(tables, "status", {"state": "ready"}, "-r")
    running = Running(tmp_path, tables, system)
    try:
        subscriber = system.subscribe()
        wait_for(lambda: heard(subscriber, "Condition")[-1:] == [""], 90)
        assert [p for t, p, _ in subscriber.messages if "elsewhere" in t] == [{}]
    finally:
        running.stop()


def test_a_real_table_s_irregularity_arrives(tmp_path, brokers):
    tables, system = brokers
    running = Running(tmp_path, tables, system)
    subscriber = system.subscribe()
    table = TableProcess(tmp_path, tables.url)
    try:
        table.start()
        wait_for(lambda: heard(subscriber, "Status"), 60)
        table.write(spin(7, 0) + spin(8, 1))
        table.write(spin(9, 0).replace("\r\n17\r\n", "\r\n 5\r\n"))
        wait_for(lambda: heard(subscriber, "Irregularity"), 60)
        (event,) = heard(subscriber, "Irregularity")
        assert event["Data"]["Rule"] == "toledo-2020/roulette/result-mismatch"
        assert event["Data"]["Severity"] == "critical"
    finally:
        table.close()
        running.stop()
