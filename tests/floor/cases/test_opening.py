"""The archive opens a case for each irregularity, alert and jackpot, once, whatever comes again or in another order."""

from __future__ import annotations

from typing import Any

import pytest

from pitwatch.floor.archive.intake import Intake
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases import Case, CaseStore, Change, Identity
from pitwatch.floor.cases.opening import Opening
from pitwatch.floor.message import Message
from tests.floor.archive.stream import closed, event, seen
from tests.floor.cases.made import ALICE

CHECKLIST = ("hand verified", "meter unlocked")


async def take(store: Store, *messages: Message, at_once: bool = True) -> list[Case]:
    """As an archive that starts stores them; the open cases."""
    intake = Intake(store, "pitwatch/1")
    intake.cases = Opening(store, CHECKLIST)
    for message in messages:
        intake.take(message)
        if not at_once:
            await intake._store_some()
    if at_once:
        await intake._store_some()
    return await CaseStore(store).open_cases()


def irregular(sequence: int, t: float = 1, round_: int | None = 1, boot: str = "b1", **more: Any) -> Message:
    data = {
        "says": "The ball is spun too late", "rule": "toledo-2020/roulette/late-spin", "category": "procedure",
        "severity": "alert", "round": round_, "observed": {"ball": "cw"}, "required": {"ball": "ccw"},
    }  # fmt: skip
    return event("irregularity", "irregularity/alert", data | more, t, sequence, boot=boot)


def alert(sequence: int, raised: bool, t: float = 1, key: str = "shuffler-jam", boot: str = "b1") -> Message:
    data = {"key": key, "raised": raised, "condition": "jam", "device": "shuffler", "since": t, "detail": {}}
    return event("alert", f"alert/{key}", data, t, sequence, boot=boot, retained=True)


def acknowledged(sequence: int, of: int, t: float = 5, client: str | None = "eye", **more: Any) -> Message:
    arguments = {"id": "a1", "by": "Smith", "sequence": of, "note": "seen"}
    data = {"verb": "acknowledge", "request": "a1", "by": "Smith", "accepted": True, "arguments": arguments} | more
    return event("request", "requested", data | ({"client": client} if client else {}), t, sequence)


def hand(sequence: int, t: float = 20, seat: str = "seat-3", **more: Any) -> Message:
    about = {"observed": {"position": seat, "hand": "royal-flush"}, "required": {"hand": "verified"}}
    said = {"category": "jackpot", "rule": "toledo-2020/let-it-ride/progressive-jackpot-hand"}
    return irregular(sequence, t, **(said | about | more))


async def test_an_irregularity_opens_one_case_whoever_brings_it_how_often(store: Store) -> None:
    one = irregular(11)
    (case,) = await take(store, one, seen("wheel", "ball_launched", 1, 10), one)
    assert (case.kind, case.table, case.severity, case.state) == ("irregularity", "toledo/RL-07", "alert", "new")
    assert case.title == "The ball is spun too late (late-spin)"
    (about,) = case.events
    assert (about.sequence, about.round, about.at) == (11, 1, "2027-01-15T08:00:01.000000Z")
    assert about.text == "seen: ball cw; required: ball ccw"
    await take(store, one, one, at_once=False)  # the archive starts anew, and the broker sends it again
    both = [Opening(store, CHECKLIST) for _ in range(2)]
    assert both[0] is not both[1]
    assert [each.case for each in await take(store, irregular(12), one)] == [1, 2]


async def test_what_was_stored_and_not_entered_is_entered_when_it_comes_again(store: Store) -> None:
    intake = Intake(store, "pitwatch/1")  # of a program that was killed in between
    intake.take(irregular(11))
    await intake._store_some()
    assert await CaseStore(store).open_cases() == []
    assert len(await take(store, irregular(11))) == 1


async def test_another_record_under_a_known_id_opens_nothing(store: Store) -> None:
    await take(store, seen("wheel", "ball_launched", 1, 11))
    assert await take(store, irregular(11)) == []


async def test_an_alert_is_one_case_that_says_when_it_ended(store: Store) -> None:
    (case,) = await take(store, alert(20, True), alert(20, True), alert(25, False, 60))
    assert (case.kind, case.severity, case.title, case.state) == ("alert", "warning", "shuffler jam", "new")
    assert case.standing == "alert ended 2027-01-15T08:01:00.000000Z"
    (again,) = await take(store, alert(30, True, 90))
    assert (again.case, again.standing) == (case.case, "")
    await CaseStore(store).append(
        Change(kind="close", case=case.case, seen=again.newest, disposition="repaired"), ALICE
    )
    assert await take(store, alert(31, False, 95)) == []
    ended = await CaseStore(store).case(case.case)
    assert ended is not None
    assert ended.ended_at == "2027-01-15T08:01:35.000000Z"
    (new,) = await take(store, alert(40, True, 200))
    assert new.case != case.case


@pytest.mark.parametrize("boot", ["b1", "b2"])
async def test_an_alert_of_a_replaced_board_is_no_late_record_of_the_old_one(store: Store, boot: str) -> None:
    (case,) = await take(store, alert(900, True))
    await CaseStore(store).append(Change(kind="close", case=case.case, seen=1, disposition="repaired"), ALICE)
    opened = await take(store, alert(5, True, 500, boot=boot))
    assert len(opened) == (boot == "b2")


