"""A message that cannot be stored stops nobody: it is put aside as it came, and told; both databases."""

from __future__ import annotations

import asyncio
import contextlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.daemon.contract.messages import withhold
from pitwatch.floor.archive import gaps, questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store, StoreError
from pitwatch.floor.message import Message, Unreadable, read_message, table_of
from tests.floor.archive.stream import closed, event, seen

ENOUGH = 60.0
"""Seconds for one round, on a busy machine."""
BAD, GOOD = "toledo/RL-07", "toledo/BJ-01"
PREFIX = "pitwatch/1"


def heard(topic: str, payload: bytes) -> Message | Unreadable:
    """As the feed hands it over."""
    try:
        return read_message(PREFIX, topic, payload, retained=False)
    except ValueError as error:
        return Unreadable(table_of(PREFIX, topic), topic, payload, str(error))


class Settled:
    """Stands where the feed does: what is settled, in order."""

    def __init__(self) -> None:
        self.messages: list[Message | Unreadable] = []

    def settle(self, message: Message | Unreadable) -> None:
        self.messages.append(message)


async def take(store: Store, *messages: Message | Unreadable) -> Intake:
    """One round of an intake of its own. Raises what would end the archive."""
    intake, settled = Intake(store, PREFIX), Settled()
    intake.feed = settled  # type: ignore[assignment]
    for message in messages:
        intake.take(message)
    running = asyncio.create_task(intake.run())
    async with asyncio.timeout(ENOUGH):
        while len(settled.messages) < len(messages) and not running.done():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    if running.done():
        running.result()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert settled.messages == list(messages)
    return intake


def altered(message: Message, **fields: Any) -> Message | Unreadable:
    envelope = json.loads(message.payload) | fields
    return heard(f"{PREFIX}/{message.table}/{message.subtopic}", json.dumps(envelope).encode())


def raw(old: bytes, new: bytes) -> Message | Unreadable:
    message = closed(5, 5, 5)
    assert old in message.payload
    return heard(f"{PREFIX}/{BAD}/round", message.payload.replace(old, new))


