"""The archive says where a table contradicts what it has published: both databases, instances that come and go."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from pitwatch.floor.archive import questions
from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.store import Store
from pitwatch.floor.archive.troubles import Troubles
from pitwatch.floor.identity.approved import Approved, ForTable
from pitwatch.floor.message import Message
from tests.floor.archive.test_put_aside import Settled
from tests.floor.identity.history import ONE, TABLE, TWO, checkpoint, record, run, started, status

ENOUGH = 60.0
NOTHING = Approved()
NOTHING = Approved()
PAST = [*run("a", 1, 20), *run("b", 21, 40, "a", 20), *run("c", 41, 60, "b", 40), checkpoint("c", 61, 60, "a")]


async def take(store: Store, *messages: Message, approved: Approved = NOTHING, by: Troubles | None = None) -> Troubles:
    """One run of an archive, to where it has judged."""
    troubles = by or Troubles(store, approved)
    intake, settled = Intake(store, "pitwatch/1"), Settled()
    intake.troubles, intake.feed = troubles, settled  # type: ignore[assignment]
    for message in messages:
        intake.take(message)
    running = asyncio.create_task(intake.run())
    async with asyncio.timeout(ENOUGH):
        while len(settled.messages) < len(messages) and not running.done():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    await troubles.judge()
    return troubles


async def standing(store: Store) -> list[str]:
    """Kinds of what stands, as `gaps` says it."""
    rows = await questions.missing(store, Asked(table=TABLE))
    return [row["reason"].split()[1] for row in rows if str(row["reason"]).startswith("CRITICAL, ")]


async def test_a_journal_put_back_stands_in_gaps_until_somebody_has_looked(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await take(store, *PAST)
    assert await questions.missing(store, Asked()) == []
    await take(store, *run("d", 31, 33, "b", 30, 100))
    assert await standing(store) == ["rolled_back"]
    assert [each.levelname for each in caplog.records] == ["CRITICAL"]
    (row,) = await questions.troubles(store, Asked(table=TABLE))
    assert (row["kind"], row["heard"]["boot"], row["said"]["previous_boot"]) == ("rolled_back", "b", "b")
    assert row["heard"]["checkpoint"] == {"sequence": 60, "hash": "a" * 64}
    await store.change("UPDATE troubles SET over_at = at")
    await take(store, *run("d", 31, 40, "b", 30, 100), *run("e", 41, 90, "d", 40, 200))
    assert await standing(store) == []
    assert len(caplog.records) == 1


async def test_an_instance_that_was_killed_before_it_judged_finds_it_when_it_is_back(store: Store) -> None:
    troubles = Troubles(store, Approved())
    await troubles.take(PAST)
    await take(store, *PAST, by=troubles)
    intake = Intake(store, "pitwatch/1")
    intake.feed = Settled()  # type: ignore[assignment]
    for message in run("d", 31, 70, "b", 30, 100):
        intake.take(message)
    intake.troubles = troubles
    await intake._store_some()  # and killed
    assert await standing(store) == []
    await take(store, record("d", 71, 140))
    assert await standing(store) == ["rolled_back"]


async def test_two_instances_that_share_the_records_find_it_together(store: Store) -> None:
    one, two = (Troubles(store, Approved(), shared=True) for _ in range(2))
    for at, message in enumerate(PAST):
        await take(store, message, by=(one, two)[at % 2])
    assert await standing(store) == []
    back = run("d", 31, 36, "b", 30, 100)
    await take(store, *back[::2], by=one)
    await take(store, *back[1::2], by=two)
    await one.judge()
    assert await standing(store) == ["rolled_back"]


async def test_an_archive_of_an_older_pitwatch_knows_its_tables(store: Store) -> None:
    await take(store, *PAST)
    for table in ("runs", "heads", "troubles"):
        await store.change(f"DELETE FROM {table}")  # made empty by the fourth step
    await take(store, record("c", 62, 62))
    assert await questions.missing(store, Asked()) == []
    await take(store, *run("d", 31, 33, "b", 30, 100), checkpoint("d", 34, 33, "b", TWO))
    assert sorted(await standing(store)) == ["other_key", "rolled_back"]


async def test_a_forged_checkpoint_and_a_rewritten_one(store: Store) -> None:
    await take(store, *PAST)
    await take(store, checkpoint("c", 62, 61, "b", signer=TWO))
    assert await standing(store) == ["forged"]
    await take(store, checkpoint("c", 63, 60, "c"))
    assert sorted(await standing(store)) == ["forged", "rewritten"]


async def test_a_new_board_that_the_house_announces(store: Store) -> None:
    new = [status("n", TWO, 100), *run("n", 1, 12, t=100), checkpoint("n", 13, 12, "b", TWO)]
    await take(store, status("a"), *PAST)
    await take(store, *new)
    assert sorted(await standing(store)) == ["began_anew", "other_key"]
    both = Approved(tables={TABLE: ForTable(key=[ONE.public, TWO.public])})
    await take(store, record("n", 14, 114), approved=both)
    assert await standing(store) == []
    assert {row["over_at"] is None for row in await questions.troubles(store, Asked())} == {False}
    await take(store, *PAST, *new, started("m", 15, "n", 14, 200), approved=both)
    assert await standing(store) == []


async def test_a_board_that_was_announced_before_is_none(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    both = Approved(tables={TABLE: ForTable(key=[ONE.public, TWO.public])})
    await take(store, status("a"), *PAST, approved=both)
    new = [*run("n", 1, 12, t=100), status("n", TWO, 100), checkpoint("n", 13, 12, "b", TWO)]
    for message in new:
        await take(store, message, approved=both)
    assert await standing(store) == []
    assert caplog.records == []


async def test_what_the_house_has_not_approved(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwatch.floor.identity.judging.HOLD", 0.0)
    only = Approved(tables={TABLE: ForTable(book="f" * 64)})
    troubles = await take(store, *PAST, status("c", t=50), approved=only)
    assert await standing(store) == ["not_approved"]
    await take(store, status("c", t=51, prints={"book": "f" * 64}), by=troubles)
    assert await standing(store) == []
    await take(store, status("c", t=52), by=troubles)
    assert await standing(store) == ["not_approved"]
