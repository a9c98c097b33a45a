"""The ball-and-rotor model: how long, how far, and that no pocket is favoured."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest

from pitwatch.devices.wheel_pockets import DOUBLE_ZERO
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.hand_wheel import HandWheel
from tests.sim_hw.tablerun import BenchTable

CHI_SQUARED_37_AT_1_PER_MILLE = 69.3
"""37 degrees of freedom."""


def test_closed_forms_agree_with_stepping_the_equation_of_motion() -> None:
    speed, seconds, angle, step = 9.0, 0.0, 0.0, 1e-4
    while speed > ball.LEAVES_AT:
        angle += speed * step
        speed -= (ball.DRAG * speed**2 + ball.FRICTION) * step
        seconds += step
    assert ball.time_between(9.0, ball.LEAVES_AT) == pytest.approx(seconds, rel=1e-3)
    assert ball.angle_between(9.0, ball.LEAVES_AT) == pytest.approx(angle, rel=1e-3)


def test_speeds_for_a_time_and_for_a_distance_are_inverse_to_them() -> None:
    assert ball.time_between(ball.speed_before(20.0), ball.LEAVES_AT) == pytest.approx(20.0)
    assert ball.angle_between(ball.speed_for(15), ball.LEAVES_AT) == pytest.approx(15 * ball.TURN)
    assert ball.speed_after(9.0, ball.angle_between(9.0, 5.0)) == pytest.approx(5.0)


def test_the_ball_leaves_the_rim_where_its_slope_no_longer_holds_it() -> None:
    centripetal = ball.TRACK_RADIUS * ball.LEAVES_AT**2
    assert centripetal == pytest.approx(ball.GRAVITY * math.tan(ball.SLOPE))
    assert 1.2 < ball.TURN / ball.LEAVES_AT < 2.0


def test_pockets_of_an_automatic_wheel_are_uniform_and_in_time() -> None:
    heard = BenchTable("roulette").run(4000, 11)
    pockets = Counter(each.result["pocket"] for each in heard.rounds)
    assert set(pockets) == set(DOUBLE_ZERO)
    expected = 4000 / 38
    assert sum((n - expected) ** 2 / expected for n in pockets.values()) < CHI_SQUARED_37_AT_1_PER_MILLE
    took = sorted(each.closed - each.opened for each in heard.rounds)
    assert 29 < took[len(took) // 2] < 32  # 4.0 s in the rim and 26.5 s to the pocket, in the medians


def test_a_hand_spun_ball_runs_a_plausible_number_of_revolutions() -> None:
    heard = BenchTable("roulette-raw").run(60, 3)
    revolutions = [each.data["revolutions"] for each in heard.observations if each.event == "ball_left_rim"]
    assert min(revolutions) >= 8
    assert max(revolutions) <= 25
    assert 12 < sum(revolutions) / len(revolutions) < 18


def test_the_way_a_ball_runs_is_the_seed_s() -> None:
    assert ball.run(Random(1), 8.0) == ball.run(Random(1), 8.0)
    assert ball.run(Random(1), 8.0) != ball.run(Random(2), 8.0)


def test_a_hand_spun_ball_is_read_in_the_pocket_where_it_landed(monkeypatch: pytest.MonkeyPatch) -> None:
    landed = []
    land = HandWheel.land

    def note(wheel: HandWheel) -> str:
        landed.append(land(wheel))
        return landed[-1]

    monkeypatch.setattr(HandWheel, "land", note)
    heard = BenchTable("roulette-raw").run(60, 4)
    assert [each.result["pocket"] for each in heard.rounds] == landed
    assert len(set(landed)) > 20
