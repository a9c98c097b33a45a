"""Deadlines fall due in order of time, whoever set them, and a live schedule wakes by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.pipeline.schedule import GRACE, Schedule
from pitwatch.hal.sim import SimClock


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 50)), max_size=30), st.integers(0, 60))
def test_the_newest_deadline_of_each_falls_due_in_order_and_none_beyond(sets, end):
    schedule = Schedule()
    called = []
    for name in "abcd":
        schedule.register(name, lambda t, name=name: called.append((t, name)))
    for name, t in sets:
        schedule.set(name, t)
    schedule.run_until(end)
    newest = dict(sets)
    assert sorted(called) == sorted((t, name) for name, t in newest.items() if t <= end)
    assert [t for t, _ in called] == sorted(t for t, _ in called)


def test_a_cleared_deadline_does_not_fall_due():
    schedule = Schedule()
    called = []
    schedule.register("a", called.append)
    schedule.set("a", 5)
    schedule.set("a", None)
    schedule.run_until(10)
    assert called == []


def test_a_callback_may_set_the_next_deadline():
    schedule = Schedule()
    called = []

    def tick(t):
        called.append(t)
        schedule.set("a", t + 10)

    schedule.register("a", tick)
    schedule.set("a", 10)
    schedule.run_until(35)
    assert called == [10, 20, 30]


def test_a_deadline_that_does_not_move_on_is_called_once():
    schedule = Schedule()
    called = []

    def stuck(t):
        called.append(t)
        schedule.set("a", t)

    schedule.register("a", stuck)
    schedule.set("a", 10)
    schedule.run_until(35)
    assert called == [10]


def test_with_a_clock_it_wakes_by_itself_and_tells_the_deadline_not_the_hour():
    clock = SimClock()
    schedule = Schedule(clock)
    called = []
    schedule.register("a", called.append)
    schedule.register("b", called.append)
    schedule.set("a", 1_000_000_000)
    schedule.set("b", 500_000_000)
    clock.advance_to(500_000_000)
    assert called == []  # an edge stamped before may still be on its way
    clock.advance_to(1_000_000_000 + GRACE)
    assert called == [500_000_000, 1_000_000_000]


def test_a_deadline_put_off_does_not_wake_early():
    clock = SimClock()
    schedule = Schedule(clock)
    called = []
    schedule.register("a", called.append)
    for second in range(1, 100):
        schedule.set("a", (second + 30) * 1_000_000_000)
        clock.advance_to(second * 1_000_000_000)
    assert called == []
    clock.advance_to(200 * 1_000_000_000)
    assert called == [129 * 1_000_000_000]


def test_after_stop_nothing_falls_due():
    clock = SimClock()
    schedule = Schedule(clock)
    called = []
    schedule.register("a", called.append)
    schedule.set("a", 10)
    schedule.stop()
    clock.advance_to(10_000_000_000)
    assert called == []
