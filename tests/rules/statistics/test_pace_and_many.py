"""Means and rates that rise, and the choice of what to look at."""

import itertools
import math

import pytest

from pitwatch.rules.statistics.many import adjusted, e_bh
from pitwatch.rules.statistics.pace import MeanRise, RateRise
from tests.rules.statistics import golden
from tests.rules.statistics.golden import stream


def test_a_mean_that_rises():
    expected = {n: values for n, *values in golden.MEAN_RISE}
    monitor, values = MeanRise(61.2, 48.0, 96.0), stream(61)
    for n in range(1, 201):
        r = monitor.take(61.2 * (0.93 + next(values) % 1000 / 1000 * 0.1 + (0.08 if n > 120 else 0)))
        if n in expected:
            assert monitor.ln_e() == pytest.approx(expected[n][0], abs=1e-9)
            assert r == pytest.approx(expected[n][1], rel=1e-9)


def test_a_rate_that_rises():
    trials, events, ln_e, r = golden.RATE_FIRST
    monitor = RateRise(0.002)
    assert monitor.take(trials, events) == pytest.approx(r, rel=1e-9)
    assert monitor.ln_e() == pytest.approx(ln_e, abs=1e-9)
    for trials, events, ln_e in golden.RATE_RISE:
        whole, parts = RateRise(0.002), RateRise(0.002)
        whole.take(trials, events)
        for batch in range(trials // 80):
            parts.take(80, 1 if batch < events else 0)
        assert whole.ln_e() == pytest.approx(ln_e, abs=1e-9)
        assert parts.ln_e() == pytest.approx(ln_e, abs=1e-9)


def test_over_all_that_can_happen_a_rate_and_a_mean_do_not_gain():
    es, rs = [], []
    for batches in itertools.product(range(4), repeat=4):
        monitor = RateRise(0.05)
        for events in batches:
            monitor.take(3, events)
        chance = math.prod(math.comb(3, events) * 0.05**events * 0.95 ** (3 - events) for events in batches)
        es.append(chance * math.exp(monitor.ln_e()))
        rs.append(chance * monitor.r)
    assert (math.fsum(es), math.fsum(rs)) == (pytest.approx(1), pytest.approx(4))
    es, rs = [], []
    for figures in itertools.product((0.0, 1.0, 5.0), repeat=5):  # evenly, so 2 on average
        mean = MeanRise(2.0, 0.0, 6.0)
        rs.append([mean.take(figure) for figure in figures][-1] / 3**5)
        es.append(math.exp(mean.ln_e()) / 3**5)
    assert (math.fsum(es), math.fsum(rs)) == (pytest.approx(1), pytest.approx(5))


def test_figures_beyond_the_bounds_count_as_the_bounds():
    far, near = MeanRise(2.0, 1.0, 4.0), MeanRise(2.0, 1.0, 4.0)
    assert [far.take(99), far.take(-3)] == [near.take(4.0), near.take(1.0)]


def test_a_state_goes_on():
    monitor = RateRise(0.01)
    monitor.take(10, 1)
    again = RateRise(0.01)
    again.restore(monitor.n, monitor.rs, monitor.ln_es)
    assert [again.take(10, 0), again.ln_e(), again.n] == [monitor.take(10, 0), monitor.ln_e(), monitor.n]
    monitor.begin_again()
    assert (monitor.n, monitor.r, monitor.ln_e()) == (0, 0, 0)
    with pytest.raises(ValueError, match="state"):
        again.restore(1, [1.0], [1.0])


@pytest.mark.parametrize("wrong", [lambda: MeanRise(1, 1, 2), lambda: RateRise(0), lambda: RateRise(0.1)])
def test_limits_that_mean_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match=r"limit|rate"):
        wrong()
    with pytest.raises(ValueError, match="events"):
        RateRise(0.01).take(1, 2)


def test_which_of_many_to_look_at():
    values, named, worth = golden.E_BH
    assert e_bh(values, 0.1) == named
    assert [adjusted(value) for value in values] == pytest.approx(worth)
    assert e_bh([], 0.1) == []
    assert e_bh([9.9], 0.1) == []
    assert e_bh([10.0], 0.1) == [0]
