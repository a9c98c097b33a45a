"""Devices that speak MQTT, at a real mosquitto: payloads as a byte link, ONVIF digital inputs as lines."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal import mqtt_links, onvif_ej
from pitwatch.hal.address import parse
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineSpec
from tests.e2e.mosquitto import wait_for
from tests.e2e.table_process import TableProcess, spin
from tests.hal.contract_lines import Watcher
from tests.hal.contract_link import Listener
from tests.hal.rigs import RealTime

TOPIC = "IO7/onvif-ej/Device/Trigger/DigitalInput/&2"
EVENT = '{"UtcTime":"2026-11-28T01:30:00Z","Source":{"InputToken":"2"},"Data":{"LogicalState":true}}'


def test_vectors_of_onvif_ej():
    assert onvif_ej.inputs_filter("IO7") == TOPIC[:-2] + "+"
    assert onvif_ej.token_of(TOPIC) == "2"
    assert onvif_ej.token_of("IO7/onvif-ej/Device/Trigger/DigitalInput") == ""
    assert onvif_ej.logical_state(EVENT.encode()) == 1
    assert onvif_ej.logical_state(EVENT.replace("true", '"false"').encode()) == 0
    assert onvif_ej.topic("IO7", onvif_ej.DIGITAL_INPUT, "2") == TOPIC
    assert onvif_ej.topic("a", "pitwatch:Table/Irregularity", "toledo", "RL/07") == (
        "a/onvif-ej/pitwatch:Table/Irregularity/&toledo/RL_07"
    )
    assert json.loads(onvif_ej.payload("2026-11-28T01:30:00Z", {"InputToken": "2"}, {"LogicalState": True})) == (
        json.loads(EVENT)
    )


@given(
    st.binary(max_size=80)
    | st.recursive(
        st.none() | st.booleans() | st.text(),
        lambda e: st.lists(e) | st.dictionaries(st.sampled_from(["Data", "LogicalState"]), e),
    ).map(lambda v: json.dumps(v).encode())
)
def test_no_payload_breaks_anything_but_by_its_one_error(payload):
    try:
        assert onvif_ej.logical_state(payload) in (0, 1)
    except ValueError as error:
        message = str(error)
        assert message
        assert "\n" not in message


def test_nothing_there_publishes():
    source = Path(mqtt_links.__file__).read_text()
    assert "publish(" not in source
    assert "will=" not in source


class Rig(RealTime):
    def __init__(self, broker):
        super().__init__()
        self.broker = broker

    def say(self, topic, payload, *options):
        said = ["-m", payload] if payload else ["-n"]
        command = ["mosquitto_pub", "-p", str(self.broker.port), "-q", "1", "-t", topic, *said, *options]
        subprocess.run(command, check=True)

    def input(self, token, state):
        payload = onvif_ej.payload("2026-11-28T01:30:00Z", {"InputToken": token}, {"LogicalState": state})
        self.say(onvif_ej.topic("IO7", onvif_ej.DIGITAL_INPUT, token), payload.decode(), "-r")

    def lines(self, *specs, more=""):
        bank = Factory(self.clock).lines(f"onvif:127.0.0.1:{self.broker.port}/IO7{more}", list(specs), "door")
        self.made.append(bank)
        return Watcher(bank).start()

    def link(self, topic):
        link = Factory(self.clock).link(f"mqtt:127.0.0.1:{self.broker.port}/{topic}", "dice")
        self.made.append(link)
        return Listener(link).start()


@pytest.fixture
async def rig(broker):
    rig = Rig(broker)
    yield rig
    rig.stop_all()


DOOR, LAMP = LineSpec("door", "onvif:x/IO7#2", 2), LineSpec("lamp", "onvif:x/IO7#DI_9", 0, active_low=True)


async def test_inputs_as_lines(rig):
    rig.input("2", True)
    rig.input("DI_9", True)
    rig.input("5", True)  # of which nobody asks
    watcher = rig.lines(DOOR, LAMP)
    await rig.until(lambda: watcher.online, 30)
    assert watcher.bank.levels() == {"door": 1, "lamp": 0}
    for state in (False, False, True):
        before = rig.clock.now()
        rig.input("2", state)
        await rig.until(lambda state=state: watcher.bank.levels()["door"] == int(state), 30)
        assert before <= watcher.edges[-1][2] + 1_000_000_000
    assert watcher.moves("door") == [0, 1], "a state that is told twice is no edge"
    assert watcher.moves("lamp") == []


async def test_an_input_that_nobody_retains_is_named(rig, monkeypatch):
    monkeypatch.setattr(mqtt_links, "KNOWN_S", 0.5)
    rig.input("2", True)
    watcher = rig.lines(DOOR, LAMP)
    await rig.until(lambda: watcher.states, 30)
    assert watcher.states[0] == (
        False,
        f"onvif:127.0.0.1:{rig.broker.port}: no state of input DI_9 is retained there; "
        "check token and prefix, and that the module publishes",
    )


@pytest.mark.parametrize(("payload", "says"), [("", "input 2 was withdrawn"), ("{}", "input 2: no event of an input")])
async def test_what_is_no_state_any_more_is_off_line(rig, payload, says):
    rig.input("2", True)
    watcher = rig.lines(DOOR)
    await rig.until(lambda: watcher.online, 30)
    rig.say(TOPIC, payload, "-r")
    await rig.until(lambda: not watcher.online, 30)
    assert says in watcher.states[-1][1]
    rig.input("2", False)
    await rig.until(lambda: watcher.online, 60)
    assert watcher.bank.levels() == {"door": 0}


async def test_a_broker_that_goes_and_comes_back(rig):
    rig.input("2", True)
    watcher = rig.lines(DOOR)
    listener = rig.link("dice/+/says")
    await rig.until(lambda: watcher.online and listener.online, 30)
    rig.broker.stop()
    await rig.until(lambda: not watcher.online and not listener.online, 60)
    rig.broker.start()
    rig.input("2", False)
    await rig.until(lambda: watcher.online and listener.online, 90)
    assert watcher.bank.levels() == {"door": 0}
    rig.say("dice/RL-07/says", "S1")
    await rig.until(lambda: listener.data == b"S1\n", 30)


async def test_payloads_as_bytes(rig):
    rig.say("dice/RL-07/says", "old", "-r")
    listener = rig.link("dice/RL-07/says")
    await rig.until(lambda: listener.online, 30)
    rig.say("dice/RL-07/says", '{"event": "dice_settled"}')
    rig.say("dice/RL-08/says", "another table's")
    rig.say("dice/RL-07/says", "two\r\nlines")
    await rig.until(lambda: listener.data.endswith(b"lines\n"), 30)
    assert listener.data == b'{"event": "dice_settled"}\ntwo  lines\n', "what is retained was said before"


async def test_no_broker_is_said_in_one_line(rig):
    rig.broker.stop()
    listener = rig.link("a")
    await rig.until(lambda: listener.states, 30)
    online, reason = listener.states[0]
    assert not online
    assert reason.startswith(f"mqtt:127.0.0.1:{rig.broker.port}: no broker (")
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mqtt:box:1883", "wants a topic filter, such as mqtt:"),
        ("mqtt:box:1883/a/#/b", "wants a topic filter"),
        ("mqtt:box:1883/a+", "wants a topic filter"),
        ("onvif:box:1883/+", "wants a topic prefix without wildcards, such as onvif:"),
        ("mqtt:box/a", "wants a host and a port"),
        ("mqtt:box:1883/a?password=x", "unknown setting 'password'; known are user, password_file, ca"),
        ("mqtt:box:1883/a?ca=x", "ca=x; it must be a whole path, from /"),
    ],
)
def test_bad_addresses(url, says):
    with pytest.raises(ValueError, match="link ") as caught:
        parse(url)
    assert says in str(caught.value)


DOORS = """
[[device]]
id = "box"
type = "enclosure"
protocol = "lines"
link = "onvif:127.0.0.1:{port}/IO7"
lines = {{ lid = {{ line = 2 }} }}
"""


def test_a_door_at_a_camera_s_input_is_a_door_of_the_table(tmp_path, broker):
    rig = Rig(broker)
    rig.input("2", False)
    table = TableProcess(tmp_path, broker.url)
    table.config.write_text(table.config.read_text() + DOORS.format(port=broker.port))
    subscriber = broker.subscribe()
    try:
        table.start()
        wait_for(lambda: [each for each in subscriber.records() if each["data"].get("device") == "box"], 30)
        table.write(spin(7, 0))
        rig.input("2", True)
        wait_for(lambda: [each for each in subscriber.records() if each["type"] == "pitwatch.irregularity.v1"], 30)
        (irregularity,) = [each for each in subscriber.records() if each["type"] == "pitwatch.irregularity.v1"]
        assert irregularity["data"]["rule"].endswith("/tampering-suspected")
        assert irregularity["data"]["observed"]["device"] == "box"
    finally:
        table.close()
