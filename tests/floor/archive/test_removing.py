"""What the house's rules remove from an archive, what stays whatever its age, and what is left as a trace of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.archive import questions
from pitwatch.floor.archive.keep import rules
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.removing import TOO_OLD, Remover
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases.change import Change
from pitwatch.floor.cases.identity import Identity
from pitwatch.floor.cases.opening import Opening
from pitwatch.floor.cases.store import CaseStore
from pitwatch.floor.config import load
from pitwatch.floor.message import Message
from tests.floor.archive.stream import WALL, closed, device, event, seen
from tests.floor.archive.test_holds import change
from tests.floor.archive.test_store import rows

DAY = 86_400.0
START = datetime.fromtimestamp(WALL, UTC)
KEEP = {"observation": "30d", "round": "60d", "device": "30d", "irregularity": "forever"}


def card(t: float, sequence: int, table: str = "toledo/RL-07") -> Message:
    return seen("shoe", "card_drawn", t, sequence, table, card=None, to="seat-1")


def irregular(t: float, sequence: int, *evidence: int, table: str = "toledo/RL-07") -> Message:
    data = {"rule": "a/b/c", "category": "procedure", "severity": "warning", "round": 1, "evidence": list(evidence)}
    return event("irregularity", "irregularity/warning", data, t, sequence, table)


def floor() -> list[Message]:
    """Three months of a table: 0 to 2 with a card, a round and a device's state on each of the first days."""
    hold = {
        "hold": 60, "first": 13, "last": 14, "irregularity": None, "client": "desk", "by": "Ann", "reason": "dispute",
        "time": "2027-01-15T08:00:00.000000Z",
    }  # fmt: skip
    held = {"change": "held", "hold": 60, "by": "Ann", "client": "desk", "reason": "dispute", "holds": [hold]}
    messages = [card(n, n) for n in range(1, 9)]
    messages += [irregular(9, 9, 3, 5), closed(1, 10, 10), seen("meter", "jackpot", 11, 11, seat="seat-1", hand="x")]
    messages += [device("wheel", "offline", 12, 12), *(card(n, n) for n in range(13, 17))]
    messages += [device("wheel", "online", 17, 17), device("shoe", "offline", 18, 18)]
    messages += [event("hold", "hold", held, 19, 19), card(40 * DAY, 20), closed(2, 40 * DAY + 1, 21)]
    return [*messages, card(70 * DAY, 22)]


async def passes(store: Store, day: float, keep: dict[str, str] = KEEP) -> int:
    """As on that day; twice, since PostgreSQL drops a month at the second pass."""
    remover = Remover(store, rules(keep), "one")
    count = sum([await remover.look(START + timedelta(days=day, minutes=n)) for n in range(2)])
    await store.open()  # this day's own month is gone as no month of today ever is
    return count


async def numbers(store: Store) -> list[int]:
    found = await store.ask("SELECT sequence FROM events WHERE table_id = 'RL-07' ORDER BY sequence")
    return [row["sequence"] for row in found]


async def test_what_is_too_old_goes_and_what_others_rest_on_stays(store: Store) -> None:
    await store.put(rows(floor()), [])
    assert await passes(store, 20) == 0
    before = {row["sequence"]: row for row in await store.ask("SELECT * FROM events")}
    assert await passes(store, 71) == 11
    # 3, 5: cited; 11: a jackpot; 13, 14: held; 17, 18: the newest word of wheel and shoe; 21: younger than its term
    left = [3, 5, 9, 11, 13, 14, 17, 18, 19, 21, 22]
    assert await numbers(store) == left
    for row in await store.ask("SELECT * FROM events"):
        assert row == before[row["sequence"]]
    traces = await questions.removed(store, Asked())
    told = [(row["kind"], row["records"], row["first"], row["last"], row["rule"]) for row in traces]
    assert sorted(told) == [
        ("device", 1, 12, 12, 'device = "30d"'),
        ("observation", 9, 1, 20, 'observation = "30d"'),
        ("round", 1, 10, 10, 'round = "60d"'),
    ]
    assert {row["boot"] for row in traces} == {"b1"}
    assert traces[0]["began"][:10] == "2027-01-15"
    assert await questions.missing(store, Asked()) == []
    assert await passes(store, 72) == 0


async def test_what_was_removed_does_not_come_back_and_what_is_new_is_taken(store: Store) -> None:
    await store.put(rows(floor()), [])
    await passes(store, 71)
    left = await numbers(store)
    assert await store.put(rows(floor()), []) == []
    assert await numbers(store) == left
    again = [card(71 * DAY, 23), event("observation", "observation/shoe", {
        "t": 1.0, "device": "shoe", "event": "card_drawn", "data": {},
    }, 71 * DAY, 1, boot="b2")]  # fmt: skip
    assert len(await store.put(rows(again), [])) == 2  # another run, as of another board, counts from one again


