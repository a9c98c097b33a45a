"""Wheels and dice: golden values, the mean of every bet, and the mean of E and R over everything that can happen."""

import hashlib
import itertools
import math
import struct

import pytest

from pitwatch.rules.statistics import dice, rings
from pitwatch.rules.statistics.categorical import MOST, Bet, Bets, Categorical
from tests.rules.statistics import golden
from tests.rules.statistics.golden import cells, stream


def follows(monitor, outcomes, expected):
    """Feed the outcomes and compare at each count that is expected."""
    expected = {n: values for n, *values in expected}
    for n, cell in enumerate(outcomes, start=1):
        r = monitor.draw(cell)
        if n in expected:
            assert (monitor.ln_e(), r) == (
                pytest.approx(expected[n][0], rel=0, abs=1e-9),
                pytest.approx(expected[n][1], rel=1e-9),
            )
            del expected[n]
    assert not expected
    return monitor


def told(monitor):
    bet = monitor.told()
    return bet.kind, bet.cells, bet.lift


def biased_wheel(n):
    return [17 if place % 11 == 0 else cell for place, cell in enumerate(cells(2, n, 38), start=1)]


def test_a_wheel():
    short, expected = golden.WHEEL_SHORT
    follows(Categorical(rings.wheel(38)), short, expected)
    fair = cells(1, 500, 38)
    follows(Categorical(rings.wheel(38)), fair, golden.WHEEL_FAIR)
    follows(
        Categorical(rings.wheel(38)),
        [(there - here) % 38 for here, there in itertools.pairwise(fair)],
        golden.DISPLACEMENTS,
    )


def test_a_biased_wheel_tells_its_pocket():
    monitor = follows(Categorical(rings.wheel(38)), biased_wheel(1500), golden.WHEEL_BIASED)
    assert told(monitor) == golden.WHEEL_TOLD


def test_a_restart_gives_the_same_bits():
    outcomes = biased_wheel(400)
    without, monitor = Categorical(rings.wheel(38)), Categorical(rings.wheel(38))
    for n, cell in enumerate(outcomes, start=1):
        without.draw(cell)
        monitor.draw(cell)
        kept = struct.pack(f"<{len(monitor.rs)}d", *monitor.rs)
        if n == golden.RESTARTED_AFTER:
            assert hashlib.sha256(kept).hexdigest() == golden.R_BYTES_SHA256
        again = Categorical(rings.wheel(38))
        again.restore(monitor.counts, struct.unpack(f"<{len(monitor.rs)}d", kept))
        monitor = again
    assert (monitor.rs, monitor.r, monitor.ln_e()) == (without.rs, without.r, without.ln_e())
    assert monitor.ln_e() == pytest.approx(golden.AFTER_400[0], abs=1e-9)
    assert monitor.r == pytest.approx(golden.AFTER_400[1], rel=1e-9)


def test_faces_of_a_loaded_die():
    outcomes = [5 if n % 5 == 0 else cell for n, cell in enumerate(cells(3, 600, 6), start=1)]
    assert told(follows(Categorical(dice.faces()), outcomes, golden.FACES)) == golden.FACES_TOLD


def test_pairs_and_a_slid_die():
    fair = [dice.pair_cell(a + 1, b + 1) for a, b in zip(cells(4, 300, 6), cells(5, 300, 6), strict=True)]
    follows(Categorical(dice.pair()), fair, golden.PAIRS)
    slid = [dice.pair_cell(6, face + 1) for face in cells(6, 25, 6)]
    kind, _, lift = told(follows(Categorical(dice.pair()), slid, golden.SLID))
    assert (kind, lift) == golden.SLID_TOLD


def test_a_drop_zone():
    outcomes = [2 if n % 6 == 0 else cell for n, cell in enumerate(cells(7, 400, 8), start=1)]
    assert told(follows(Categorical(rings.drop()), outcomes, golden.DROPS)) == golden.DROPS_TOLD


TABLES = [rings.wheel(37), rings.wheel(38), rings.drop(), dice.faces(), dice.pair()]


@pytest.mark.parametrize("bets", TABLES)
def test_every_bet_has_a_mean_of_1(bets):
    assert math.fsum(bets.null) == pytest.approx(1)
    assert math.fsum(bet.weight for bet in bets.bets) + math.fsum(s.weight for s in bets.spreads) == pytest.approx(1)
    for number in range(len(bets.bets)):
        mean = math.fsum(p * row[number] for p, row in zip(bets.null, bets.rows, strict=True))
        assert mean == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize(("bets", "rounds"), [(dice.faces(), 4), (dice.pair(), 3), (rings.drop(), 3)])
def test_over_all_that_can_happen_the_mean_of_e_is_1_and_of_r_the_rounds(bets, rounds):
    es, rs = [], []
    for outcome in itertools.product(range(len(bets.null)), repeat=rounds):
        monitor = Categorical(bets)
        for cell in outcome:
            monitor.draw(cell)
        chance = math.prod(bets.null[cell] for cell in outcome)
        es.append(chance * math.exp(monitor.ln_e()))
        rs.append(chance * monitor.r)
    assert math.fsum(es) == pytest.approx(1, abs=1e-12)
    assert math.fsum(rs) == pytest.approx(rounds, abs=1e-12)


@pytest.mark.parametrize(("cells_", "lift"), [((0,), 2.0), ((0, 1, 2), 0.1), ((), 0.5), ((0,), -1.0)])
def test_what_cannot_be_bet_is_refused(cells_, lift):
    with pytest.raises(ValueError, match="lift"):
        Bets([1 / 3] * 3, [Bet(1, cells_, lift, "pocket")], [])


def test_r_stays_a_number_and_a_reset_may_keep_it():
    monitor = Categorical(dice.faces())
    for _ in range(1000):
        r = monitor.draw(5)
    assert 1e200 < r <= MOST
    assert told(monitor) == ("face", (5,), 1.0)
    monitor.begin_again(keep_r=True)
    assert (monitor.n, monitor.r, monitor.ln_e()) == (0, r, pytest.approx(0, abs=1e-12))
    monitor.begin_again()
    assert (monitor.n, monitor.r) == (0, 0)


@pytest.mark.parametrize(
    ("counts", "rs"),
    [([0] * 5, [0.0] * 51), ([0] * 6, [0.0] * 50), ([-1] * 6, [0.0] * 51), ([0] * 6, [math.nan] * 51)],
)
def test_a_state_of_something_else_is_refused(counts, rs):
    with pytest.raises(ValueError, match="state"):
        Categorical(dice.faces()).restore(counts, rs)


def test_streams_are_as_the_golden_values_have_them():
    assert cells(1, 12, 38) == [22, 1, 30, 18, 36, 29, 6, 28, 33, 2, 15, 14]
    assert next(stream(1)) % 38 == 22
