"""Every bench table as its file has it: clean play is silent, each fault gives exactly its own verdict, whatever the
seed, and its evidence holds the cards that it names. What each game at each table cannot show is for
tests/conformance."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pitwatch.rules.engine import Engine
from pitwatch.rules.play.cards import is_card
from pitwatch.rules.records import Irregularity
from pitwatch.sim_hw.table import facts
from tests.sim_hw.tablerun import TABLES, BenchTable

SEEDS = 5
AROUND = 4
"""Rounds played with the fault among them."""

NAMES = sorted(path.stem for path in TABLES.glob("*.toml"))
CLEAN_ROUNDS = {"roulette-mercury": 1000, "roulette-raw": 250, "pai-gow": 300}
"""A wheel with an encoder is some twenty times the edges of any other table; pai gow ranks 147 hands a round."""

LOADED = {name: BenchTable(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_clean_rounds_are_silent_and_whole(name: str) -> None:
    rounds = CLEAN_ROUNDS.get(name, 400)
    heard = LOADED[name].run(rounds, seed=1)
    assert heard.rules == Counter()
    assert len(heard.rounds) == rounds
    assert not [each for each in heard.rounds if each.partial or each.void]
    assert not [each for each in heard.observations if each.event in ("device_fault", "bytes_discarded")]


@pytest.mark.parametrize(("name", "rule"), [(name, rule) for name in NAMES for rule in LOADED[name].provokable()])
def test_a_fault_gives_exactly_its_verdict(name: str, rule: str) -> None:
    table = LOADED[name]
    for seed in range(SEEDS):
        plan = table.plan(AROUND, seed, [rule])
        heard = table.run(AROUND, seed, plan)
        assert heard.rules == Counter(plan[0].expects), f"seed {seed}, round {plan[0].round_index}"
        assert not [each for each in heard.rounds if each.partial], f"seed {seed}"
        for each in heard.irregularities:
            assert _cards(each.observed) <= _cards([heard.observations[seq - 1].data for seq in each.evidence]), each


def _cards(told: Any) -> set[str]:
    """The cards that are named somewhere in it."""
    if isinstance(told, dict | list | tuple):
        return set().union(*map(_cards, told.values() if isinstance(told, dict) else told))
    return {told} if is_card(told) else set()


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_of_everything_is_reported_in_full(name: str) -> None:
    table = LOADED[name]
    plan = table.plan(160, 7)
    assert {each.rule for each in plan} == set(LOADED[name].provokable())
    heard = table.run(160, 7, plan)
    assert heard.rules == Counter(rule for each in plan for rule in each.expects)


@pytest.mark.parametrize("name", NAMES)
def test_a_stop_at_any_time_accuses_nobody(name: str) -> None:
    """What is missing of the open round may still have come."""
    table = LOADED[name]
    seen = table.run(2, seed=3).observations
    for end in range(1, len(seen), 1 + len(seen) // 25):
        engine = Engine(table.game, facts(table.devices, table.options, table.people, table.seats))
        records = [record for seq, each in enumerate(seen[:end], 1) for record in engine.feed(seq, each)]
        records += engine.finish()
        assert [each for each in records if isinstance(each, Irregularity)] == [], seen[end - 1]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_wire(name: str) -> None:
    table = LOADED[name]
    plan = table.plan(10, 5)
    first, again, other = (list(table.events(10, seed, plan)) for seed in (5, 5, 6))
    assert first == again
    assert first != other
    assert [event.t_ns for event in first] == sorted(event.t_ns for event in first)
