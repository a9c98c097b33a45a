"""What an archive says of holds: who asked, why, and how each ended, also where it lacks the beginning."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pitwatch.floor.archive.holds import holds
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.message import Message
from tests.floor.archive.stream import event


def held(number: int) -> dict[str, Any]:
    return {
        "hold": number, "first": number - 9, "last": number - 5, "irregularity": None, "client": "desk", "by": "Ann",
        "reason": "dispute 7", "time": "2027-01-15T08:00:00.000000Z",
    }  # fmt: skip


def change(what: str, number: int, sequence: int, *standing: int, table: str = "toledo/RL-07") -> Message:
    client = {} if what in ("ended", "restored") else {"client": "eye"}
    data = {"change": what, "hold": number, "by": "Bob", "reason": "why", "holds": [held(n) for n in standing]}
    return event("hold", "hold", data | client, sequence, sequence, table)


async def put(store: Store, *messages: Message) -> None:
    rows = [row for each in messages if (row := row_of(each, datetime.now(UTC))) is not None]
    await store.put(rows, [])


async def test_each_hold_stands_until_it_was_released_or_ended(store: Store) -> None:
    await put(
        store,
        change("held", 20, 21, 20),
        change("held", 30, 31, 20, 30),
        change("released", 20, 41, 30),
        change("restored", 30, 45, 30),
        change("held", 20, 21, 20, table="toledo/BJ-01"),
        change("ended", 7, 50, 20, table="toledo/BJ-01"),  # of which the archive has no beginning
    )
    found = await holds(store, Asked())
    assert [(row["table_id"], row["hold"], row["how"], row["ended_client"], row["ended_by"]) for row in found] == [
        ("BJ-01", 20, None, None, None),
        ("RL-07", 20, "released", "eye", "Bob"),
        ("RL-07", 30, None, None, None),
    ]
    assert (found[1]["by"], found[1]["reason"], found[1]["first"], found[1]["ended"][:10]) == (
        "Ann", "dispute 7", 11, "2027-01-15",
    )  # fmt: skip
    assert [row["hold"] for row in await holds(store, Asked(table="toledo/BJ-01"))] == [20]


async def test_a_hold_whose_beginning_is_missing_is_listed_from_the_next_change(store: Store) -> None:
    await put(store, change("held", 30, 31, 20, 30))
    assert [row["hold"] for row in await holds(store, Asked())] == [20, 30]


async def test_what_no_table_sends_is_left_out(store: Store) -> None:
    await put(store, event("hold", "hold", {"change": "gone", "holds": 5}, 3, 3), change("held", 20, 21, 20))
    assert [row["hold"] for row in await holds(store, Asked())] == [20]
