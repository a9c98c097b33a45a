"""The list of monitors over the floor, on both databases: the newest of each, and which of them to look at."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import msgspec
import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.fairness import fairness
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.rules.records import Statistic
from tests.floor.archive.stream import event

TOLD = {"kind": "sector", "cells": [3, 4, 5], "lift": 0.3}
START = datetime(2027, 1, 15, 8, tzinfo=UTC)


def statistic(e, at, sequence, table="toledo/RL-07", monitor="pocket", key="", told=None):
    data = Statistic(
        monitor=monitor, key=key, epoch=1, since=1, n=500, ln_e=math.log(e), r=1.0, c=2e8, level="record", told=told,
        counts=(1, 2),
    )  # fmt: skip
    topic = f"statistic/{monitor}-{key}" if key else f"statistic/{monitor}"
    return event("statistic", topic, msgspec.to_builtins(data), at, sequence, table)


@pytest.fixture
async def store(database):
    made = store_at(database)
    await made.open()
    messages = [
        statistic(1e6, 100, 1),  # of an hour ago: no longer so
        statistic(3.0, 3700, 2),
        statistic(250.0, 3700, 3, monitor="signature", key="cw-unknown", told=TOLD),
        statistic(33.0, 3800, 4, monitor="signature", key="ccw-unknown"),
        *(statistic(0.5, 3600 + n, 1, f"toledo/RL-{n}") for n in range(10, 17)),
        statistic(40.0, 3600, 1, "other/RL-99", "composition"),
        statistic(1e9, 3700, 5, monitor="pace"),  # of people, no equipment to look at
    ]  # fmt: skip
    rows = [row for message in messages if (row := row_of(message, START)) is not None]
    await made.put(rows, [])
    yield made
    await made.close()


async def test_the_newest_of_each_by_e_and_which_to_look_at(store):
    found = await fairness(store, Asked())
    assert [(row["table_id"], row["monitor"], row["e"], row["look"]) for row in found][:4] == [
        ("RL-07", "signature-cw-unknown", 250.0, True),
        ("RL-99", "composition", 40.0, False),  # 11 monitors: the second must reach 55
        ("RL-07", "signature-ccw-unknown", 33.0, False),
        ("RL-07", "pocket", 3.0, False),
    ]
    assert len(found) == 11
    assert found[0]["suspicion"] == "sector 3 to 5, +30%"
    assert found[1]["suspicion"] is None


async def test_what_it_is_confined_to(store):
    found = await fairness(store, Asked(table="toledo/RL-07"))
    assert [row["look"] for row in found] == [True, True, False]  # of three monitors the second need only reach 15
    before = await fairness(store, Asked(end=datetime(2027, 1, 15, 8, 30, tzinfo=UTC)))
    assert [(row["monitor"], row["e"]) for row in before] == [("pocket", 1e6)]


@pytest.mark.parametrize("wrong", [{"monitor": 3}, {"key": None}])
def test_a_statistic_that_no_table_sends_is_no_row(wrong):
    message = event("statistic", "statistic/pocket", {"monitor": "pocket", "key": "", "ln_e": 1.0} | wrong, 1, 1)
    with pytest.raises(ValueError, match="no statistic of a table"):
        row_of(message, START)


async def test_what_cannot_be_ranked_is_left_out(database):
    store = store_at(database)
    await store.open()
    data = {"monitor": "pocket", "key": "", "ln_e": "large"}
    row = row_of(event("statistic", "statistic/pocket", data, 1, 1), START)
    assert row is not None
    await store.put([row], [])
    assert await fairness(store, Asked()) == []
    await store.close()
