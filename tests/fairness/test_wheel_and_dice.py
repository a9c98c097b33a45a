"""Biased and even equipment at the wire, through the real devices, pipeline and rules, in virtual time.

A bias must be found within twice the median that docs/fairness.md gives; `make fairness-test` plays many more.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwatch.daemon.captures import capture
from tests.fairness.wires import (
    ALWAYS_SIX,
    DICE,
    EVEN_DIE,
    WHEEL,
    Heard,
    dice,
    even,
    loaded,
    places,
    raised,
    rolls,
    signature,
    spins,
    tilted,
    worn_fret,
)

CAPTURE = Path(__file__).parents[3] / "shared" / "captures" / "slingshot2-wheel.jsonl"


@pytest.mark.parametrize(
    ("weights", "median", "word"),
    [
        pytest.param(tilted(), 7400, "neighbouring", id="tilted rotor"),
        pytest.param(worn_fret(), 11700, "pocket", id="worn fret"),
        pytest.param(raised(6, 0.3), 2400, "neighbouring", id="six pockets"),
        pytest.param(
            [37 / 24 if place == 9 else 1.0 for place in range(38)], 5400, "pocket 17", id="one pocket 1 in 25"
        ),
    ],
)
def test_a_biased_wheel_is_found(tmp_path, weights, median, word):
    heard = Heard(tmp_path, WHEEL, spins(places(1, 2 * median, weights)))
    assert heard.rounds > 2 * median - 3
    assert heard.first("wheel-bias-suspected") <= 2 * median
    assert word in next(finding for _, rule, finding in heard.found if rule == "wheel-bias-suspected")
    assert heard.first("signature-suspected") > 2 * median


def test_a_ball_that_goes_the_same_way_is_found_in_each_direction(tmp_path):
    heard = Heard(tmp_path, WHEEL, spins(signature(1, 2 * 2 * 1800)))
    assert {rule for _, rule, _ in heard.found} == {"signature-suspected"}
    assert heard.first("signature-suspected") <= 2 * 2 * 1800
    assert {"signature-cw-unknown", "signature-ccw-unknown", "pocket", "pace"} == set(heard.statistics)


def test_an_even_wheel_is_not(tmp_path):
    heard = Heard(tmp_path, WHEEL, spins(places(2, 6000, even())))
    assert heard.found == []
    assert heard.statistics["pocket"].n > 5990
    assert {each.level for each in heard.statistics.values()} == {"record"}


@pytest.mark.parametrize(
    ("one", "other", "median"),
    [
        pytest.param(loaded(1 / 5), loaded(1 / 5), 2150, id="both loaded, 1 in 5"),
        pytest.param(loaded(1 / 4), loaded(1 / 4), 400, id="both loaded, 1 in 4"),
        pytest.param(ALWAYS_SIX, EVEN_DIE, 21, id="one slid"),
    ],
)
def test_biased_dice_are_found(tmp_path, one, other, median):
    heard = Heard(tmp_path, DICE, rolls(dice(1, 2 * median, one, other)))
    assert heard.first("dice-bias-suspected") <= 2 * median
    assert " 6 " in next(finding for _, rule, finding in heard.found if rule == "dice-bias-suspected")


def test_even_dice_are_not(tmp_path):
    heard = Heard(tmp_path, DICE, rolls(dice(2, 6000, EVEN_DIE, EVEN_DIE)))
    assert heard.found == []
    assert heard.statistics["pair"].n == 6000


@pytest.mark.skipif(not CAPTURE.is_file(), reason="the real wheel's recording is not beside the project")
def test_a_real_wheel_is_not(tmp_path):
    with capture.opened(str(CAPTURE)) as file:
        lines = [line for _, line in capture.lines(str(CAPTURE), file)]
    heard = Heard(tmp_path, WHEEL, lines)
    assert [rule for _, rule, _ in heard.found if rule.endswith("-suspected")] == []
    assert heard.statistics["pocket"].n > 150
    assert {each.level for each in heard.statistics.values()} == {"record"}