async def test_a_hold_that_ended_and_an_irregularity_that_went_keep_nothing(store: Store) -> None:
    await store.put(rows(floor()), [])
    await passes(store, 71)
    await store.put(rows([change("released", 60, 23), closed(9, 71 * DAY, 24)]), [])
    assert await passes(store, 72) == 2
    assert 13 not in await numbers(store)
    assert await passes(store, 72, KEEP | {"irregularity": "70d"}) == 3  # with it what it cited, by that one's rule
    assert await numbers(store) == [11, 17, 18, 19, 21, 22, 23, 24]


async def test_nothing_goes_beyond_a_gap_that_a_table_may_still_fill(store: Store) -> None:
    young = [card(50 * DAY + n, n) for n in (1, 2, 3, 6)]
    await store.put(rows(young), [])
    assert await passes(store, 60) == 0  # the gap is younger than the rule
    assert [(row["first"], row["last"], row["reason"]) for row in await questions.missing(store, Asked())] == [
        (4, 5, None)
    ]
    assert await passes(store, 90) == 3  # all but the newest record, up to which the archive is whole
    assert [row["reason"] for row in await questions.missing(store, Asked())] == [TOO_OLD]
    assert await numbers(store) == [6]


async def test_the_irregularity_of_an_open_case_stays_with_what_it_cites(store: Store) -> None:
    messages = rows(floor())
    await store.put(messages, [])
    await Opening(store, ()).take(messages)
    keep = KEEP | {"irregularity": "1d"}
    await passes(store, 71, keep)
    assert {3, 5, 9} <= set(await numbers(store))
    (case,) = [each for each in await CaseStore(store).open_cases() if each.kind == "irregularity"]
    who, cases = Identity("ann", "account"), CaseStore(store)
    taken = await cases.append(Change(kind="take", case=case.case, seen=case.newest), who)
    closing = Change(kind="close", case=case.case, seen=taken.number, disposition="remedied", text="dealer relieved")
    await cases.append(closing, who)
    await passes(store, 72, keep)
    assert {3, 5, 9} & set(await numbers(store)) == set()


async def test_a_clock_that_is_put_back_makes_nothing_old(store: Store) -> None:
    """As somebody does who has root on a board, to have the night's records removed by tomorrow."""
    today = [card(60 * DAY + n, n) for n in range(1, 5)]
    dated_back = [card(n, n) for n in range(5, 9)]
    unset = [
        event("observation", "observation/shoe", {"t": 1.0, "device": "shoe", "event": "card_drawn", "data": {}}, n, n,
              "toledo/BJ-01", "c", False)
        for n in range(1, 5)
    ]  # fmt: skip
    await store.put(rows([*today, *dated_back, closed(1, 61 * DAY, 9), *unset]), [])
    assert await passes(store, 62) == 0
    assert await passes(store, 100) == 8  # with the records before them
    found = await store.ask("SELECT count(*) AS n FROM events WHERE table_id = 'BJ-01'")
    assert found == [{"n": 4}]


async def test_without_a_rule_nothing_goes(store: Store) -> None:
    await store.put(rows(floor()), [])
    assert await passes(store, 4_000, {}) == 0
    assert await passes(store, 4_000, {"observation": "forever"}) == 0


async def test_one_instance_at_a_time_removes(store: Store) -> None:
    await store.put(rows(floor()), [])
    await Remover(store, rules(KEEP), "one").look(START)
    assert await Remover(store, rules(KEEP), "two").look(START + timedelta(days=71)) == 0
    assert len(await numbers(store)) == 22


async def test_postgresql_drops_the_partition(store: Store) -> None:
    if not store.unmonthly:
        pytest.skip("SQLite has no partitions")
    await store.put(rows(floor()), [])
    parts = "SELECT relname FROM pg_class WHERE relname ~ '^event_rows_[0-9]+$' AND relkind = 'r'"
    assert len(await store.ask(parts)) == 1
    await passes(store, 71)
    assert await store.ask(parts) == []
    assert await store.ask("SELECT DISTINCT month FROM event_blocks") == [{"month": 0}]
    assert len(await store.put(rows([card(71 * DAY, 300)]), [])) == 1
    assert len(await store.ask(parts)) == 1


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        ('{ checkpoint = "30d" }', "archive.keep.checkpoint"),
        ('{ observation = "30" }', 'archive.keep.observation: "30" is no term'),
        ('{ observation = "0d" }', "archive.keep.observation"),
        ("{ observation = 30 }", "archive.keep"),
    ],
)
def test_a_rule_that_is_none_is_refused(tmp_path: Path, keep: str, told: Any) -> None:
    path = tmp_path / "FLOOR.toml"
    path.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\nkeep = {keep}\n')
    with pytest.raises(ConfigError, match=told):
        load(path)
