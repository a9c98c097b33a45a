"""Planning faults, and what is said where a table cannot be simulated."""

from __future__ import annotations

import itertools

import pytest

from pitwatch import sim_hw
from pitwatch.sim_hw import SimDeviceSpec
from tests.sim_hw.tablerun import BenchTable

ROULETTE = BenchTable("roulette")


def test_a_plan_spreads_the_faults_and_keeps_them_apart() -> None:
    plan = sim_hw.make_plan(ROULETTE.game, ROULETTE.devices, 100, 3)
    at = [each.round_index for each in plan]
    assert len(plan) == len(sim_hw.provokable(ROULETTE.game, ROULETTE.devices))
    assert all(later - earlier >= 4 for earlier, later in itertools.pairwise(at))


def test_a_short_session_takes_as_many_faults_as_fit() -> None:
    assert len(sim_hw.make_plan(ROULETTE.game, ROULETTE.devices, 6, 3)) == 1


def test_an_impossible_fault_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^floater: cannot be provoked at this table; .*same-direction-spin.* can$"):
        sim_hw.make_plan(ROULETTE.game, ROULETTE.devices, 10, 1, ["floater"])


def test_what_the_table_lacks_is_not_provoked() -> None:
    wheel = [device for device in ROULETTE.devices if device.type == "wheel"]
    assert set(sim_hw.provokable(ROULETTE.game, wheel)) == {
        "same-direction-spin", "result-mismatch", "spin-counter-skip", "equipment-malfunction",
    }  # fmt: skip


def test_a_table_without_its_wheel_cannot_be_simulated() -> None:
    with pytest.raises(
        sim_hw.CannotSimulateError,
        match=r"^toledo-2020/roulette: .* wheel/mercury360 or wheel/slingshot2 or wheel/lines$",
    ):
        sim_hw.provokable(ROULETTE.game, [SimDeviceSpec("panel", "panel", "lines")])


def test_a_plan_may_be_a_plain_mapping() -> None:
    assert ROULETTE.run(3, 1, {1: "result-mismatch"}).rules == {"result-mismatch": 1}


def test_a_remedy_that_nobody_at_the_table_can_give_leaves_its_fault_out() -> None:
    table = BenchTable("blackjack")
    without = sim_hw.provokable(table.game, table.devices, table.options, {})
    assert set(table.provokable()) - set(without) == {
        "progressive-jackpot-hand", "second-jackpot-hand", "multiple-jackpots-same-round", "wager-while-locked-out",
        "relief-dealer-no-burn",
    }  # fmt: skip
