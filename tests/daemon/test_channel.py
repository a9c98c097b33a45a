"""A device whose edges come late from a sensor node: its silences are judged by the node's time, not the clock's."""

from __future__ import annotations

import pytest

from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.devices.discard_rack import DiscardRack
from pitwatch.hal.sim import SimClock

SECOND = 1_000_000_000
MS = 1_000_000


class Tape:
    """Stands where the pipeline stands, and keeps what it is given."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, str, dict]] = []

    def observe(self, observations) -> None:
        self.seen += [(one.t, one.event, one.data) for one in observations]


@pytest.fixture
def bench():
    clock, tape = SimClock(), Tape()
    schedule = Schedule(clock)
    channel = Channel(DiscardRack("rack"), tape, schedule)
    return clock, tape, channel


def card(channel, t):
    channel.edge("card", 1, t)
    channel.edge("card", 0, t + 50 * MS)


def counts(tape):
    return [(t, data["cards"]) for t, event, data in tape.seen if event == "cards_counted"]


def test_a_late_card_still_belongs_to_the_count(bench):
    """The gap that ends a count is a second; the fifth card is told two seconds after it fell."""
    clock, tape, channel = bench
    channel.opened(0, {"node": {"id": "e6"}})
    channel.initial({"card": 0}, 0)
    channel.passed(0)
    for number in range(4):
        card(channel, SECOND + number * 500 * MS)
    clock.advance_to(5 * SECOND)
    assert counts(tape) == [], "the node has not said that it was silent"
    card(channel, 3 * SECOND)
    channel.passed(4 * SECOND - 1)
    assert counts(tape) == []
    channel.passed(4 * SECOND)
    assert counts(tape) == [(4 * SECOND, 5)]
    assert tape.seen[0] == (0, "device_online", {"node": {"id": "e6"}})


def test_a_deadline_before_an_edge_is_judged_before_it(bench):
    _, tape, channel = bench
    channel.opened(0, {})
    channel.initial({"card": 0}, 0)
    channel.passed(0)
    card(channel, SECOND)
    card(channel, 4 * SECOND)
    assert counts(tape) == [(2 * SECOND, 1)]


def test_without_its_link_the_clock_rules(bench):
    """A capture need not say that the device came on line; and one that was is off line again."""
    clock, tape, channel = bench
    for begin in (SECOND, 11 * SECOND):
        channel.initial({"card": 0}, begin)
        card(channel, begin)
        clock.advance_to(begin + 5 * SECOND)
        channel.opened(clock.now(), {})
        channel.passed(clock.now())
        channel.closed("unplugged", clock.now())
    assert counts(tape) == [(2 * SECOND, 1), (12 * SECOND, 1)]


def test_another_device_is_judged_by_the_clock_alone():
    clock, tape = SimClock(), Tape()
    channel = Channel(DiscardRack("rack"), tape, Schedule(clock))
    channel.opened(0, {})
    channel.initial({"card": 0}, 0)
    card(channel, SECOND)
    clock.advance_to(5 * SECOND)
    assert counts(tape) == [(2 * SECOND, 1)]


def lost(tape):
    return [(t, data["count"]) for t, event, data in tape.seen if event == "edges_lost"]


def test_a_line_that_loses_edges_without_end_is_told_once_a_second(bench):
    """A wire that broke and picks up a motor's pulses: the kernel's buffer overflows at each reading."""
    clock, tape, channel = bench
    channel.opened(0, {})
    for number in range(1000):
        channel.lost(7, 10 * SECOND + number * 5 * MS)
    clock.advance_to(60 * SECOND)
    assert [t for t, _ in lost(tape)] == [t * SECOND for t in range(10, 16)]
    assert sum(count for _, count in lost(tape)) == channel.lost_edges == 7000


def test_what_is_lost_now_and_then_is_told_at_once(bench):
    clock, tape, channel = bench
    channel.opened(0, {})
    for t in (10, 12, 14):
        channel.lost(3, t * SECOND)
    assert lost(tape) == [(10 * SECOND, 3), (12 * SECOND, 3), (14 * SECOND, 3)]
    clock.advance_to(60 * SECOND)
    assert len(lost(tape)) == 3


def test_what_was_lost_last_is_told_before_the_link_is_gone(bench):
    clock, tape, channel = bench
    channel.opened(0, {})
    channel.lost(3, 10 * SECOND)
    channel.lost(4, 10 * SECOND + 1)
    channel.closed("unplugged", 10 * SECOND + 2)
    assert lost(tape) == [(10 * SECOND, 3), (10 * SECOND + 2, 4)]
    assert tape.seen[-1][1] == "device_offline"
    channel.opened(10 * SECOND + 3, {})
    channel.lost(5, 10 * SECOND + 4)
    clock.advance_to(60 * SECOND)
    assert lost(tape)[2:] == [(10 * SECOND + 4, 5)]
