"""The node's clock: the stated error is never exceeded, and it is small where the wire is quick."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.node_clock import GOOD_FOR, NodeClock

MS = 1_000_000
SECOND = 1_000 * MS


class Crystal:
    """The node's own microseconds at the board's ns: another start, another rate."""

    def __init__(self, ppm: float, offset: int = 123_456_789_012):
        self._ppm = ppm
        self._offset = offset

    def us(self, board: int) -> int:
        since = board - self._offset
        return int(since - since * self._ppm // 1_000_000) // 1000 + 200_000_000


def compared(crystal, exchanges, base_ms, jitter_ms, uneven=1.0, seed=1):
    """Yields the clock and the time after each exchange over a wire with such delays."""
    chance = random.Random(seed)
    clock, t = NodeClock(), 200 * SECOND
    for number in range(exchanges):
        there = int((base_ms + chance.expovariate(1 / jitter_ms)) * MS)
        back = int((base_ms + uneven * chance.expovariate(1 / jitter_ms)) * MS)
        held = int(chance.random() * 2 * MS)
        came = t + there
        clock.exchange(t, crystal.us(came), crystal.us(came + held), came + held + back)
        t = came + held + back
        yield clock, t
        t += 25 * MS if number < 8 else SECOND


@settings(max_examples=60)
@given(
    ppm=st.floats(-150, 150),
    base=st.floats(0.05, 5),
    jitter=st.floats(0.05, 20),
    uneven=st.floats(0.1, 10),
    seed=st.integers(0, 2**32),
)
def test_the_stated_error_holds(ppm, base, jitter, uneven, seed):
    crystal = Crystal(ppm)
    chance = random.Random(seed)
    for clock, t in compared(crystal, 80, base, jitter, uneven, seed):
        for _ in range(3):
            instant = t - 100 * MS + int(chance.random() * (SECOND + 100 * MS))
            assert abs(clock.board(crystal.us(instant)) - instant) <= clock.error + 1_000


@pytest.mark.parametrize(("base", "jitter", "most_us"), [(0.3, 0.3, 1_000), (1.5, 1.0, 4_000)])
def test_a_quick_wire_gives_a_small_error(base, jitter, most_us):
    """USB, and a UART at 115200 baud."""
    stated = [clock.error for clock, _ in compared(Crystal(40), 120, base, jitter)]
    assert sorted(stated[20:])[50] <= most_us * 1000


def test_the_drift_is_found():
    *_, (clock, _) = compared(Crystal(-80), 60, 0.2, 0.1)
    assert -100_000 < clock.drift_ppb < -60_000


def test_intervals_between_edges_stay_true():
    """Speed is measured by them: the line is bent, never broken, once it is right."""
    crystal, last = Crystal(50), None
    for number, (clock, t) in enumerate(compared(crystal, 100, 0.5, 2.0)):
        instant = crystal.us(t - 10 * MS)
        if last is not None and number > 20:
            assert abs((clock.board(instant) - last[1]) / 1000 - (instant - last[0])) <= (instant - last[0]) * 0.0015
        last = (instant, clock.board(instant))


def test_a_slewed_board_clock_is_followed():
    """NTP speeds the board up by 400 ppm for a while: what is known of the drift is thrown away, not believed."""
    board, node, clock, chance = 200 * SECOND, 0, NodeClock(), random.Random(3)

    def let_pass(ns, ppm):
        nonlocal board, node
        board += ns + ns * ppm // 1_000_000
        node += ns

    for number in range(200):
        ppm = 400 if 60 <= number < 140 else 0
        sent = board
        let_pass(int((0.3 + chance.random()) * MS), ppm)
        came = node // 1000
        let_pass(int((0.3 + chance.random()) * MS), ppm)
        clock.exchange(sent, came, came, board)
        let_pass(500 * MS, ppm)
        beyond = abs(clock.board(node // 1000) - board) - clock.error - 1_000
        assert beyond <= (MS if number % 80 in range(60, 76) else 0), number
        let_pass(500 * MS, ppm)
    assert clock.error < 2 * MS


def test_an_answer_that_cannot_be_is_passed_over():
    clock = NodeClock()
    with pytest.raises(ValueError, match="not known"):
        clock.board(5)
    clock.exchange(SECOND, 1_000, 900, SECOND + MS)
    clock.exchange(SECOND, 1_000, 9_000, SECOND + MS)
    assert clock.error is None
    clock.exchange(SECOND, 1_000, 1_100, SECOND + MS)
    assert abs(clock.board(1_000) - (SECOND + 450_000)) <= clock.error
    assert GOOD_FOR >= 2 * SECOND
