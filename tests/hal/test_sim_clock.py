"""Virtual time: timers in order at their own time, wall time apart from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal.sim import WALL_AT_START, SimClock


def test_a_timer_fires_at_its_time_and_not_before():
    clock, fired = SimClock(), []
    clock.call_at(100, lambda: fired.append(clock.now()))
    clock.advance_to(99)
    assert fired == []
    clock.advance_to(250)
    assert fired == [100]
    assert clock.now() == 250


def test_a_timer_set_by_a_timer_fires_in_the_same_advance_if_due():
    clock, fired = SimClock(), []

    def first():
        clock.call_at(20, lambda: fired.append(("second", clock.now())))
        clock.call_at(99, lambda: fired.append(("never", clock.now())))

    clock.call_at(10, first)
    clock.advance_to(50)
    assert fired == [("second", 20)]
    assert clock.next_timer() == 99


def test_a_timer_in_the_past_fires_at_the_next_advance_without_turning_time_back():
    clock, fired = SimClock(now=500), []
    clock.call_at(100, lambda: fired.append(clock.now()))
    assert fired == []
    clock.advance_to(500)
    assert fired == [500]


def test_a_cancelled_timer_never_fires_and_may_be_cancelled_again():
    clock, fired = SimClock(), []
    timer = clock.call_at(10, lambda: fired.append(1))
    timer.cancel()
    timer.cancel()
    assert clock.next_timer() is None
    clock.advance_to(20)
    assert fired == []
    timer.cancel()


def test_time_cannot_go_back_nor_be_advanced_from_a_timer():
    clock, said = SimClock(now=100), []
    with pytest.raises(ValueError, match="back from 100 to 99"):
        clock.advance_to(99)

    def meddle():
        with pytest.raises(RuntimeError):
            clock.advance_to(1000)
        said.append(clock.now())

    clock.call_at(150, meddle)
    clock.advance_to(200)
    assert said == [150]


def test_a_timer_that_raises_leaves_the_clock_usable():
    clock, fired = SimClock(), []
    clock.call_at(10, lambda: 1 // 0)
    clock.call_at(20, lambda: fired.append(clock.now()))
    with pytest.raises(ZeroDivisionError):
        clock.advance_to(30)
    clock.advance_to(30)
    assert fired == [20]


def test_the_wall_can_be_set_and_stepped_without_touching_monotonic_time():
    clock = SimClock(now=5, synced=False)
    assert clock.wall() == (WALL_AT_START, False)
    clock.advance_to(1005)
    assert clock.wall() == (WALL_AT_START + 1000, False)
    clock.set_wall(7_000_000)
    assert clock.wall() == (7_000_000, True)
    clock.step_wall(-3_600_000_000_000)
    clock.advance_to(1010)
    assert clock.wall() == (7_000_005 - 3_600_000_000_000, True)
    assert clock.now() == 1010


@given(st.lists(st.integers(0, 50), max_size=40), st.lists(st.integers(0, 60), max_size=8))
def test_timers_fire_by_time_then_by_order_of_setting(times, stops):
    clock, fired = SimClock(), []
    for i, t in enumerate(times):
        clock.call_at(t, lambda i=i, t=t: fired.append((t, i, clock.now())))
    for stop in sorted(stops):
        clock.advance_to(stop)
        assert [t for t, _, _ in fired] == sorted(t for t in times if t <= stop)
    clock.advance_to(100)
    assert fired == [(t, i, t) for t, i in sorted((t, i) for i, t in enumerate(times))]
