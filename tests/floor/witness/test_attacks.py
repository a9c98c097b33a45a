"""A small dose of what `python -m tests.floor.witness` does a thousand times."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pitwatch.floor.archive.store import Store
from tests.floor.witness.attacks import ATTACKS, Month
from tests.floor.witness.boards import House

TABLE = "toledo/RL-07"


@pytest.mark.parametrize("attack", ATTACKS)
async def test_found_each_time_with_both_heads(attack: str, store: Store, tmp_path: Path) -> None:
    chance = random.Random(attack)
    house = House(store, tmp_path, chance)
    for number in range(4):
        assert await ATTACKS[attack](house, f"toledo/T-{number}", chance), number


async def test_nothing_is_found_in_clean_play(store: Store, tmp_path: Path) -> None:
    chance = random.Random(4)
    house = House(store, tmp_path, chance)
    month = Month(house, TABLE, chance)
    await month.play(1.5)
    assert await house.store.ask("SELECT * FROM troubles") == []
    (row,) = await store.ask("SELECT count(*) AS n FROM tree_heads WHERE verdict IN ('cosigned', 'older')")
    assert row["n"] == month.heads
    assert month.board.cosigned == month.board.tree.size - 1
