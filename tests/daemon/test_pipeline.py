"""A whole table on simulated hardware: wires, channels, device states; faults in the program are survived."""

from __future__ import annotations

import pytest

from pitwatch.daemon.captures.replaying import Tape
from pitwatch.daemon.config import config
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.daemon.pipeline import Pipeline
from pitwatch.daemon.pipeline.device_state import DeviceStates
from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring import NOT_WIRED, wire_table
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.devices.observation import Observation
from pitwatch.hal.sim import SimClock, SimFactory
from pitwatch.rules.engine import Engine
from tests.roulette import lid, roulette, wheel

SECOND = 1_000_000_000

TABLE = roulette("sim:") + lid("sim:") + wheel("spare", "none")


class Table:
    def __init__(self, path, on_error=None):
        path.write_text(TABLE)
        self.config = config.load(path)
        self.clock = SimClock()
        self.records = []
        tape = Tape(
            frozenset({"observation", "device", "round", "irregularity", "alert"}),
            lambda kind, seq, data: self.records.append((kind, data)),
        )
        schedule = Schedule(self.clock)
        self.engine = Engine(self.config.game, table_facts(self.config))
        self.pipeline = Pipeline(self.engine, tape, schedule, DeviceStates(self.config.devices), on_error=on_error)
        self.channels = {
            d.id: Channel(d.cls(d.id, d.settings), self.pipeline, schedule, on_error) for d in self.config.devices
        }
        self.factory = SimFactory(self.clock)
        self.wires = wire_table(self.config.devices, self.factory, self.clock, self.channels)

    def start(self):
        for wire in self.wires:
            wire.start()

    def events(self, device):
        return [d["event"] for kind, d in self.records if kind == "observation" and d["device"] == device]

    def states(self, device):
        return [(d.state, d.reason) for kind, d in self.records if kind == "device" and d.device == device]


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path / "table.toml")


def test_bytes_on_a_link_become_observations_of_its_device(table):
    table.start()
    table.factory.links["wheel"].inject(b"*X;2;007; 9;0;150;1\r\n")
    assert table.events("wheel") == ["device_online", "wheel_state"]
    assert table.events("lid") == ["device_online", "closed"]


def test_a_device_with_no_link_is_off_line_and_the_rest_is_watched(table):
    table.start()
    assert table.states("spare") == [("offline", NOT_WIRED)]
    assert table.states("wheel") == [("online", None)]


def test_an_unplugged_device_is_off_line_until_it_is_back(table):
    table.start()
    link = table.factory.links["wheel"]
    link.inject(b"*X;2;007; 9;0;150;1\r\n*X;2;0")
    link.unplug()
    table.clock.advance_to(60 * SECOND)
    link.replug()
    table.clock.advance_to(80 * SECOND)
    assert [state for state, _ in table.states("wheel")] == ["online", "offline", "online"]
    table.clock.advance_to(120 * SECOND)  # it is back, and says nothing
    assert table.states("wheel")[3:] == [("fault", "silent")]
    assert "bytes_discarded" in table.events("wheel")  # the half line is not joined to what comes next


def test_a_lost_edge_is_observed_and_counted(table):
    table.start()
    bank = table.factory.banks["lid"]
    bank.lose_edges(2)
    for n, level in enumerate((1, 0, 1)):
        bank.drive("lid", level, (n + 1) * SECOND)
        table.clock.advance_to((n + 1) * SECOND)
    table.clock.advance_to(10 * SECOND)
    assert "edges_lost" in table.events("lid")
    assert table.channels["lid"].lost_edges > 0


def test_a_device_state_is_told_once_however_often_it_is_said(table):
    table.start()
    channel = table.channels["wheel"]
    for _ in range(3):
        channel.closed("unplugged", table.clock.now())
    assert table.states("wheel") == [("online", None), ("offline", "unplugged")]


def test_the_state_carries_since_when_and_what_it_is(table):
    table.clock.advance_to(3 * SECOND)
    table.start()
    (state,) = [d for kind, d in table.records if kind == "device" and d.device == "wheel"]
    assert (state.since, state.type, state.protocol, state.link) == (3.0, "wheel", "slingshot2", "sim:")


def test_what_is_off_line_is_not_also_at_fault(table):
    table.start()
    table.factory.links["wheel"].inject(b"*X;2;007; 9;0;150;1\r\n")
    table.channels["wheel"].closed("unplugged", SECOND)
    table.clock.advance_to(100 * SECOND)
    assert table.states("wheel")[-1] == ("offline", "unplugged")


@pytest.mark.parametrize("mended", [True, False])
def test_a_device_that_was_at_fault_is_so_still_when_it_is_back_on_line(table, mended):
    """What was told of a fault is not told again because a plug was pulled; nor does that fix it."""
    table.start()
    link = table.factory.links["wheel"]
    link.inject(b"*u OK\r\n" * 2 + b"*X;4;007; 9;4;150;1\r\n")
    link.unplug()
    link.replug()
    table.clock.advance_to(5 * SECOND)
    link.inject(b"*X;4;007; 9;%d;150;1\r\n" % (0 if mended else 4))
    states = [("online", None), ("fault", "sensor_motor_or_encoder")]
    assert [state for state in table.states("wheel") if state[0] != "offline"] == states + states[1:] + states[:mended]


def test_a_fault_in_a_decoder_is_a_device_fault_and_the_watching_goes_on(tmp_path, monkeypatch):
    errors = []
    table = Table(tmp_path / "table.toml", errors.append)
    table.start()
    device = table.channels["wheel"]._device
    feed = device.feed

    def broken(data, t):
        raise IndexError("a bug")

    monkeypatch.setattr(device, "feed", broken)
    table.factory.links["wheel"].inject(b"*X;2;007; 9;0;150;1\r\n")
    monkeypatch.setattr(device, "feed", feed)
    table.factory.links["wheel"].inject(b"*X;2;007; 9;0;150;1\r\n")
    assert [str(error) for error in errors] == ["a bug"]
    assert table.events("wheel") == ["device_online", "device_fault", "wheel_state"]


def test_a_fault_in_the_rules_is_told_and_the_journal_goes_on(tmp_path, monkeypatch):
    errors = []
    table = Table(tmp_path / "table.toml", errors.append)
    table.start()

    def broken(seq, observation):
        raise KeyError("a bug")

    monkeypatch.setattr(table.engine, "feed", broken)
    table.factory.links["wheel"].inject(b"*X;2;007; 9;0;150;1\r\n")
    assert len(errors) == 1
    assert table.events("wheel") == ["device_online", "wheel_state"]


def test_without_anybody_to_tell_a_fault_is_raised(table, monkeypatch):
    table.start()

    def broken(seq, observation):
        raise KeyError("a bug")

    monkeypatch.setattr(table.engine, "feed", broken)
    with pytest.raises(KeyError):
        table.channels["wheel"].received(b"*X;2;007; 9;0;150;1\r\n", SECOND)


def test_the_log_tells_what_a_fault_is_told_by(table, caplog):
    caplog.set_level("INFO", "pitwatch.device")
    states = DeviceStates(table.config.devices)
    wrong = {"reason": "wrong_device_on_port", "looks_like": "angel_eye", "expected": "slingshot2"}
    for event, data in (("device_online", {}), ("device_fault", wrong), ("device_offline", {"reason": "pulled\nout"})):
        states.note(Observation(1, "wheel", event, data))
    assert [record.getMessage() for record in caplog.records] == [
        "device wheel: online",
        "device wheel: fault: wrong_device_on_port (looks_like angel_eye, expected slingshot2)",
        "device wheel: offline: pulled\\nout",
    ]
