"""What is a flood and what is not, and what a channel makes of one."""

from __future__ import annotations

from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.daemon.wiring.flood import SECOND, Flood
from pitwatch.devices.base import Device

MS = SECOND // 1000


class Pipe:
    def __init__(self):
        self.seen = []

    def observe(self, observations):
        self.seen += [(o.t, o.event, o.data) for o in observations]


class Counter(Device):
    """Tells each line it gets."""

    def feed(self, data, t):
        return [self.saw(t, "line") for _ in range(data.count(b"\n"))]


def channel():
    pipe, schedule = Pipe(), Schedule()
    return Channel(Counter("d"), pipe, schedule), pipe, schedule


def events(pipe):
    return [(event, data.get("reason")) for _, event, data in pipe.seen if event != "line"]


def test_a_port_at_the_fastest_usual_speed_is_no_flood():
    flood = Flood()
    assert not any(flood.bytes(11_520 // 50, t * 20 * MS) for t in range(50 * 3600))


def test_a_stock_that_a_box_hands_over_at_once_is_no_flood():
    flood = Flood()
    assert not any(flood.bytes(4095, 10**9) for _ in range(400))


def test_a_flood_is_told_within_a_second_though_a_busy_machine_reads_it_in_full_readings_here_and_there():
    flood, told = Flood(), []
    for n in range(50):  # 200 kB/s
        t = 10 * SECOND + n * 20 * MS
        told += [t for count in ((4095,) if n % 2 else (1000, 1000, 2000)) if flood.bytes(count, t)]
    assert 0 < told[0] - 10 * SECOND < 800 * MS


def test_a_stock_that_takes_a_third_of_a_second_is_no_flood_nor_are_two_with_a_pause():
    flood = Flood()
    for at in (10, 11):
        assert not any(flood.bytes(4095, at * SECOND + n * MS) for n in range(0, 300, 2))
    assert not flood.bytes(20, 12 * SECOND)


def test_ten_thousand_lines_a_second_are_told_within_a_second_and_the_end_too():
    ears, pipe, schedule = channel()
    for ms in range(0, 6000, 5):
        ears.received(b"x" * 21 + b"\n" if ms % 5 else (b"x" * 21 + b"\n") * 50, 10 * SECOND + ms * MS)
        schedule.run_until(10 * SECOND + ms * MS)
    assert events(pipe) == [("device_fault", "flood")]
    assert next(t for t, event, _ in pipe.seen if event == "device_fault") <= 11 * SECOND
    schedule.run_until(30 * SECOND)
    assert events(pipe) == [("device_fault", "flood"), ("bytes_discarded", None), ("device_recovered", None)]
    assert ears.lost_bytes > 100_000
    lines = sum(event == "line" for _, event, _ in pipe.seen)
    ears.received(b"x\n", 31 * SECOND)
    assert sum(event == "line" for _, event, _ in pipe.seen) == lines + 1


def test_a_recording_that_is_played_at_once_is_told_and_loses_nothing():
    ears, pipe, schedule = channel()
    for n in range(18_000):
        ears.received(b"x" * 20 + b"\n", 10 * SECOND + n * MS // 20)
    schedule.run_until(60 * SECOND)
    assert sum(event == "line" for _, event, _ in pipe.seen) == 18_000
    assert events(pipe) == [("device_fault", "flood"), ("device_recovered", None)]


def test_a_link_that_is_lost_in_a_flood_ends_it():
    ears, pipe, schedule = channel()
    for n in range(200):
        ears.received(b"x" * 3000, 10 * SECOND + n * MS)
    ears.closed("unplugged", 10 * SECOND + 300 * MS)
    schedule.run_until(60 * SECOND)
    assert [event for event, _ in events(pipe)].count("device_fault") == 1
    assert events(pipe)[-1] == ("device_offline", "unplugged")
    ears.received(b"x\n", 61 * SECOND)
    assert pipe.seen[-1][1] == "line"