def clock(offset: int) -> Message:
    return event("system", "system", {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": offset}}, 5, 5)


def health(delivered: int) -> Message:
    return event("health", "health", {"delivered": delivered}, 5, None)


ASIDE = {
    "sequence": lambda: altered(closed(5, 5, 5), sequence=2**63),
    "sequence, negative": lambda: altered(closed(5, 5, 5), sequence=-1),
    "sequence in letters": lambda: altered(closed(5, 5, 5), sequence="five"),
    "sequence as a large string": lambda: altered(closed(5, 5, 5), sequence=str(2**63)),
    "sequence of 5,000 digits": lambda: altered(closed(5, 5, 5), sequence="9" * 5_000),
    "sequence with a line break": lambda: altered(closed(5, 5, 5), sequence="5\n"),
    "monotonic": lambda: altered(closed(5, 5, 5), monotonic=str(2**63)),
    "monotonic, negative": lambda: altered(closed(5, 5, 5), monotonic=str(-(2**63) - 1)),
    "monotonic as a number": lambda: altered(closed(5, 5, 5), monotonic=5 * 10**9),
    "monotonic of 5,000 digits": lambda: altered(closed(5, 5, 5), monotonic="9" * 5_000),
    "monotonic with a blank": lambda: altered(closed(5, 5, 5), monotonic=" 5"),
    "monotonic and another monotonicns": lambda: altered(closed(5, 5, 5), monotonicns=1),
    "old monotonicns": lambda: altered(closed(5, 5, 5), monotonic=None, monotonicns=2**63),
    "old monotonicns, negative": lambda: altered(closed(5, 5, 5), monotonic=None, monotonicns=-(2**63) - 1),
    "clock": lambda: clock(2**63),
    "clock that fits, but not with what it is added to": lambda: clock(2**63 - 1),
    "delivered": lambda: health(2**63),
    "delivered, no number": lambda: event("health", "health", {"delivered": "all"}, 5, None),
    "year 1": lambda: altered(closed(5, 5, 5), time="0001-01-01T00:00:00Z"),
    "year 9999": lambda: altered(closed(5, 5, 5), time="9999-12-31T23:59:59Z"),
    "no time": lambda: altered(closed(5, 5, 5), time="yesterday"),
    "id with NUL": lambda: altered(closed(5, 5, 5), id="a\x00"),
    "long id": lambda: altered(closed(5, 5, 5), id="é" * 301),
    "long boot": lambda: altered(closed(5, 5, 5), bootid="é" * 3000),
    "long kind": lambda: altered(closed(5, 5, 5), type=f"pitwatch.{'k' * 3000}.v1"),
    "deep": lambda: raw(b'"void": null', b'"void": null, "x": ' + b"[" * 5_000 + b"]" * 5_000),
    "deep, elsewhere": lambda: raw(b'"data":', b'"x": ' + b"[" * 50_000 + b"]" * 50_000 + b', "data":'),
    "beyond a float": lambda: raw(b'"void": null', b'"void": null, "x": 1e400'),
    "beyond a float, elsewhere": lambda: raw(b'"data":', b'"x": 1e400, "data":'),
    "bad UTF-8": lambda: raw(b'"void": null', b'"void": null, "x": "\xff"'),
    "bad UTF-8, elsewhere": lambda: raw(b'"data":', b'"x": "\xff", "data":'),
    "data of an observation": lambda: event(
        "observation", "observation/m", {"t": 1, "device": "m", "event": "jackpot", "data": "x"}, 5, 5
    ),
    "no JSON": lambda: heard(f"{PREFIX}/{BAD}/round", b"\x00\xff"),
}


@pytest.mark.parametrize("kind", ASIDE)
async def test_what_cannot_be_stored_is_put_aside(store: Store, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    bad = ASIDE[kind]()
    other = [closed(n, n, n, GOOD) for n in (1, 2, 3)]
    intake = await take(store, other[0], bad, other[1], bad, other[2])
    assert (intake.stored, intake.put_aside) == (3, 1)
    (kept,) = await store.ask("SELECT * FROM put_aside")
    assert bytes(kept["message"]) == bad.payload
    assert (kept["topic"], kept["site"], kept["table_id"]) == (
        bad.topic if isinstance(bad, Unreadable) else f"{PREFIX}/{BAD}/{bad.subtopic}", "toledo", "RL-07",
    )  # fmt: skip
    assert kept["reason"].isprintable()
    assert len(caplog.messages) == 1
    (row,) = await questions.missing(store, Asked())
    assert (row["site"], row["table_id"], row["first"], row["last"]) == ("toledo", "RL-07", None, None)
    assert row["reason"].startswith("put aside, ")
    assert await questions.missing(store, Asked(table=GOOD)) == []
    assert (await take(store, bad)).put_aside == 0  # it is there once, however often it comes


@pytest.mark.parametrize("key", ["hand:0\x00", "hand:" + "k" * 3_900, "hand:\ud83c\udccf" * 1_000, "hand:a\nb"])
async def test_an_odd_name_is_stored_escaped_and_cut(store: Store, key: str) -> None:
    """The message itself is kept to the byte."""
    message = seen("panel", "key_pressed", 5, 5, key=key)
    assert (await take(store, message, closed(1, 1, 1, GOOD))).put_aside == 0
    (row,) = await store.ask("SELECT name, payload FROM events WHERE kind = 'observation'")
    assert row["name"].isprintable()
    assert row["name"].startswith("key_pressed:hand:")
    assert len(row["name"]) < 410
    assert row["payload"].encode() == message.payload
    assert await questions.missing(store, Asked()) == []


async def test_a_flood_of_them_is_one_line_a_table_and_kind(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    bad = [altered(closed(n, n, n), sequence=2**63 + n) for n in range(50)]
    bad += [heard(f"{PREFIX}/{BAD}/round", b"%d" % n) for n in range(50)]
    assert (await take(store, *bad)).put_aside == 100
    assert len(caplog.messages) == 2
    rows = await questions.missing(store, Asked())
    assert [row["reason"].split(", the last")[0] for row in rows] == [
        "put aside, impossible: 50", "put aside, unreadable: 50",
    ]  # fmt: skip


async def test_what_only_the_database_refuses_is_found_among_many(store: Store) -> None:
    """Nobody can foresee what every database refuses."""
    if hasattr(store, "_path"):
        await store.change(
            "CREATE TRIGGER never BEFORE INSERT ON event_rows WHEN instr(new.body, 'refuse me') > 0"
            " BEGIN SELECT RAISE(ABORT, 'never'); END"
        )
    else:
        await store.change("ALTER TABLE event_rows ADD CHECK (position('refuse me' IN body) = 0)")
    many = [closed(n, n, n, void="refuse me" if n in (100, 333) else None) for n in range(1, 601)]
    intake = await take(store, *many)
    assert (intake.stored, intake.put_aside) == (598, 2)
    kept = await store.ask("SELECT trouble FROM put_aside")
    assert [row["trouble"] for row in kept] == ["refused", "refused"]


@pytest.mark.parametrize("together", [True, False])
async def test_another_record_under_a_known_id_is_kept_beside_it_and_critical(
    store: Store, together: bool, caplog: pytest.LogCaptureFixture
) -> None:
    first = seen("shoe", "card_drawn", 5, 5, card="TD", to="seat-3")
    forged = heard(f"{PREFIX}/{BAD}/observation/shoe", first.payload.replace(b"TD", b"2C"))
    if together:
        await take(store, first, forged)
    else:
        await take(store, first)
        await take(store, forged)
    (stored,) = await store.ask("SELECT payload FROM events")
    assert stored["payload"].encode() == first.payload
    (kept,) = await store.ask("SELECT trouble, message FROM put_aside")
    assert (kept["trouble"], bytes(kept["message"])) == ("conflict", forged.payload)
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]
    (row,) = await questions.missing(store, Asked())
    assert "is known with other content: data" in row["reason"]


async def test_a_record_told_again_is_no_conflict(store: Store) -> None:
    """To the byte, with its card withheld, in another order; a state of a process begins its ids anew."""
    first = seen("shoe", "card_drawn", 5, 5, card="TD", to="seat-3")
    data = json.loads(withhold("observation", json.dumps(json.loads(first.payload)["data"]).encode()))
    orderly = heard(f"{PREFIX}/{BAD}/x", json.dumps(json.loads(first.payload), sort_keys=True).encode())
    ready, lost = (altered(event("status", "status", {"state": s}, 1, None), id="RL-07/b1/status-1") for s in "ab")
    told = [first, altered(first, data=data), orderly, ready, lost]
    for messages in (told, told):
        await take(store, *messages)
    assert await questions.missing(store, Asked()) == []


async def test_a_database_that_is_away_puts_nothing_aside(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreError):
        await take(store, closed(1, 1, 1))
    await store.open()
    assert await store.ask("SELECT * FROM put_aside") == []


async def test_questions_answer_whatever_an_older_pitwatch_stored(store: Store) -> None:
    jackpot = seen("meter", "jackpot", 5, 5, seat="seat-1", hand="royal-flush")
    await take(store, jackpot)
    for payload in ('{"data":{"data":"x"}}', '{"data":[]}', '{"data":{},"x":1e400}', "{}"):
        await store.change("UPDATE event_rows SET form = 0, body = :payload", payload=payload)
        (row,) = await questions.jackpots(store, Asked())
        assert row["seat"] is None
        assert len(await questions.around(store, datetime.fromisoformat(row["at"]))) == 1


TEXT = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    [
        "",
        "\x00",
        "é" * 5_000,
        "\U0001f0cf" * 5_000,
        "key_pressed",
        "lost",
        "clock_set",
        "2027-01-15T08:00:00Z",
        "%s",
        ":a",
    ]
)
NUMBERS = st.integers() | st.sampled_from(
    [sign * (2**bits + more) for sign in (1, -1) for bits in (31, 53, 62, 63, 64, 70) for more in (-1, 0, 1)]
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
DATA: dict[str, dict[str, Any]] = {
    "round": {"round": 1, "game": "g", "partial": False, "void": None},
    "irregularity": {"rule": "b/g/r", "severity": "warning", "round": 1},
    "observation": {"t": 1.0, "device": "panel", "event": "key_pressed", "data": {"key": "no_spin"}},
    "system": {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": 10**18}},
    "status": {"state": "lost"},
    "health": {"delivered": 5},
    "device": {"device": "wheel", "state": "offline"},
    "alert": {"key": "wheel-offline", "raised": True},
    "checkpoint": {},
}
"""What a table would send, by kind."""
IN_DATA = sorted({field for data in DATA.values() for field in data} | {"further"})
IN_ENVELOPE = ("id", "type", "bootid", "sequence", "time", "monotonic", "monotonicns", "clocksynced", "data", "further")


CLOCKS = st.integers(0, 10**12) | st.integers(0, 10**12).map(str)
LIVED = st.datetimes(datetime(1970, 1, 1), datetime(2040, 1, 1))


def mostly(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The odd one in one of eight."""
    return st.integers(0, 7).flatmap(lambda n: odd if n == 7 else usual)


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    """What a table would send, with some of its values replaced by others; now and then bytes in between, or only
    bytes."""
    kind = draw(st.sampled_from(sorted(DATA)))
    data = DATA[kind] | draw(mostly(st.just({}), st.dictionaries(st.sampled_from(IN_DATA), VALUES, max_size=2)))
    if kind == "observation" and draw(st.booleans()):
        data |= {"event": draw(st.sampled_from(["jackpot", "meter_unlocked"]))}
    if kind == "observation" and draw(st.booleans()):
        data["data"] = {"key": draw(VALUES), "seat": draw(VALUES)}
    if kind == "system" and draw(st.booleans()):
        data["detail"] = {"wall_minus_monotonic_ns": draw(NUMBERS)}
    told: dict[str, Any] = {
        "id": f"RL-07/b1/{draw(st.integers(1, 10**6))}",
        "source": f"/{BAD}",
        "type": f"pitwatch.{kind}.v1",
        "bootid": draw(st.sampled_from(["b1", "b2"])),
        "time": draw(mostly(st.datetimes(datetime(1970, 1, 1), datetime(2040, 1, 1)), st.datetimes())).isoformat()
        + "Z",
        "clocksynced": draw(st.booleans()),
        draw(st.sampled_from(["monotonic", "monotonicns"])): draw(mostly(CLOCKS, NUMBERS)),
        "sequence": draw(mostly(st.integers(1, 100), NUMBERS | NUMBERS.map(str))),
        "data": data,
    }
    told |= draw(mostly(st.just({}), st.dictionaries(st.sampled_from(IN_ENVELOPE), VALUES, max_size=1)))
    payload = json.dumps(told).encode()
    between = draw(st.sampled_from([b""] * 12 + [b"\xff", b"1e400", b"[" * 2_000, b"\x00"]))
    at = draw(st.integers(0, len(payload))) if between else 0
    return payload[:at] + between + payload[at:]


TOPICS = (st.sampled_from(["round", "observation/panel", "health"]) | TEXT).map(lambda text: f"{PREFIX}/{BAD}/{text}")
BATCHES = st.lists(st.tuples(TOPICS, mostly(payloads(), st.binary(max_size=60))), min_size=4, max_size=8)


async def test_nothing_that_a_client_can_send_stops_the_archive(database: str) -> None:
    """Whatever it is, another table's record is stored in the same round, each message is settled, and every question
    has an answer."""
    store = store_at(database)
    await store.open()
    loop = asyncio.get_running_loop()
    rounds = 0

    async def one(batch: list[tuple[str, bytes]]) -> None:
        nonlocal rounds
        rounds += 1
        odd = [heard(topic, payload) for topic, payload in batch]
        mine = closed(rounds, rounds, rounds, GOOD)
        intake = await take(store, *odd, mine, *odd)
        found = await store.ask("SELECT payload FROM events WHERE id = :id", id=f"BJ-01/b1/{rounds}")
        assert [row["payload"].encode() for row in found] == [mine.payload]
        unreadable = {(m.topic, m.payload) for m in odd if isinstance(m, Unreadable)}
        kept = await store.ask("SELECT message FROM put_aside")
        assert {payload for _, payload in unreadable} <= {bytes(row["message"]) for row in kept}
        assert intake.put_aside <= len(odd)
        when = datetime(2027, 1, 15, 8, 0, rounds % 60, tzinfo=UTC)
        asked = Asked()
        await questions.around(store, when, 10.0**9)
        for question in (
            questions.rounds, questions.irregularities, questions.downtime, questions.jackpots, questions.missing,
        ):  # fmt: skip
            await question(store, asked)
        assert await gaps.gaps(store) is not None
        await store.change(gaps.WHOLE)

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(BATCHES)
    def whatever(batch: list[tuple[str, bytes]]) -> None:
        asyncio.run_coroutine_threadsafe(one(batch), loop).result(ENOUGH * 5)

    await asyncio.to_thread(whatever)
    await store.close()
