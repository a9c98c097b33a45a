"""Pace on both databases: a floor made by hand, and figures worked out by hand beside each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor import config
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pace.question import pace
from tests.floor.archive.stream import closed, event, irregular, seen

START = datetime(2027, 1, 15, 8, tzinfo=UTC)  # 03:00 in New York
SAME = "toledo-2020/roulette/same-direction-spin"
ANN, BOSS = "12:34567", "12:99999"
DIGEST = sha256(ANN.encode()).hexdigest()[:12]
BJ = "toledo/BJ-01"
HOUSE = PaceSection(
    zone="America/New_York", dealers=[DIGEST], shifts={"day": "03:30", "grave": "22:00"}, target={"roulette": 40.0}
)
ROULETTE = {"table": "toledo/RL-07"}


def jam(raised: bool, t: float, sequence: int) -> Any:
    data = {"key": "shuffler-jam", "raised": raised, "condition": "jam", "device": "shuffler", "since": t}
    return event("alert", "alert/shuffler-jam", data, t, sequence)


def spin(number: int, opened: float, bets: float | None, settled: float, over: float, **more: Any) -> list[Any]:
    marks = [seen("panel", "key_pressed", bets, number * 10, key="no_more_bets")] if bets else []
    marks.append(seen("wheel", "ball_settled", settled, number * 10 + 1, pocket="7"))
    return [*marks, closed(number, over, number * 10 + 2, opened=float(opened), closed=float(over), **more)]


def hand(number: int, opened: float, over: float) -> list[Any]:
    game = "toledo-2020/blackjack"
    return [
        seen("panel", "key_pressed", opened, number * 10, BJ, key="no_more_bets"),
        closed(number, over, number * 10 + 1, BJ, opened=float(opened), closed=float(over), game=game),
    ]


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    made = store_at(database)
    await made.open()
    messages = [
        seen("seats", "seat_taken", 10, 1, seat="seat-1"),
        seen("seats", "seat_taken", 20, 2, seat="seat-2"),
        *spin(1, 60, 75, 85, 90),
        *spin(2, 120, 140, 146, 150),
        irregular(SAME, 149, 25),
        seen("seats", "seat_left", 155, 26, seat="seat-2"),
        *spin(3, 200, 215, 236, 240, void="same-direction-spin"),
        seen("panel", "key_pressed", 1700, 35, key="dealer_change"),
        seen("reader", "credential_presented", 1710, 36, credential=ANN),
        seen("reader", "credential_presented", 1720, 37, credential=BOSS),
        *spin(4, 1740, 1750, 1780, 1790, partial=True),
        seen("shuffler", "shuffle_started", 1796, 48),
        *spin(5, 1795, 1800, 1820, 1830),
        seen("shuffler", "shuffle_completed", 1825, 53, cards=416),
        seen("shuffler", "shuffle_started", 1832, 54),
        jam(True, 1835, 55),
        jam(False, 1845, 56),
        seen("shuffler", "shuffle_completed", 1850, 57, cards=416),
        *spin(6, 1860, None, 1880, 1890),
        irregular(SAME, 1889, 65),
        *hand(1, 100, 160),
        *hand(2, 190, 250),
    ]
    rows = [row for message in messages if (row := row_of(message, START)) is not None]
    assert len(await made.put(rows, [])) == len(messages)
    yield made
    await made.close()


async def test_a_tables_figures(store: Store) -> None:
    blackjack, roulette = await pace(store, Asked(), HOUSE, ["table"])
    # Open: 60-90, 90-150, 150-240, 1740-1790, 1790-1830, 1830-1890: 330 s. 240 to 1740 is more than 15 minutes: closed.
    # 6 rounds in 330 s are 65.45 an hour. Seats: 2 2 1 1 1 1. Bets open: 140-90, 215-150, 1800-1790. No more bets:
    # 85-75, 146-140, 236-215, 1820-1800; round 4 is partial. Result: 5, 4, 4, 10, 10. Next: 30, 50, 5, 30. The shuffle
    # of 1796 ran beside round 5; that of 1832 took 18 s between rounds.
    assert roulette == {
        "table": "toledo/RL-07", "rounds": 6, "partial": 1, "open_hours": 0.092, "closed_hours": 0.417,
        "rounds_an_hour": 65.5, "target": 40.0, "of_target": 1.636, "seats_a_round": 1.33, "bets_open_s": 41.7,
        "no_more_bets_s": 14.2, "result_s": 6.6, "next_s": 28.8, "shuffle_s": 18.0, "jam_s": 10.0,
        "voids_per_100": 16.67, "irregularities_per_100": 33.33,
    }  # fmt: skip
    # Two hands of 60 s, 30 s between them: 150 s. No device shows a result before the round is over.
    assert (
        blackjack | {"table": BJ, "rounds": 2, "rounds_an_hour": 48.0, "target": None, "of_target": None} == blackjack
    )
    assert (blackjack["bets_open_s"], blackjack["no_more_bets_s"], blackjack["result_s"]) == (30.0, 60.0, None)
    assert (blackjack["next_s"], blackjack["seats_a_round"]) == (30.0, None)


async def test_by_dealer_shift_and_game(store: Store) -> None:
    found = await pace(store, Asked(**ROULETTE), HOUSE, ["dealer"])
    # Nobody: rounds 1 to 3 in 180 s. Ann, from her credential on; the supervisor's is no relief: 3 rounds in 150 s.
    assert [(row["dealer"], row["rounds"], row["rounds_an_hour"]) for row in found] == [
        (None, 3, 60.0), (DIGEST, 3, 72.0),
    ]  # fmt: skip
    found = await pace(store, Asked(**ROULETTE), HOUSE, ["shift"])
    # 1800 s is 03:30, in the middle of round 5: 10 s of it belong to the night, which has 240 s for 4 rounds.
    assert [(row["shift"], row["rounds"], row["rounds_an_hour"]) for row in found] == [
        ("day", 2, 80.0),
        ("grave", 4, 60.0),
    ]
    found = await pace(store, Asked(), HOUSE, ["game"])
    assert [(row["game"], row["rounds"]) for row in found] == [
        ("toledo-2020/blackjack", 2),
        ("toledo-2020/roulette", 6),
    ]


async def test_a_period_counts_closed_time_hour_by_hour(store: Store) -> None:
    asked = Asked(START, START + timedelta(hours=2), **ROULETTE)
    first, second = await pace(store, asked, HOUSE, ["hour"], now=START + timedelta(hours=2))
    # Closed: 0-60, 240-1740, 1890-3600 are 3270 s; then the whole hour.
    assert (first["hour"], first["open_hours"], first["closed_hours"]) == ("2027-01-15T03:00-05:00", 0.092, 0.908)
    assert (second["hour"], second["open_hours"], second["closed_hours"]) == ("2027-01-15T04:00-05:00", 0.0, 1.0)
    # From 1795 on: rounds 5 and 6; the 12 hours before tell who sits there and when round 4 was over.
    (late,) = await pace(store, Asked(START + timedelta(seconds=1795), **ROULETTE), HOUSE, ["table"])
    assert (late["rounds"], late["seats_a_round"], late["next_s"]) == (2, 1.0, 17.5)
    (now,) = await pace(store, asked, HOUSE, ["table"], now=START + timedelta(seconds=1890))
    assert now["closed_hours"] == 0.433  # 1560 s: what is yet to come is not closed


async def test_irregularities_know_dealers_by_credential(store: Store) -> None:
    found = await questions.irregularities(store, Asked(), HOUSE)
    at = [(START + timedelta(seconds=1700)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")]
    assert [(row["dealer_since"], row["dealer"]) for row in found] == [(None, None), (at[0], DIGEST)]
    (late,) = await questions.irregularities(store, Asked(START + timedelta(seconds=1800)), HOUSE)
    assert (late["dealer_since"], late["dealer"]) == (at[0], DIGEST)
    assert [row["dealer"] for row in await questions.irregularities(store, Asked())] == [None, None]


async def test_another_dealers_credential_begins_a_turn_without_a_key(store: Store) -> None:
    house = PaceSection(dealers=[ANN, BOSS])
    messages = [irregular(SAME, 1715, 90), irregular(SAME, 1725, 91)]
    await store.put([row for each in messages if (row := row_of(each, START)) is not None], [])
    found = {row["first"][14:19]: row for row in await questions.irregularities(store, Asked(), house)}
    assert found["28:35"]["dealer_since"][14:19] == "28:20"
    assert found["28:45"]["dealer_since"][14:19] == "28:40"
    assert found["28:45"]["dealer"] == sha256(BOSS.encode()).hexdigest()[:12]


async def test_the_rules_sentence_stands_beside_its_id(store: Store) -> None:
    data = {"rule": SAME, "category": "no-spin", "severity": "alert", "round": 7, "says": "Spun \x1b[2J the same way"}
    row = row_of(event("irregularity", "irregularity/alert", data, 2000, 99), START)
    assert row is not None
    await store.put([row], [])
    found = await questions.irregularities(store, Asked())
    assert {row["says"] for row in found} == {"Spun \\x1b[2J the same way"}
    assert list(found[0])[:2] == ["says", "rule"]


async def test_what_no_table_would_say_neither_stops_nor_bends_the_count(store: Store) -> None:
    forged = [
        closed(1, 100, 1, "toledo/X-1", opened=-1e300, closed=1e300),
        closed(2, 130, 2, "toledo/X-1", opened="now", closed=[]),
        seen("seats", "seat_taken", 140, 3, "toledo/X-1", seat=7),
        seen("reader", "credential_presented", 150, 4, "toledo/X-1", credential=None),
        event("round", "round", {"round": 1, "game": "g/g", "partial": False}, -1.79e9, 5, "toledo/X-1", "b0"),
    ]
    await store.put([row for each in forged if (row := row_of(each, START)) is not None], [])
    rows = await pace(store, Asked(), HOUSE, ["table"])
    (bad,) = [row for row in rows if row["table"] == "toledo/X-1"]
    assert (bad["rounds"], bad["open_hours"], bad["closed_hours"]) == (2, 24.0, 0.0)
    assert [row["rounds"] for row in rows] == [2, 6, 2]


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ('zone = "Toledo"', "pace.zone"),
        ('zone = "../etc/passwd"', "pace.zone"),
        ("idle_minutes = 0", "pace.idle_minutes"),
        ('shifts = { day = "6:00" }', "pace.shifts.day"),
        ('shifts = { day = "06:00", swing = "06:00" }', "pace.shifts"),
        ("target = { roulette = 0 }", 'pace.target."roulette"'),
        ('targets = "x"', "pace.targets"),
    ],
)
def test_a_wrong_figure_is_named_by_its_key(tmp_path: Path, section: str, key: str) -> None:
    path = tmp_path / "FLOOR.toml"
    path.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[pace]\n{section}\n')
    with pytest.raises(UsageError, match="pace") as error:
        config.load(path)
    assert f"{path}: {key}:" in str(error.value)


async def test_the_command(
    store: Store, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    path = tmp_path / "FLOOR.toml"
    path.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\ndatabase = "{database}"\n'
        f'[pace]\nzone = "America/New_York"\ndealers = ["{ANN}"]\ntarget = {{ roulette = 40 }}\n'
    )
    asked = ["archive", "pace", str(path), "--table", "toledo/RL-07"]
    assert await asyncio.to_thread(cli.main, [*asked, "--by", "dealer,hour"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["-", "2027-01-15T03:00-05:00", "3"], [DIGEST, "2027-01-15T03:00-05:00", "3"],
    ]  # fmt: skip
    assert await asyncio.to_thread(cli.main, [*asked, "--by", "moon"]) == 2
    assert '--by "moon" is none of table, game, dealer, hour, shift' in capsys.readouterr().err
