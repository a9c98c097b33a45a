"""The record of cases, on both databases: states, conflicts between people, corrections, and who appends at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases import CaseStore, Change, ConflictError, Identity, RefusedChangeError
from pitwatch.floor.cases.change import START, link
from pitwatch.floor.cases.identity import ARCHIVE
from tests.floor.cases.made import ALICE, BOB, RAISED, opened, opening


async def test_a_case_goes_from_new_to_closed_and_says_who_did_it(store: Store) -> None:
    cases = CaseStore(store)
    number = await opened(cases)
    (new,) = await cases.open_cases()
    assert (new.case, new.state, new.table, new.events) == (number, "new", "toledo/RL-07", (RAISED,))
    await cases.append(Change(kind="see", case=number), BOB)
    await cases.append(Change(kind="take", case=number, seen=new.newest + 1), ALICE)
    await cases.append(Change(kind="note", case=number, text="Wheel examined:\nnothing found"), ALICE)
    held = await cases.case(number)
    assert held is not None
    assert (held.state, held.holder, held.seen_by) == ("in hand", ALICE, (BOB,))
    done = await cases.append(
        Change(kind="close", case=number, seen=held.newest, disposition="remedied", text="dealer relieved"), ALICE
    )
    closed = await cases.case(number)
    assert closed is not None
    assert (closed.state, closed.disposition, closed.closed_by, closed.newest) == (
        "closed", "remedied", ALICE, done.number,
    )  # fmt: skip
    assert [each.text for each in closed.remarks] == ["Wheel examined:\nnothing found", "dealer relieved"]
    assert await cases.open_cases() == []
    assert [each.kind for each in await cases.changes_since(2)] == ["take", "note", "close"]
    await cases.append(Change(kind="reopen", case=number, seen=done.number, text="second report"), BOB)
    (again,) = await cases.open_cases()
    assert (again.state, again.holder, again.disposition) == ("seen", None, "")


async def test_who_closes_what_another_took_meanwhile_is_refused_with_his_name(store: Store) -> None:
    cases = CaseStore(store)
    number = await opened(cases)
    looked = (await cases.changes_since(0))[-1].number
    await cases.append(Change(kind="take", case=number, seen=looked), BOB)
    with pytest.raises(ConflictError, match=r"case 1 changed after you looked at it: bob took it in hand at .*look at"):
        await cases.append(Change(kind="close", case=number, seen=looked, disposition="remedied"), ALICE)
    with pytest.raises(ConflictError, match="bob took it in hand"):
        await cases.append(Change(kind="take", case=number, seen=looked), ALICE)
    with pytest.raises(RefusedChangeError, match=r"case 1 is in hand of bob since .*; take it first"):
        await cases.append(Change(kind="close", case=number, seen=looked + 1, disposition="remedied"), ALICE)
    await cases.append(Change(kind="note", case=number, seen=looked, text="notes stand in nobody's way"), ALICE)
    with pytest.raises(ConflictError, match="alice added a note"):
        await cases.append(Change(kind="close", case=number, seen=looked + 1, disposition="remedied"), BOB)
    await cases.append(Change(kind="take", case=number, seen=looked + 2), ALICE)  # from his hand, knowingly
    assert (await cases.open_cases())[0].holder == ALICE


async def test_what_a_table_reports_meanwhile_is_no_conflict(store: Store) -> None:
    cases = CaseStore(store)
    number = await opened(cases, case_kind="alert")
    ended = RAISED.__class__(what="ended", at="2027-01-15T08:05:00.000000Z", sequence=30)
    await cases.append(Change(kind="event", case=number, event=ended), ARCHIVE)
    case = await cases.case(number)
    assert case is not None
    assert (case.state, case.standing) == ("new", "alert ended 2027-01-15T08:05:00.000000Z")
    await cases.append(Change(kind="close", case=number, seen=1, disposition="no fault"), ALICE)


async def test_a_correction_keeps_what_it_corrects(store: Store) -> None:
    cases = CaseStore(store)
    number = await opened(cases)
    note = await cases.append(Change(kind="note", case=number, text="seat 3"), ALICE)
    first = await cases.append(Change(kind="correct", case=number, corrects=note.number, text="seat 4"), BOB)
    await cases.append(Change(kind="correct", case=number, corrects=first.number, text="seat 5"), ALICE)
    (case,) = await cases.open_cases()
    (remark,) = case.remarks
    assert (remark.text, remark.current) == ("seat 3", "seat 5")
    assert [(each.by, each.text) for each in remark.corrections] == [(BOB, "seat 4"), (ALICE, "seat 5")]
    with pytest.raises(RefusedChangeError, match="corrects entry 1, which is no remark of case 1"):
        await cases.append(Change(kind="correct", case=number, corrects=1, text="nothing"), ALICE)


async def test_a_jackpot_is_not_closed_while_an_item_is_open(store: Store) -> None:
    cases = CaseStore(store)
    number = await opened(cases, case_kind="jackpot", checklist=("hand verified", "meter unlocked"))
    tick = await cases.append(Change(kind="tick", case=number, item="hand verified", text="by camera 4"), ALICE)
    with pytest.raises(RefusedChangeError, match='no item "paid"; its checklist: hand verified; meter unlocked'):
        await cases.append(Change(kind="tick", case=number, item="paid"), ALICE)
    with pytest.raises(RefusedChangeError, match=r'"hand verified" of case 1 was ticked .* by alice'):
        await cases.append(Change(kind="tick", case=number, item="hand verified"), BOB)
    await cases.append(Change(kind="tick", case=number, item="meter unlocked"), BOB)
    await cases.append(Change(kind="correct", case=number, corrects=tick.number, text="another hand"), ALICE)
    with pytest.raises(RefusedChangeError, match="case 1 has open items: hand verified"):
        await cases.append(Change(kind="close", case=number, seen=9, disposition="paid"), ALICE)
    await cases.append(Change(kind="tick", case=number, item="hand verified"), ALICE)
    closed = await cases.append(Change(kind="close", case=number, seen=9, disposition="paid"), ALICE)
    assert closed.number == 6
    assert await cases.open_cases() == []


async def test_a_link_is_seen_from_both_cases(store: Store) -> None:
    cases = CaseStore(store)
    one, two = await opened(cases), await opened(cases)
    await cases.append(Change(kind="link", case=two, other=one), ALICE)
    assert [(case.case, case.links) for case in await cases.open_cases()] == [(one, (two,)), (two, (one,))]
    for change, why in (
        (Change(kind="link", case=one, other=two), "linked to case 2 already"),
        (Change(kind="link", case=one, other=one), "or is the same"),
        (Change(kind="link", case=one, other=77), "there is no case 77"),
        (Change(kind="note", case=77, text="x"), "there is no case 77"),
    ):
        with pytest.raises(RefusedChangeError, match=why):
            await cases.append(change, ALICE)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"kind": "note", "text": " "}, "note needs text"),
        ({"kind": "note", "text": "x" * 2_001}, "text has 2001 characters, and 2000 are accepted"),
        ({"kind": "note", "text": "bell \x07"}, "cannot be printed"),
        ({"kind": "note", "text": "turned \N{RIGHT-TO-LEFT OVERRIDE}"}, "cannot be printed"),
        ({"kind": "close"}, "close needs disposition"),
        ({"kind": "tick", "item": "a\nb"}, "item has a character"),
    ],
)
async def test_what_no_entry_can_be_is_refused(store: Store, fields: dict[str, Any], why: str) -> None:
    cases = CaseStore(store)
    number = await opened(cases)
    with pytest.raises(RefusedChangeError, match=why):
        await cases.append(Change(case=number, **fields), ALICE)


@pytest.mark.parametrize("name", ["", " eye", "a\nb", "x" * 129, "\x1b[2J"])
def test_no_identity_has_a_name_that_misleads(name: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        Identity(name, "account")


async def test_a_person_opens_no_case_in_the_place_of_the_archive(store: Store) -> None:
    cases = CaseStore(store)
    with pytest.raises(RefusedChangeError, match="a person opens a report"):
        await cases.append(opening(), ALICE)
    report = await cases.append(opening(case_kind="report"), ALICE)
    for change in (
        Change(kind="note", case=report.case, text="so that no case is opened", source="toledo/RL-07 RL-07/b1/11"),
        Change(kind="event", case=report.case, event=RAISED),
        Change(kind="escalate", case=report.case, item="pit"),
    ):
        with pytest.raises(RefusedChangeError, match="only the archive enters"):
            await cases.append(change, ALICE)


async def test_one_cause_opens_one_case(store: Store) -> None:
    cases = CaseStore(store)
    first = await cases.append(opening("toledo/RL-07 RL-07/b1/11"), ARCHIVE)
    again = await cases.append(opening("toledo/RL-07 RL-07/b1/11"), ARCHIVE)
    assert again == first
    assert len(await cases.open_cases()) == 1


async def test_clients_that_append_at_once_make_one_chain(database: str) -> None:
    stores = [store_at(database) for _ in range(4)]
    for each in stores:
        await each.open()
    try:
        cases = [CaseStore(each) for each in stores]
        number = await opened(cases[0])

        async def work(at: int) -> None:
            for turn in range(10):
                await cases[at].append(Change(kind="note", case=number, text=f"{at} {turn}"), ALICE)
                await cases[at].append(opening(f"cause {turn}"), ARCHIVE)

        await asyncio.gather(*(work(at) for at in range(4)))
        rows = await stores[0].ask("SELECT number, body, hash FROM case_changes ORDER BY number")
        assert [row["number"] for row in rows] == list(range(1, 52))
        before = START
        for row in rows:
            before = link(before, row["body"])
            assert before.hex() == row["hash"]
        there = await cases[1].open_cases()
        assert [case.case for case in there] == list(range(1, 12))
        assert sorted(each.text for each in there[0].remarks) == sorted(f"{a} {b}" for a in range(4) for b in range(10))
    finally:
        for each in stores:
            await each.close()


async def test_only_one_of_two_takes_a_case_that_both_saw_as_new(database: str) -> None:
    stores = [store_at(database) for _ in range(2)]
    for each in stores:
        await each.open()
    try:
        cases = [CaseStore(each) for each in stores]
        for _ in range(10):
            number = await opened(cases[0])
            newest = await cases[0].newest()
            take = Change(kind="take", case=number, seen=newest)
            done = await asyncio.gather(
                cases[0].append(take, ALICE), cases[1].append(take, BOB), return_exceptions=True
            )
            assert sorted(type(each).__name__ for each in done) == ["Change", "ConflictError"]
    finally:
        for each in stores:
            await each.close()


async def test_what_is_undone_takes_nothing_of_others_with_it(store: Store) -> None:
    """A store has one connection, and the archive's tasks share it."""
    put = "INSERT INTO whole VALUES ('s', 't', :at)"

    async def undone() -> bool:
        values = {"at": 1}
        nothing = ("UPDATE whole SET up_to = 9 WHERE site = 'nowhere'", {})
        return await store.change_all([(put, values), nothing])

    for at in range(20):
        of_this = put.replace("'t'", f"'t{at}'")
        done, changed = await asyncio.gather(undone(), store.change(of_this, at=at))
        assert (done, changed) == (False, 1)
    assert len(await store.ask("SELECT * FROM whole")) == 20
