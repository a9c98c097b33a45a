"""A small dose of what `python -m tests.floor.witness` does a thousand times."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

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


ORIGIN = "house.example/pitwatch/toledo/RL-07"
HOSTILE = (
    "\n\n",
    "a\n1\nb\n\n— a b\n",
    "\ud800",
    "x" * 70_000,
    f"{ORIGIN}\n1\n{'A' * 43}=\n\n— x AAAAAAAA\n",
)


async def test_nothing_that_a_table_may_send_stops_the_archive(store: Store, tmp_path: Path) -> None:
    chance = random.Random(13)
    house = House(store, tmp_path, chance)
    board = Board(TABLE, Key(1), chance)
    house.boards = [board]
    good = board.checkpoint(house.now)
    await house.hear(good)
    await house.look(2)
    assert good.event is not None
    data = good.event.payload()
    number = 50
    for changed in (
        *({"note": note} for note in HOSTILE),
        *({"sequence": sequence, "note": None} for sequence in (-1, 0, 2**53, 2**63 - 1, 2**63, 2**64 - 1)),
        *({"sequence": sequence} for sequence in (-1, 0, 2**63, 2**64 - 1)),
        *({"key": key} for key in ("", "x" * 60, data["key"][:-2] + "A=")),
        {"table": "toledo/" + "x" * 500},
    ):
        number += 1
        try:
            message = event("checkpoint", "checkpoint", data | changed, house.now - WALL, number, TABLE, board.boot)
        except ValueError:
            continue  # no message at all: it is put aside before
        await house.hear(message)
        await house.look()
    board.grow(3)
    await house.hear(board.checkpoint(house.now))
    await house.look(2)
    assert board.cosigned == board.tree.size - 1


async def test_a_table_that_answers_nonsense_stops_no_other(store: Store, tmp_path: Path) -> None:
    class Odd(Board):
        answers = iter(())

        def consistency(self, old: int, new: int) -> ResponseData:
            return next(self.answers)

    chance = random.Random(14)
    house = House(store, tmp_path, chance)
    odd, board = Odd("toledo/AA-00", Key(1), chance), Board(TABLE, Key(2), chance)
    house.boards = [odd, board]
    await house.hear(odd.checkpoint(house.now), board.checkpoint(house.now))
    await house.look(2)

    def said(**fields: Any) -> ResponseData:
        return ResponseData(request="r", ok=True, **fields)

    odd.answers = iter(
        (
            said(), said(proof=["\ud800"]), said(proof=["AAAA"]), said(proof=["" for _ in range(5_000)]),
            said(proof=[], size=-1), said(proof=[], key=None), said(proof=[], key="\0", size=2**63),
            said(reason="\n" * 60_000),
        )
    )  # fmt: skip
    for _ in range(8):
        for each in house.boards:
            each.grow(5)
            await house.hear(each.checkpoint(house.now))
        await house.look(2, 130.0)
    assert board.cosigned == board.tree.size - 1
    assert await house.found(TABLE) == []
    assert odd.cosigned == 1


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
