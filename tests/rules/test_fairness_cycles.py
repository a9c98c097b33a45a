"""The pace of a shuffler: learnt, then watched; a notice to the technician, and what does not count."""

from __future__ import annotations

import random

import pytest

from pitwatch.rules.fairness.cycles import BASELINE
from pitwatch.rules.records import Irregularity, Statistic, StatisticState
from tests.rules.fairness_tables import SECOND, Table

GAME = "toledo-2020/three-card-poker"


class Machine(Table):
    def __init__(self, after: Table | None = None):
        super().__init__(GAME, "shuffler", after=after)

    def shuffle(self, seconds: float, *between: str) -> None:
        self.see("shuffler", "shuffle_started")
        for event in between:
            self.see("shuffler", event, **({"cards": 51} if event == "count_failed" else {}))
        self.t += int(seconds * SECOND) - SECOND * (1 + len(between))
        self.see("shuffler", "shuffle_completed", cards=52)
        self.t += 30 * SECOND

    def shuffles(self, seed: int, many: int, mean: float) -> None:
        rng = random.Random(seed)
        for _ in range(many):
            self.shuffle(rng.gauss(mean, 0.05 * mean))

    @property
    def drifts(self) -> list[Irregularity]:
        return [each for each in self.of(Irregularity) if each.rule.endswith("/pace-drift")]


@pytest.mark.parametrize(("slower", "within"), [(1.1, 250), (1.2, 60)])
def test_a_machine_that_gets_slower_is_a_notice_to_the_technician(slower: float, within: int) -> None:
    table = Machine()
    table.shuffles(1, BASELINE + 400, 60.0)
    assert table.drifts == []
    table.shuffles(2, within, 60.0 * slower)
    told = table.drifts[0]
    assert (told.severity, told.category, told.disposition) == ("notice", "equipment", "inspect")
    assert told.observed["finding"].startswith("shuffler took ")
    assert "s in its first 300" in told.observed["finding"]
    assert "technician" in told.instruction


def test_it_comes_again_if_nothing_is_done_and_not_after_a_repair() -> None:
    table = Machine()
    table.shuffles(3, BASELINE, 60.0)
    table.shuffles(4, 200, 75.0)
    many = len(table.drifts)
    assert many > 3
    table.shuffles(5, 400, 60.0)
    assert len(table.drifts) == many


def test_a_machine_that_keeps_its_pace_or_gets_faster_is_silent() -> None:
    table = Machine()
    table.shuffles(6, BASELINE, 60.0)
    table.shuffles(7, 500, 61.5)
    table.shuffles(8, 500, 40.0)
    assert table.drifts == []


def test_a_shuffle_that_jammed_failed_or_was_not_seen_whole_does_not_count() -> None:
    table = Machine()
    for event in ("jammed", "count_failed", "device_offline", "edges_lost"):
        table.shuffle(90.0, event)
    table.see("shuffler", "shuffle_completed", cards=52)
    table.stop()
    assert table.of(Statistic) == []
    table.shuffle(60.0)
    table.stop()
    assert [state.counts for state in table.of(StatisticState)] == [(1, 0)]


def test_a_restart_goes_on_with_the_same_bits() -> None:
    whole, parts = Machine(), Machine()
    for seed, many in ((9, 120), (10, 230), (11, 60)):
        for table in (whole, parts):
            table.shuffles(seed, many, 60.0)
        parts.stop()
        parts = Machine(parts)
    whole.stop()
    parts.stop()
    assert [table.of(StatisticState)[-1] for table in (whole,)] == [parts.of(StatisticState)[-1]]
    assert whole.newest("cycle").n == 110
