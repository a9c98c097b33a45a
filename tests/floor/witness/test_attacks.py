"""A small dose of what `python -m tests.floor.witness` does a thousand times."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pitwatch.daemon.contract.messages import ResponseData
from pitwatch.floor.archive.store import Store
from tests.floor.archive.stream import WALL, event
from tests.floor.witness.attacks import ATTACKS, Month
from tests.floor.witness.boards import Board, House, Key

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
    rows = await store.ask("SELECT verdict, count(*) AS n FROM tree_heads GROUP BY verdict")
    counts = {row["verdict"]: row["n"] for row in rows}
    assert sum(counts.values()) == month.heads
    assert set(counts) <= {"cosigned", "older", "retired"}
    assert month.events["replaced"]
    assert month.board.cosigned == month.newest


async def test_two_heads_of_one_size_are_found_though_the_table_is_silent(store: Store, tmp_path: Path) -> None:
    chance = random.Random(7)
    house = House(store, tmp_path, chance)
    board = Board(TABLE, Key(1), chance)
    other = board.copy()
    board.grow(20)
    other.grow(20)
    await house.hear(board.checkpoint(house.now), other.checkpoint(house.now))
    await house.look()
    (found,) = await house.found(TABLE)
    assert (found["kind"], found["heard"]["size"], found["said"]["size"]) == ("split_view", 21, 21)
    assert found["heard"]["note"] != found["said"]["note"]
    assert await store.ask("SELECT * FROM cosignatures") == []


async def test_a_table_without_the_verbs_is_reported_and_not_asked_in_vain(store: Store, tmp_path: Path) -> None:
    """Its checkpoints have notes, and its configuration names no witness."""

    class Old(Board):
        asked = 0

        def consistency(self, old: int, new: int) -> ResponseData:
            self.asked += 1
            return ResponseData(request="r", ok=False, reason="not answered here; this table answers replay")

        def cosign(self, note: str) -> ResponseData:
            return self.consistency(0, 0)

    chance = random.Random(8)
    house = House(store, tmp_path, chance)
    board = Old(TABLE, Key(1), chance)
    house.boards = [board]
    for _ in range(2):
        board.grow(20)
        await house.hear(board.checkpoint(house.now))
        await house.look(10, 6.0)
    await house.look(70, 60.0)
    (found,) = await house.found(TABLE)
    assert found["kind"] == "not_cosigned"
    assert "not answered here" in found["told"]
    assert board.asked < 50


async def test_a_table_that_no_longer_notes_its_tree_is_reported(store: Store, tmp_path: Path) -> None:
    """An older program, or root who leaves the notes out: over when a note covers them."""
    chance = random.Random(9)
    house = House(store, tmp_path, chance)
    board = Board(TABLE, Key(1), chance)
    house.boards = [board]
    board.grow(5)
    await house.hear(board.checkpoint(house.now))
    await house.look(2)
    board.grow(5)
    await house.hear(board.checkpoint(house.now, noted=False))
    await house.look(5, 600.0)
    assert await house.found(TABLE) == []
    await house.look(3, 600.0)
    assert [row["kind"] for row in await house.found(TABLE)] == ["not_cosigned"]
    await house.hear(board.checkpoint(house.now))
    await house.look(2)
    assert await house.found(TABLE) == []


async def test_a_key_that_the_house_has_not_approved_is_not_cosigned(store: Store, tmp_path: Path) -> None:
    chance = random.Random(10)
    house = House(store, tmp_path, chance)
    board, stranger = Board(TABLE, Key(1), chance), Board(TABLE, Key(2), chance)
    house.approve(TABLE, board.key)
    house.boards = [stranger]
    await house.hear(stranger.checkpoint(house.now))
    await house.look(2)
    house.boards = [board]
    await house.hear(board.checkpoint(house.now))
    await house.look(2)
    rows = await store.ask("SELECT key, verdict FROM tree_heads")
    assert {row["key"]: row["verdict"] for row in rows} == {
        board.key.public: "cosigned",
        stranger.key.public: "not_trusted",
    }
    assert (board.cosigned, stranger.cosigned) == (1, 0)


async def test_a_log_that_takes_another_name_is_no_new_log(store: Store, tmp_path: Path) -> None:
    """By another name of the house a rewritten past would begin anew."""

    class Renamed(Board):
        @property
        def origin(self) -> str:
            return f"other.example/pitwatch/{self.table}"

    chance = random.Random(11)
    house = House(store, tmp_path, chance)
    board, renamed = Board(TABLE, Key(1), chance), Renamed(TABLE, Key(1), chance)
    house.boards = [board]
    board.grow(9)
    await house.hear(board.checkpoint(house.now))
    await house.look(2)
    house.boards = [renamed]
    await house.hear(renamed.checkpoint(house.now))
    await house.look(2)
    (found,) = await house.found(TABLE)
    assert found["kind"] == "split_view"
    assert "other.example/pitwatch" in found["told"]


async def test_a_forged_note_is_reported_and_kept_from_the_witness(store: Store, tmp_path: Path) -> None:
    chance = random.Random(12)
    house = House(store, tmp_path, chance)
    board, elsewhere = Board(TABLE, Key(1), chance), Board("toledo/RL-08", Key(1), chance)
    good = board.checkpoint(house.now)
    assert good.event is not None
    data = good.event.payload()
    for number, note in enumerate((data["note"].replace("\n1\n", "\n2\n"), elsewhere.note(), "no note", "")):
        forged = event(
            "checkpoint", "checkpoint", data | {"note": note}, house.now - WALL, 50 + number, TABLE, board.boot
        )
        await house.hear(forged)
    await house.look(2)
    assert [row["kind"] for row in await house.found(TABLE)] == 4 * ["forged"]
    assert await store.ask("SELECT * FROM tree_heads") == []
