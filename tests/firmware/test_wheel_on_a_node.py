"""Roulette from bare sensors at the end of a sensor node's wire: the wheel says what it says on the board's lines."""

from __future__ import annotations

import pytest

from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.devices.raw_wheel import RawWheel
from pitwatch.hal.line import LineSpec
from tests.firmware.bench_top import Bench, Ear, machine
from tests.sim_hw.tablerun import BenchTable

LINES = ("rotor-index", "rotor-encoder", "rotor-encoder-b", "track-a", "track-b", "pocket", "drop", "object", "outside")
SPECS = [LineSpec(name, "node", pin) for pin, name in enumerate(LINES)]
SETTINGS = {"wheel": "single-zero", "encoder_pulses": 16}
BEGIN = 5_000_000_000
REST = dict.fromkeys(LINES, 0)


class Tape:
    """Stands where the pipeline stands."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict]] = []
        self.at: list[int] = []

    def observe(self, observations) -> None:
        for one in observations:
            # What is told to a millisecond or to a hundredth of a revolution shows the clock's error.
            data = {key: value for key, value in one.data.items() if key != "rpm" and not key.endswith("_ms")}
            self.seen.append((one.event, data))
            self.at.append(one.t)


class ToChannel(Ear):
    """What the host says goes the daemon's way."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def node_up(self, levels, t) -> None:
        super().node_up(levels, t)
        self._channel.opened(t, {})
        self._channel.initial(dict(zip(LINES, levels, strict=True)), t)
        self._channel.passed(t)

    def node_edge(self, line, level, t) -> None:
        self._channel.edge(LINES[line], level, t)

    def node_passed(self, t) -> None:
        self._channel.passed(t)


def wired() -> tuple[Tape, Channel]:
    tape = Tape()
    return tape, Channel(RawWheel("wheel", SETTINGS), tape, Schedule())


@pytest.mark.parametrize(("drop", "late_ms"), [(0.0, 2), (0.003, 10)], ids=["good wire", "bad wire"])
def test_a_shift_reads_the_same(drop, late_ms):
    table = BenchTable("roulette-raw")
    events = [one for one in table.events(3, seed=4) if one.device == "wheel"]
    assert len(events) > 2000
    plain, channel = wired()
    channel.opened(BEGIN, {})
    channel.initial(REST, BEGIN)
    for one in events:
        channel.edge(one.line, one.level, BEGIN + one.t_ns)
    channel._schedule.run_until(BEGIN + events[-1].t_ns + 60_000_000_000)

    tape, channel = wired()
    with machine() as pin:
        bench = Bench(pin, SPECS, 11, drop, 0, late_ms, ToChannel(channel), step=2_000_000)
        bench.run(BEGIN / 1e6, bench.up)
        for one in events:
            bench.drive_at(BEGIN + one.t_ns, LINES.index(one.line), one.level)
        bench.run(60_000)
    assert bench.ear.of("lost") == bench.ear.of("down") == []
    assert tape.seen == plain.seen
    assert {"ball_launched", "ball_left_rim", "ball_settled"} <= {event for event, _ in tape.seen}
    off = [abs(here - there) for here, there in zip(tape.at[1:], plain.at[1:], strict=True)]
    assert max(off) < 30_000_000
