"""What counts as missing: where a table's records begin for an archive, and what is said of a table that tells none
again."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path

import aiomqtt
import pytest

from pitwatch.daemon.contract.asked import Verb
from pitwatch.floor import asking
from pitwatch.floor.archive import gaps, questions
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import RefusedError, Store
from pitwatch.floor.message import Message
from tests.e2e.mosquitto import Mosquitto
from tests.floor.archive.stream import closed, device, event
from tests.floor.archive.test_archiver import archiving, until
from tests.floor.one_table import Table


async def put(store: Store, *messages: Message) -> None:
    rows = [row for each in messages if (row := row_of(each, datetime.now(UTC))) is not None]
    await store.put(rows, [])


async def found(store: Store) -> list[tuple[int, int]]:
    return [(gap.first, gap.last) for gap in await gaps.gaps(store)]


RETAINED = (
    event("integrity", "integrity", {"changes": []}, 1, 2),
    device("wheel", "online", 2, 4),
    event("alert", "alert/wheel-offline", {"key": "wheel-offline", "raised": True}, 2, 5),
    event("retention", "retention", {"first": 1}, 2, 6),
    device("panel", "online", 3, 8),
)


async def test_what_was_retained_before_an_archive_began_is_no_gap(store: Store) -> None:
    await put(store, *RETAINED)
    assert await found(store) == []
    await put(store, closed(1, 10, 11), closed(2, 20, 12))
    assert await found(store) == []
    await store.change(gaps.WHOLE)
    assert await store.ask("SELECT up_to FROM whole") == [{"up_to": 12}]
    await put(store, closed(4, 40, 14))
    assert await found(store) == [(13, 13)]
    await put(store, device("wheel", "offline", 50, 17))  # news, since it is after the beginning
    await store.change(gaps.WHOLE)
    assert await found(store) == [(13, 13), (15, 16)]


async def test_an_archive_that_had_begun_with_what_was_retained_is_put_right(store: Store) -> None:
    await put(store, *RETAINED, closed(1, 10, 11), closed(2, 20, 12), closed(4, 40, 14))
    await store.change("INSERT INTO whole VALUES ('toledo', 'RL-07', 2)")
    assert await found(store) == [(13, 13)]
    await store.change(gaps.WHOLE)
    assert await store.ask("SELECT up_to FROM whole") == [{"up_to": 12}]


@pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")
@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([], "no answer: the table is away or allows no replay"),
        (["acknowledge"], "not asked: the table allows no replay"),
    ],
)
async def test_a_table_that_allows_no_replay(
    broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[Verb], why: str
) -> None:
    monkeypatch.setattr(gaps, "LOOK_EVERY", 0.1)
    monkeypatch.setattr(asking, "ANSWERED_WITHIN", 0.5)
    table, store = Table(tmp_path, broker, requests=answers), store_at(f"sqlite:{tmp_path / 'floor.db'}")
    reading = store_at(f"sqlite:{tmp_path / 'floor.db'}")
    await table.daemon.start()
    try:
        table.play(2)
        await until(table.delivered, "not delivered")
        async with archiving(broker, store):  # for the first time: it has what is retained of a running table
            table.play(1)
            await until(table.delivered, "not delivered")
            await reading.open()

            async def stored() -> bool:
                (highest,) = await reading.ask("SELECT max(sequence) AS last FROM events")
                return bool(highest["last"] == table.daemon.journal.last)

            await until(stored, "not stored")
            await asyncio.sleep(0.5)
            (retained,) = await reading.ask("SELECT min(sequence) AS first FROM events WHERE kind = 'device'")
            (live,) = await reading.ask("SELECT min(sequence) AS first FROM events WHERE kind = 'observation'")
            assert retained["first"] < live["first"] - 1
            assert await questions.missing(reading, Asked()) == []
            (asked,) = await reading.ask("SELECT count(*) AS times FROM unanswered")
            assert asked["times"] == 0
        async with aiomqtt.Client("127.0.0.1", broker.port, identifier="archive", clean_session=True):
            pass
        table.play(1)
        await until(table.delivered, "not delivered")
        async with archiving(broker, store):
            table.play(1)

            async def told() -> bool:
                return [row["reason"] for row in await questions.missing(reading, Asked())] == [why]

            await until(told, "no reason is given")
    finally:
        with contextlib.suppress(Exception):
            await reading.close()
        await table.daemon.stop()


async def test_numbers_that_the_database_refuses_end_no_search_for_gaps(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As an archive of an older Pitwatch may hold them; what is stored meanwhile does not wait."""
    monkeypatch.setattr(gaps, "LOOK_EVERY", 0.01)
    filler = gaps.Gapfiller(store, asking.Asker(None, "one"), "one")  # type: ignore[arg-type]
    refused, look = 0, filler.look

    async def counted() -> None:
        nonlocal refused
        try:
            await look()
            await store.change("INSERT INTO leases VALUES (:name, NULL, 0)", name="x")
        except RefusedError:
            refused += 1
            raise

    monkeypatch.setattr(filler, "look", counted)
    running = asyncio.create_task(filler.run())
    await until(lambda: refused >= 3 or running.done(), "not looked for again")
    assert not running.done()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert len([line for line in caplog.messages if line.startswith("gaps cannot")]) == 1
