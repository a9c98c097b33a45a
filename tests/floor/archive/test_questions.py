"""What people ask, on both databases, of a floor made by hand."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pitwatch.floor.archive import exporting, questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import Store, StoreError
from tests.floor.archive.stream import closed, device, event, irregular, seen

START = datetime(2027, 1, 15, 8, tzinfo=UTC)
LATE, SAME = "toledo-2020/roulette/late-no-more-bets", "toledo-2020/roulette/same-direction-spin"
BJ = "toledo/BJ-01"


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    """An hour and a quarter at one table, some of a second, a meter at a third."""
    made = store_at(database)
    await made.open()
    messages = [
        *(closed(n, n * 60.0, n, partial=n == 1, void=LATE if n == 70 else None) for n in range(1, 76)),
        irregular(LATE, 100, 76),
        seen("panel", "key_pressed", 1200, 77, key="dealer_change"),
        irregular(LATE, 1300, 78),
        irregular(LATE, 1400, 79),
        irregular(SAME, 1500, 80),
        seen("panel", "key_pressed", 3000, 81, key="dealer_change"),
        irregular(LATE, 3100, 82),
        device("wheel", "offline", 2000, 83),
        device("wheel", "offline", 2010, 84),
        device("wheel", "fault", 2030.5, 85),
        device("wheel", "online", 2100, 86),
        device("wheel", "offline", 4000, 87),
        closed(1, 200, 1, BJ),
        event("status", "status", {"state": "ready"}, 10, None, BJ),
        seen("meter", "jackpot", 500, 1, "toledo/TC-02", seat="seat-3", hand="royal-flush"),
        seen("meter", "meter_unlocked", 900, 2, "toledo/TC-02"),
        seen("meter", "jackpot", 1000, 3, "toledo/TC-02", seat=None, hand="straight-flush"),
    ]
    rows = [row for message in messages if (row := row_of(message, START)) is not None]
    will = event("status", "status", {"state": "lost"}, 11, None, BJ)  # left with the broker at 11, published at 300
    rows += [row for row in (row_of(will, START + timedelta(seconds=300)),) if row is not None]
    back = event("status", "status", {"state": "aligning"}, 420, None, BJ)
    rows += [row for row in (row_of(back, START),) if row is not None]
    assert len(await made.put(rows, [])) == len(messages) + 2
    yield made
    await made.close()


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def test_rounds_by_hour(store: Store) -> None:
    assert await questions.rounds(store, Asked()) == [
        {"site": "toledo", "table_id": "BJ-01", "hour": "2027-01-15T08", "rounds": 1, "partial": 0, "void": 0},
        {"site": "toledo", "table_id": "RL-07", "hour": "2027-01-15T08", "rounds": 59, "partial": 1, "void": 0},
        {"site": "toledo", "table_id": "RL-07", "hour": "2027-01-15T09", "rounds": 16, "partial": 0, "void": 1},
    ]
    (only,) = await questions.rounds(store, Asked(START + timedelta(hours=1), table="toledo/RL-07"))
    assert only["rounds"] == 16
    (only,) = await questions.rounds(store, Asked(end=START + timedelta(seconds=120), table="toledo/RL-07"))
    assert only["rounds"] == 1


async def test_irregularities_by_dealer(store: Store) -> None:
    found = await questions.irregularities(store, Asked(table="toledo/RL-07"))
    told = {(row["dealer_since"], row["rule"]): row["times"] for row in found}
    assert told == {(None, LATE): 1, (at(1200), LATE): 2, (at(1200), SAME): 1, (at(3000), LATE): 1}
    (two,) = [row for row in found if row["times"] == 2]
    assert (two["first"], two["last"], two["severity"]) == (at(1300), at(1400), "warning")


async def test_downtime(store: Store) -> None:
    found = await questions.downtime(store, Asked())
    assert [(row["table_id"], row["device"], row["state"], row["since"], row["seconds"]) for row in found] == [
        ("BJ-01", None, "lost", at(300), 120.0),
        ("RL-07", "wheel", "offline", at(2000), 30.5),
        ("RL-07", "wheel", "fault", at(2030.5), 69.5),
        ("RL-07", "wheel", "offline", at(4000), None),
    ]


async def test_a_will_tells_by_its_receipt_and_a_retained_one_by_less(store: Store) -> None:
    lost = {"state": "lost"}
    late, early = START + timedelta(seconds=900), START + timedelta(seconds=950)
    wills = [
        row_of(event("status", "status", lost, 5, None, "toledo/CR-01", "b1", False, retained=True), late),
        row_of(event("status", "status", lost, 5, None, "toledo/CR-02", "b1", False), early),
    ]
    offset = {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 1_800_000_000 * 10**9}}
    clocks = [row_of(event("system", "system", offset, 6, 7, f"toledo/CR-0{n}"), START) for n in (1, 2)]
    await store.put([row for row in (*wills, *clocks) if row is not None], [])
    found = [row for row in await questions.downtime(store, Asked()) if row["table_id"].startswith("CR")]
    assert [(row["table_id"], row["since"], row["until"], row["earlier"]) for row in found] == [
        ("CR-01", at(900), None, True),
        ("CR-02", at(950), None, False),
    ]
    kept = await store.ask("SELECT partial, monotonic_ns FROM events WHERE site = 'toledo' AND name = 'lost'")
    assert {(row["partial"], row["monotonic_ns"] > 0) for row in kept} == {(None, True)}


async def test_open_jackpots(store: Store) -> None:
    (one,) = await questions.jackpots(store, Asked())
    assert (one["table_id"], one["hand"], one["seat"], one["at"]) == ("TC-02", "straight-flush", None, at(1000))


async def test_everything_around_a_second(store: Store) -> None:
    found = await questions.around(store, START + timedelta(seconds=1300))
    assert [(row["at"], row["kind"]) for row in found] == [
        (at(1260), "round"),
        (at(1300), "irregularity"),
        (at(1320), "round"),
    ]
    assert found[1]["data"]["rule"] == LATE
    edges = await questions.around(store, START + timedelta(seconds=1260), 60.0, "toledo/RL-07")
    assert [row["at"] for row in edges] == [at(1200), at(1200), at(1260), at(1300), at(1320)]
    assert await questions.around(store, START + timedelta(seconds=1260), table=BJ) == []


async def test_what_is_missing(store: Store) -> None:
    assert await questions.missing(store, Asked()) == []
    rows = [row for n in (95, 97) if (row := row_of(closed(n, 5000, n), START)) is not None]
    await store.put(rows, [])
    await store.change(
        "INSERT INTO given_up VALUES ('toledo', 'RL-07', 96, 96, '1 records of these are no longer kept')"
    )
    told = [(row["first"], row["last"], bool(row["reason"])) for row in await questions.missing(store, Asked())]
    assert told == [(88, 94, False), (96, 96, True)]
    assert await questions.missing(store, Asked(table=BJ)) == []


async def test_export_as_csv_and_parquet(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PAGE", 7)
    parquet = pytest.importorskip("pyarrow.parquet")
    total = (await store.ask("SELECT count(*) AS n FROM events"))[0]["n"]
    assert await exporting.to_csv(store, Asked(), tmp_path / "floor.csv") == total
    with (tmp_path / "floor.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert len({(row["site"], row["table_id"], row["id"]) for row in written}) == total
    assert all(json.loads(row["payload"])["id"] == row["id"] for row in written)
    assert await exporting.to_parquet(store, Asked(), tmp_path / "floor.parquet") == total
    table: Any = parquet.read_table(tmp_path / "floor.parquet")
    assert table.num_rows == total
    rows = {(row["table_id"], row["id"]): row for row in table.to_pylist()}
    for line in written:
        row = rows[line["table_id"], line["id"]]
        assert row["payload"] == line["payload"]
        assert row["at"] == datetime.fromisoformat(line["at"])
        assert str(row["partial"] if row["partial"] is not None else "") == line["partial"]
    some = await exporting.to_csv(store, Asked(table=BJ), tmp_path / "bj.csv")
    assert some == 4


@pytest.mark.parametrize("name", ["floor.csv", "floor.parquet"])
async def test_an_export_whose_database_goes_leaves_what_was_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(exporting, "PAGE", 7)
    events = exporting.events

    async def gone(*asked: Any) -> Any:
        page = await events(*asked)
        await store.close()
        return page

    write = exporting.to_csv if name.endswith("csv") else exporting.to_parquet
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("yesterday's")
    monkeypatch.setattr(exporting, "events", gone)
    with pytest.raises(StoreError):
        await write(store, Asked(), out / name)
    assert os.listdir(out) == [name]
    assert (out / name).read_text() == "yesterday's"
