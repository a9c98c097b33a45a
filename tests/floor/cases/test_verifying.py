"""Whoever changes the cases in the database is found out: entries altered, removed, reordered, hidden, signed anew."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pitwatch.daemon.journal.signing import Signer
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases import CaseStore, Change
from pitwatch.floor.cases.change import START, link
from pitwatch.floor.cases.heads import HeadSigner, RewrittenError, memory_of, remembered
from pitwatch.floor.cases.identity import ARCHIVE
from pitwatch.floor.cases.verifying import Verified, verify
from tests.floor.cases.made import ALICE, BOB, opened, opening

NAME = "house.example/cases"


async def record(store: Store, key: Path) -> str:
    """Two cases and eight entries, signed twice; the public key."""
    cases, signer = CaseStore(store), HeadSigner(store, NAME, key)
    number = await opened(cases)
    for text in ("seat 3", "seat 4"):
        await cases.append(Change(kind="note", case=number, text=text), ALICE)
    assert await signer.sign()
    await cases.append(Change(kind="take", case=number, seen=3), BOB)
    await cases.append(Change(kind="close", case=number, seen=4, disposition="remedied"), BOB)
    other = await opened(cases, source="cause")
    await cases.append(Change(kind="link", case=other, other=number), BOB)
    await cases.append(Change(kind="see", case=other), ALICE)
    assert await signer.sign()
    assert not await signer.sign()
    public = Signer(key).public
    assert public is not None
    return public


async def found(store: Store, key: Path) -> Verified:
    public = Signer(key).public
    head = remembered(memory_of(key))
    assert head is not None
    return await verify(store, [public] if public else [], [head])


async def test_a_record_that_nobody_changed_is_right(store: Store, tmp_path: Path) -> None:
    key = tmp_path / "cases.key"
    public = await record(store, key)
    right = await found(store, key)
    assert (right.faults, right.entries, right.cases, right.heads) == ([], 8, 2, 3)
    assert (right.signed_up_to, right.key) == (8, public)
    await CaseStore(store).append(Change(kind="note", case=2, text="not signed yet"), ALICE)
    later = await found(store, key)
    assert (later.faults, later.entries, later.signed_up_to) == ([], 9, 8)


async def chained(store: Store, bodies: list[str]) -> None:
    """All entries anew, as somebody would write them who knows how."""
    await store.change("DELETE FROM case_changes")
    before = START
    for number, body in enumerate(bodies, 1):
        before = link(before, body)
        told = json.loads(body)
        await store.change(
            "INSERT INTO case_changes VALUES (:number, :case_id, :at, :other, :source, :body, :hash)",
            number=number,
            case_id=told["case"],
            at=told["at"],
            other=told.get("other"),
            source=told.get("source"),
            body=body,
            hash=before.hex(),
        )


async def bodies(store: Store) -> list[str]:
    return [row["body"] for row in await store.ask("SELECT body FROM case_changes ORDER BY number")]


async def altered(store: Store) -> None:
    await store.change("UPDATE case_changes SET body = replace(body, 'seat 3', 'seat 5') WHERE number = 2")


async def altered_and_chained_anew(store: Store) -> None:
    await chained(store, [body.replace("seat 3", "seat 5") for body in await bodies(store)])


async def removed(store: Store) -> None:
    await store.change("DELETE FROM case_changes WHERE number = 3")


async def removed_and_numbered_anew(store: Store) -> None:
    there = await bodies(store)
    del there[2]
    told = [json.loads(body) | {"number": number} for number, body in enumerate(there, 1)]
    await chained(store, [json.dumps(each, separators=(",", ":")) for each in told])


async def reordered(store: Store) -> None:
    there = await bodies(store)
    there[1], there[2] = there[2], there[1]
    told = [json.loads(body) | {"number": number} for number, body in enumerate(there, 1)]
    await chained(store, [json.dumps(each, separators=(",", ":")) for each in told])


async def end_cut_off(store: Store) -> None:
    await store.change("DELETE FROM case_changes WHERE number > 5")
    await store.change("DELETE FROM cases WHERE case_id = 2")


async def end_cut_off_with_the_heads(store: Store) -> None:
    await end_cut_off(store)
    await store.change("DELETE FROM case_heads WHERE size > 5")


async def everything_removed(store: Store) -> None:
    for table in ("case_changes", "cases", "case_heads"):
        await store.change(f"DELETE FROM {table}")


async def hidden(store: Store) -> None:
    await store.change("UPDATE cases SET state = 'closed' WHERE case_id = 2")


async def not_listed(store: Store) -> None:
    await store.change("DELETE FROM cases WHERE case_id = 2")


async def found_elsewhere(store: Store) -> None:
    await store.change("UPDATE case_changes SET case_id = 1 WHERE number = 8")


async def moved_to_another_day(store: Store) -> None:
    await store.change("UPDATE case_changes SET at = '2027-01-15T08:00:00.000000Z' WHERE number = 8")


async def cause_taken_away(store: Store) -> None:
    """So that the archive would open the case once more."""
    await store.change("UPDATE case_changes SET source = NULL WHERE number = 6")


async def invented(store: Store) -> None:
    await store.change("INSERT INTO cases VALUES (3, 'toledo', 'RL-07', '', 'new', 8)")


CHANGES = [
    altered, altered_and_chained_anew, removed, removed_and_numbered_anew, reordered, end_cut_off,
    end_cut_off_with_the_heads, everything_removed, hidden, not_listed, found_elsewhere, moved_to_another_day,
    cause_taken_away, invented,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
async def test_whoever_changes_the_database_is_found_out(
    sqlite: Store, tmp_path: Path, change: Callable[[Store], Awaitable[None]]
) -> None:
    key = tmp_path / "cases.key"
    await record(sqlite, key)
    await change(sqlite)
    assert (await found(sqlite, key)).faults


async def test_a_head_of_another_key_is_none(sqlite: Store, tmp_path: Path) -> None:
    key, other = tmp_path / "cases.key", tmp_path / "other.key"
    await record(sqlite, key)
    await altered_and_chained_anew(sqlite)
    await sqlite.change("DELETE FROM case_heads")
    assert await HeadSigner(sqlite, NAME, other).sign()
    public = Signer(key).public
    assert public is not None
    (fault,) = (await verify(sqlite, [public])).faults
    assert (fault.what, fault.told.partition(":")[0]) == ("head", "the signed head is not genuine")


@pytest.mark.parametrize(
    "change", [altered_and_chained_anew, removed_and_numbered_anew, end_cut_off_with_the_heads, everything_removed],
    ids=lambda each: each.__name__,
)  # fmt: skip
@pytest.mark.parametrize("running", [True, False], ids=["running", "started anew"])
async def test_what_was_rewritten_is_not_signed(
    sqlite: Store, tmp_path: Path, change: Callable[[Store], Awaitable[None]], running: bool
) -> None:
    key = tmp_path / "cases.key"
    await record(sqlite, key)
    signer = HeadSigner(sqlite, NAME, key)
    if running:
        await signer.sign()
    await change(sqlite)
    await CaseStore(sqlite).append(opening(), ARCHIVE)
    for _ in range(2):
        with pytest.raises(RewrittenError):
            await signer.sign()
    head = remembered(memory_of(key))
    assert head is not None
    assert head.said.size == 8


async def test_a_head_that_was_signed_as_the_machine_went_down_is_stored_later(sqlite: Store, tmp_path: Path) -> None:
    key = tmp_path / "cases.key"
    await record(sqlite, key)
    await sqlite.change("DELETE FROM case_heads")
    assert not await HeadSigner(sqlite, NAME, key).sign()
    assert (await sqlite.ask("SELECT size FROM case_heads")) == [{"size": 8}]