async def test_an_alert_that_comes_after_its_end_is_over(store: Store) -> None:
    assert await take(store, alert(25, False, 60)) == []
    (case,) = await take(store, alert(20, True))
    assert case.standing == "alert ended 2027-01-15T08:01:00.000000Z"


def status(state: str, t: float, retained: bool = False) -> Message:
    return event("status", "status", {"state": state}, t, None, retained=retained)


async def test_a_table_that_is_lost_is_a_critical_case_until_it_is_back(store: Store) -> None:
    ready = status("ready", 1)
    assert await take(store, ready) == []
    lost = status("lost", 2)
    (case,) = await take(store, lost, lost)
    assert (case.kind, case.severity, case.ended_at) == ("alert", "critical", None)
    await take(store, status("lost", 2, retained=True))  # the archive starts anew
    (case,) = await take(store, ready, ready)  # the table is back and says what it said before
    assert (case.newest, case.ended_at) == (2, "2027-01-15T08:00:01.000000Z")
    (case,) = await take(store, status("lost", 9), ready, status("lost", 10), ready)
    assert [each.what for each in case.events] == ["raised", "ended"] * 3
    await CaseStore(store).append(Change(kind="close", case=case.case, seen=9, disposition="repaired"), ALICE)
    assert await take(store, ready, status("lost", 10, retained=True)) == []
    assert [each.case for each in await take(store, status("lost", 11))] == [2]


async def test_a_table_that_is_stopped_is_no_case(store: Store) -> None:
    assert await take(store, status("ready", 1), status("stopping", 2), status("starting", 3)) == []


@pytest.mark.parametrize("late", [False, True])
async def test_an_acknowledgement_is_an_entry_by_the_client_that_the_broker_knows(store: Store, late: bool) -> None:
    messages = [irregular(11), acknowledged(12, 11)]
    (case,) = await take(store, *(reversed(messages) if late else messages), at_once=False)
    assert (case.state, case.seen_by) == ("seen", (Identity("eye", "certificate"),))
    assert [each.current for each in case.remarks] == ["as Smith: seen"]
    await take(store, acknowledged(12, 11))
    assert await CaseStore(store).newest() == 2


@pytest.mark.parametrize(
    "said",
    [
        acknowledged(12, 11, client=None), acknowledged(12, 11, accepted=False, reason="no"),
        acknowledged(12, 11, verb="hold"), acknowledged(12, 99), acknowledged(12, 11, client="\x1b[2J"),
        acknowledged(12, 11, t=0.5), acknowledged(9, 11),
    ],
    ids=["no name", "refused", "another verb", "another record", "no name at all", "before it", "before its number"],
)  # fmt: skip
async def test_what_is_no_acknowledgement_of_it_changes_nothing(store: Store, said: Message) -> None:
    (case,) = await take(store, irregular(11), said)
    assert (case.state, case.newest) == ("new", 1)


@pytest.mark.parametrize("late", [False, True])
async def test_a_void_round_stands_in_its_cases(store: Store, late: bool) -> None:
    messages = [irregular(11), closed(1, 5, 15, void="no-spin")]
    (case,) = await take(store, *(reversed(messages) if late else messages), at_once=False)
    assert [(each.what, each.text) for each in case.events] == [("irregularity", "seen: ball cw; required: ball ccw"),
        ("void", "no-spin")]  # fmt: skip
    await take(store, closed(2, 9, 16, void="no-spin"), closed(1, 5, 15, void="no-spin"))
    assert await CaseStore(store).newest() == 2


@pytest.mark.parametrize("meter_first", [True, False])
async def test_a_jackpot_of_meter_and_cards_is_one_case_with_its_checklist(store: Store, meter_first: bool) -> None:
    messages = [seen("progressive", "jackpot", 19, 18, seat="seat-3", hand="royal-flush"), hand(19)]
    (case,) = await take(store, *(messages if meter_first else messages[::-1]), at_once=False)
    assert (case.kind, case.severity) == ("jackpot", "alert")
    assert sorted(each.what for each in case.events) == ["irregularity", "jackpot"]
    assert case.open_items == CHECKLIST
    await take(store, *messages)
    assert await CaseStore(store).newest() == 2


async def test_two_jackpots_are_two_cases(store: Store) -> None:
    second = {"required": {"original_jackpot": "seat-3"}}
    assert len(await take(store, hand(19), hand(20, 20, "seat-5", **second))) == 2
    meter = seen("progressive", "jackpot", 25, 30, seat="seat-5")
    assert [len(case.events) for case in await take(store, meter)] == [1, 2]
    assert len(await take(store, seen("progressive", "jackpot", 2000, 40, seat="seat-3"))) == 3


async def test_a_mistake_around_a_jackpot_is_an_irregularity(store: Store) -> None:
    (case,) = await take(store, irregular(11, category="jackpot", required={"meter": "locked out"}))
    assert (case.kind, case.checklist) == ("irregularity", ())


async def test_what_a_hostile_table_says_stays_in_one_line_and_stops_nothing(store: Store) -> None:
    evil = {"says": "<script>\r\nBcc: all\x1b[2J" + "x" * 9_000, "observed": {"a": "\u202e" * 5_000}, "round": "x"}
    deep: dict[str, Any] = {"says": 1, "rule": "r"}
    opened = await take(store, irregular(11, **evil), irregular(12, **deep), irregular(13))
    assert [case.case for case in opened] == [1, 2, 3]
    for case in opened:
        assert case.title.isprintable()
        assert len(case.title) <= 200
        assert case.events[0].text.isprintable()
