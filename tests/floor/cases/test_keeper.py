"""Beside storing: cases of troubles, and who signs. What cannot be signed stops no archive."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases import CaseStore, Change
from pitwatch.floor.cases.config import CasesSection
from pitwatch.floor.cases.keeper import Keeper
from pitwatch.floor.cases.verifying import verify
from tests.floor.cases.made import ALICE

TROUBLE = """
    INSERT INTO troubles VALUES ('toledo', 'RL-07', 'rolled_back', 's1', '2027-01-15T08:00:00.000000Z',
        'the journal was put back', '{}', '{}', NULL)
"""
OVER = "UPDATE troubles SET over_at = '2027-01-15T09:00:00.000000Z'"


async def test_a_trouble_is_a_critical_case_that_says_when_it_ended(store: Store, tmp_path: Path) -> None:
    section = CasesSection(key=str(tmp_path / "cases.key"))
    keepers = [Keeper(store, section, name) for name in ("one", "two")]
    await store.change(TROUBLE)
    for keeper in keepers:
        await keeper.keep()
    (case,) = await CaseStore(store).open_cases()
    assert (case.kind, case.severity, case.table) == ("trouble", "critical", "toledo/RL-07")
    assert case.title == "rolled back: the journal was put back"
    assert case.standing == ""
    await store.change(OVER)
    for keeper in [*keepers, Keeper(store, section, "three")]:
        await keeper.keep()
    (case,) = await CaseStore(store).open_cases()
    assert (case.newest, case.ended_at) == (2, "2027-01-15T09:00:00.000000Z")
    assert (await verify(store, [])).signed_up_to == 2


async def test_a_trouble_that_stands_again_opens_another_case_if_the_first_was_closed(store: Store) -> None:
    keeper, cases = Keeper(store, CasesSection(), "one"), CaseStore(store)
    await store.change(TROUBLE)
    await keeper.keep()
    await cases.append(Change(kind="close", case=1, seen=1, disposition="board replaced"), ALICE)
    await store.change(OVER)
    await keeper.keep()
    assert await cases.open_cases() == []
    await store.change("UPDATE troubles SET at = '2027-01-16T08:00:00.000000Z', over_at = NULL")
    await keeper.keep()
    assert [case.case for case in await cases.open_cases()] == [2]


async def test_a_key_that_cannot_be_used_is_reported_once_and_stops_nothing(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = tmp_path / "no folder" / "cases.key"
    keeper = Keeper(store, CasesSection(key=str(key)), "one")
    await store.change(TROUBLE)
    for _ in range(3):
        await keeper.keep()
    assert [(each.levelno, "cases.key" in each.message) for each in caplog.records] == [(logging.WARNING, True)]
    key.parent.mkdir()
    await keeper.keep()
    assert (await verify(store, [])).signed_up_to == 1


async def test_a_rewritten_record_is_critical_and_stops_nothing(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = Keeper(store, CasesSection(key=str(tmp_path / "cases.key")), "one")
    await store.change(TROUBLE)
    await keeper.keep()
    await store.change("DELETE FROM case_changes")
    await store.change("DELETE FROM cases")
    for _ in range(3):
        await keeper.keep()
    (line,) = caplog.records
    assert (line.levelno, "rewritten" in line.message) == (logging.CRITICAL, True)
