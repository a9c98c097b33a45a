"""What both databases promise: each event once, whatever comes twice, reordered, or by another hand."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.gaps import GONE, OVER_WHAT_IS_GONE, WHOLE, Gap, gaps
from pitwatch.floor.archive.row import Row, row_of
from pitwatch.floor.archive.store import Latest, Store, StoreError
from pitwatch.floor.message import Message
from tests.floor.archive.stream import WALL, closed, device, dump, event, irregular

NOW = datetime(2027, 1, 15, 9, tzinfo=UTC)


def rows(messages: list[Message]) -> list[Row]:
    return [row for message in messages if (row := row_of(message, NOW)) is not None]


def floor() -> list[Message]:
    """Two tables; one of them was switched on without a clock, which is set at its fifth record."""
    early = [
        event(
            "round", "round", {"round": n, "game": "g", "partial": True, "void": None}, n, n, "toledo/BJ-01", "c", False
        )
        for n in range(1, 5)
    ]
    clock = {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": WALL * 1_000_000_000}}
    return [
        *(closed(n, n * 40.0, n) for n in range(1, 60)),
        irregular("toledo-2020/roulette/late-no-more-bets", 2400.5, 60),
        device("wheel", "offline", 2500, 61),
        *early,
        event("system", "system", clock, 5, 5, "toledo/BJ-01", "c"),
        event("status", "status", {"state": "ready"}, 6, None, "toledo/BJ-01", "c"),
    ]  # fmt: skip


async def test_every_event_once_whatever_the_order(database: str) -> None:
    store = store_at(database)
    await store.open()
    messages = rows(floor())
    new = await store.put(messages, [])
    assert len(new) == len(messages)
    first = await dump(store)
    chance = random.Random(4)
    for _ in range(10):
        again = chance.sample(messages, 40)
        assert await store.put(again + again, []) == []
    assert await dump(store) == first
    await store.close()


async def test_a_record_made_before_the_clock_was_set_gets_its_right_time(database: str) -> None:
    chance = random.Random(7)
    dumps = []
    for turn in range(3):
        store = store_at(database if database.startswith("postgresql") else f"{database}{turn}")
        await store.open()
        messages = rows(floor())
        chance.shuffle(messages)
        for at in range(0, len(messages), 5):
            await store.put(messages[at : at + 5], [])
        dumps.append(await dump(store))
        (row,) = await store.ask("SELECT at FROM events WHERE table_id = 'BJ-01' AND sequence = 3")
        assert row["at"] == "2027-01-15T08:00:03.000000Z"
        await store.change("DELETE FROM event_rows")
        await store.change("DELETE FROM clocks")
        await store.close()
    assert dumps[0] == dumps[1] == dumps[2]


async def test_two_instances_side_by_side_make_the_same(database: str) -> None:
    alone = store_at(f"{database}-alone") if database.startswith("sqlite") else None
    messages = rows(floor())
    stores = [store_at(database), store_at(database)]
    await asyncio.gather(*(store.open() for store in stores))

    async def feed(store: Store, seed: int) -> int:
        mine, chance, new = list(messages), random.Random(seed), 0
        chance.shuffle(mine)
        for at in range(0, len(mine), 7):
            new += len(await store.put(mine[at : at + 7], []))
        return new

    counts = await asyncio.gather(feed(stores[0], 1), feed(stores[1], 2))
    assert sum(counts) == len(messages)  # each was new to one of them only
    found = await dump(stores[0])
    assert len(found) == len(messages)
    if alone is not None:
        await alone.open()
        await alone.put(messages, [])
        assert await dump(alone) == found
        await alone.close()
    for store in stores:
        await store.close()


async def test_an_instance_that_begins_while_another_makes_the_file_waits(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "new.db", isolation_level=None)
    other.execute("CREATE TABLE archive_version (version INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    store = store_at(f"sqlite:{tmp_path}/new.db")
    opening = asyncio.create_task(store.open())
    await asyncio.sleep(0.5)
    assert not opening.done()
    other.execute("COMMIT")
    other.close()
    await opening
    await store.close()


async def test_what_is_cancelled_is_out_of_the_way_before_the_next_thing_is_done(database: str) -> None:
    """As when the archive is told to end while it stores: what is stored is all of it or nothing, and nobody comes
    between. A connection of SQLite that is closed under a statement takes the process with it."""
    store = store_at(database)
    await store.open()
    many = rows([closed(n, n * 40.0, n) for n in range(1, 3_001)])
    for part in range(0, 3_000, 300):
        putting = asyncio.create_task(store.put(many[part : part + 300], []))
        await asyncio.sleep(0.002)
        putting.cancel()
        await store.close()
        with contextlib.suppress(asyncio.CancelledError):
            await putting
        await store.open()
        (stored,) = await store.ask("SELECT count(*) AS n FROM events")
        assert stored["n"] % 300 == 0
    await store.close()


async def test_gaps_are_found_once_and_what_is_gone_is_not_asked_for(database: str) -> None:
    store = store_at(database)
    await store.open()
    there = [n for n in range(10, 40) if n not in (15, 16, 17, 30)]
    await store.put(rows([closed(n, n, n) for n in there]), [])
    health = Latest("toledo", "RL-07", "2027-01-15T08:00:00+00:00", 44, "{}")
    await store.put([], [health])
    holes = [Gap("toledo", "RL-07", 15, 17), Gap("toledo", "RL-07", 30, 30), Gap("toledo", "RL-07", 40, 44)]
    assert await gaps(store) == holes
    await store.change(WHOLE)
    assert await gaps(store) == holes  # only looked for from record 14 on now
    await store.change("INSERT INTO given_up VALUES ('toledo', 'RL-07', 15, 17, 'no longer kept')")
    await store.change(OVER_WHAT_IS_GONE)
    assert await gaps(store) == holes[1:]
    await store.put(rows([closed(n, n, n) for n in (30, *range(40, 45))]), [])
    assert await gaps(store) == []
    await store.change(WHOLE)
    assert (await store.ask("SELECT up_to FROM whole")) == [{"up_to": 44}]
    assert len(await store.ask(GONE)) == 1
    older = health._replace(at="2027-01-15T07:00:00+00:00", delivered=99)
    await store.put([], [older])  # an older word does not count
    assert await gaps(store) == []
    await store.close()


async def test_the_same_number_of_another_run_is_kept_too(database: str) -> None:
    """docs/reliability.md: after a disk that refused, numbers may be given again under another bootid."""
    store = store_at(database)
    await store.open()
    data = {"round": 7, "game": "g", "partial": False, "void": None}
    both = [event("round", "round", data, 7.0, 7, boot=boot) for boot in ("b1", "b2")]
    assert len(await store.put(rows(both), [])) == 2
    assert await gaps(store) == []
    await store.close()


async def test_an_archive_of_a_newer_version_is_refused(database: str) -> None:
    store = store_at(database)
    await store.open()
    await store.change("UPDATE archive_version SET version = 99")
    with pytest.raises(StoreError, match=r"^[^\n]*of version 99[^\n]*$"):
        await store.open()
    await store.close()


async def test_a_database_that_cannot_be_had_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^[^\n]*nowhere[^\n]*$"):
        await store_at(f"sqlite:{tmp_path}/nowhere/floor.db").open()
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as caught:
        await store_at(f"postgresql://eye:secret@/floor?host={tmp_path}").open()
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["mysql://a/b", "floor.db", "sqlite:", ""])
def test_another_kind_of_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="sqlite:PATH or postgresql://"):
        store_at(address)


def test_data_that_no_table_would_send_is_refused() -> None:
    for kind, data in (
        ("round", {}),
        ("irregularity", {"rule": 5, "severity": "warning"}),
        ("observation", {"device": 1}),
    ):
        with pytest.raises(ValueError, match=r"^toledo/RL-07/x: no "):
            row_of(event(kind, "x", data, 1.0, 1), NOW)
