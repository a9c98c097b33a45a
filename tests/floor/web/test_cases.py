"""Cases on the pages: each entry is in the name of the account, two people at once, closing, the checklist."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.cases import CaseStore
from tests.floor.cases.made import opened
from tests.floor.web.archived import TABLE, archived
from tests.floor.web.house import House


class Place:
    def __init__(self, house: House, cases: CaseStore, number: int):
        self.house, self.cases, self.number = house, cases, number
        self.path = f"/cases/{number}"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    database = f"sqlite:{tmp_path / 'floor.db'}"
    store = store_at(database)
    await store.open()
    house = House(tmp_path, database=database)
    for name, role in (("ann", "surveillance"), ("bob", "manager"), ("eve", "viewer"), ("tom", "technician")):
        house.account(name, role)
    cases = CaseStore(store)
    yield Place(house, cases, await opened(cases, checklist=("count the deck", "lock <the> meter")))
    await store.close()


async def test_an_entry_is_in_the_name_of_the_account_whatever_the_form_says(place: Place) -> None:
    answer = await place.house.browser("ann").post(
        place.path,
        on=place.path,
        act="note",
        text="first\r\nsecond",
        by="bob",
        name="bob",
        kind="certificate",
        seen="1",
    )
    assert answer.headers["location"] == place.path
    entry = (await place.cases.entries(place.number))[-1]
    assert (entry.by.name, entry.by.kind, entry.text) == ("ann", "account", "first\nsecond")
    text = (await place.house.browser("eve").get(place.path)).text
    assert "noted: first<br>second" in text
    assert "Add the note" not in text
    assert "The ball is spun too late" in (await place.house.browser("eve").get("/cases")).text
    assert [each.act for each in place.house.parts.audit.newest(9)] == ["case: note"]


async def test_who_comes_second_is_told_who_was_first(place: Place) -> None:
    ann, bob = place.house.browser("ann"), place.house.browser("bob")
    assert (await ann.post(place.path, on=place.path, act="take", seen="1")).status_code == 303
    late = await bob.post(place.path, on=place.path, act="take", seen="1")
    assert late.status_code == 409
    assert "ann took it in hand" in late.text
    case = await place.cases.case(place.number)
    assert case is not None
    assert str(case.holder) == "ann"
    assert (await bob.post(place.path, on=place.path, act="take", seen=str(case.newest))).status_code == 303


async def test_a_case_is_closed_when_its_checklist_is_done_with_a_disposition_of_the_house(place: Place) -> None:
    ann = place.house.browser("ann")
    for act, fields, status in (
        ("close", {"disposition": "remedied"}, 422),
        ("tick", {"item": "no such item"}, 422),
        ("tick", {"item": "count the deck"}, 303),
        ("tick", {"item": "lock <the> meter"}, 303),
        ("close", {"disposition": "as I like it"}, 422),
        ("close", {"disposition": "remedied", "text": "wheel levelled"}, 303),
        ("take", {}, 422),
        ("reopen", {"text": "it was not"}, 303),
        ("correct", {"corrects": "99", "text": "x"}, 422),
        ("link", {"other": "77"}, 422),
        ("note", {"text": ""}, 422),
        ("open", {"text": "x"}, 400),
        ("escalate", {}, 400),
    ):
        answer = await ann.post(place.path, on=place.path, act=act, seen="99", **fields)
        assert answer.status_code == status, (act, fields, answer.text)
    assert "it was not" in (await ann.get(place.path)).text
    assert (await ann.get("/cases/77")).status_code == 404


async def test_who_may_not_change_cases_changes_none(place: Place) -> None:
    for name, status in (("eve", 200), ("tom", 403)):
        browser = place.house.browser(name)
        assert (await browser.get(place.path)).status_code == status
        assert (await browser.post(place.path, act="note", text="x", seen="1")).status_code == 403
    assert len(await place.cases.entries(place.number)) == 1


async def test_an_irregularity_leads_to_its_case(tmp_path: Path) -> None:
    house, sequence, messages = await archived(tmp_path)
    house.account("ann", "surveillance")
    (event,) = (each.event for each in messages if each.event is not None and each.event.sequence == sequence)
    store = store_at(house.config.archive.database)
    await store.open()
    number = await opened(CaseStore(store), source=f"{TABLE} {event.id}")
    await store.close()
    text = (await house.browser("ann").get(f"/irregularity/{TABLE}/{sequence}")).text
    assert f'<a href="/cases/{number}">Case {number}</a>' in text
