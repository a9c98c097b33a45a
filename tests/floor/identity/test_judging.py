"""What contradicts a table's past, and all that looks like it and does not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.daemon.journal.statements import is_genuine
from pitwatch.floor.identity.approved import Approved, ForAll, ForTable
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.identity.judging import HOLD, Judge, statement
from pitwatch.floor.message import Message
from tests.floor.archive.stream import event
from tests.floor.identity.history import ONE, TABLE, TWO, checkpoint, record, run, started, status

LATER = 1_000.0
PAST = [*run("a", 1, 20), *run("b", 21, 40, "a", 20), *run("c", 41, 60, "b", 40)]


def heard(judge: Judge, messages: list[Message], now: float = 1.0) -> list[Finding]:
    """What a judge finds at once, and once it has waited for all that may still be told."""
    found: list[Finding] = []
    for message in messages:
        now += 0.001
        judge.hear(message, now)
        if (said := statement(message)) is not None:
            found += judge.signed(message, said, is_genuine(said), now)
        found += judge.judge(now)[0]
    return found + judge.judge(now + LATER)[0]


def kinds(found: list[Finding]) -> list[str]:
    return [each.kind for each in found]


def approved(**more: str | list[str]) -> Approved:
    return Approved(tables={TABLE: ForTable(**more)})


ROLLED = {
    "into the run before": run("d", 31, 35, "b", 30, 100),
    "to the end of a run": run("d", 41, 45, "b", 40, 100),
    "to where nothing was heard yet, then on": run("d", 61, 62, "c", 60, 100) + run("e", 61, 65, "c", 60, 200),
}


@pytest.mark.parametrize("back", ROLLED.values(), ids=list(ROLLED))
def test_a_journal_that_was_put_back_is_rolled_back(back: list[Message]) -> None:
    judge = Judge(Approved())
    assert heard(judge, PAST) == []
    (found,) = heard(judge, back, 100)
    assert found.kind == "rolled_back"
    assert found.said["boot"] == back[-1].event.bootid  # type: ignore[union-attr]


def test_a_run_that_goes_on_from_what_was_rolled_back_is_no_second_finding_and_another_one_is() -> None:
    judge = Judge(Approved())
    heard(judge, PAST)
    assert kinds(heard(judge, run("d", 31, 35, "b", 30, 100), 100)) == ["rolled_back"]
    assert heard(judge, run("e", 36, 70, "d", 35, 200), 200) == []
    assert kinds(heard(judge, run("f", 34, 50, "d", 33, 300), 300)) == ["rolled_back"]


def test_a_clock_set_back_hides_nothing() -> None:
    """Root sets the clock too: to before the runs whose numbers are given again."""
    judge = Judge(Approved())
    heard(judge, [*run("a", 1, 20, t=1_000), *run("b", 21, 40, "a", 20, 2_000), *run("c", 41, 60, "b", 40, 3_000)])
    (found,) = heard(judge, run("d", 31, 35, "b", 30, 5), 100)
    assert (found.kind, found.said["boot"]) == ("rolled_back", "d")
    assert heard(judge, run("e", 36, 70, "d", 35, 50), 200) == []


def test_a_journal_that_was_put_back_is_found_by_who_heard_only_the_end() -> None:
    judge = Judge(Approved())
    assert heard(judge, run("c", 41, 60, "b", 40)[5:]) == []
    assert kinds(heard(judge, run("d", 21, 25, "a", 20, 100), 100)) == ["rolled_back"]


def test_an_emptied_folder_began_anew() -> None:
    judge = Judge(Approved())
    heard(judge, PAST)
    (found,) = heard(judge, run("d", 1, 3, t=100), 100)
    assert (found.kind, found.heard["boot"], found.said["previous_boot"]) == ("began_anew", "a", None)


def test_an_emptied_folder_is_found_by_who_heard_only_the_end() -> None:
    judge = Judge(Approved())
    heard(judge, run("c", 41, 60, "b", 40)[5:])
    assert kinds(heard(judge, run("d", 1, 3, t=100), 100)) == ["began_anew"]


def test_a_past_that_another_run_had_began_anew() -> None:
    """A clone went on elsewhere: what it says of the run before is not what was heard with that number."""
    judge = Judge(Approved())
    heard(judge, PAST)
    assert kinds(heard(judge, run("e", 61, 63, "x", 60, 100), 100)) == ["began_anew"]


def test_two_boards_of_one_name_are_found() -> None:
    judge = Judge(Approved())
    heard(judge, PAST)
    mine, clone = run("d", 61, 80, "c", 60, 100), run("e", 61, 80, "c", 60, 100.5)
    both = [each for pair in zip(mine, clone, strict=True) for each in pair]
    assert kinds(heard(judge, both, 100)) == ["rolled_back"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_nothing_of_a_sound_past_is_a_finding_in_whatever_order_it_comes(data: st.DataObject) -> None:
    """Lost, late, doubled, retained, told again; by boards with a clock or without."""
    synced = data.draw(st.booleans())
    messages: list[Message] = []
    last, previous = 0, ""
    for number in range(data.draw(st.integers(1, 6))):
        length, boot = data.draw(st.integers(1, 12)), f"boot{number}"
        begin = started(boot, last + 1, previous, last, synced=synced)
        messages += [begin, *(record(boot, n, synced=synced) for n in range(last + 2, last + 1 + length))]
        last, previous = last + length, boot
    chosen = data.draw(st.lists(st.sampled_from(messages), max_size=60))
    from_where = data.draw(st.integers(0, len(messages)))
    mixed = [
        each._replace(subtopic="response/replay") if data.draw(st.booleans()) else each._replace(retained=True)
        for each in chosen
    ]
    live = messages[from_where:]
    for each in mixed:
        live.insert(data.draw(st.integers(0, len(live))), each)
    assert heard(Judge(Approved()), live) == []


def test_what_a_broker_kept_and_hands_over_late_is_none() -> None:
    """Of two brokers one was away from the listener, not from the table: the older run is heard after the newer."""
    judge = Judge(Approved())
    assert heard(judge, PAST[40:]) == []
    assert heard(judge, PAST[20:40], 100) == []
    assert heard(judge, PAST[:20], 200) == []


def test_standing_states_told_again_are_none() -> None:
    judge = Judge(Approved())
    heard(judge, PAST[40:])
    alert = {"key": "wheel-fault", "raised": True, "condition": "fault", "device": "wheel", "since": 1.0, "detail": {}}
    assert heard(judge, [event("alert", "alert/wheel-fault", alert, 3, 3, boot="a")], 100) == []


def test_records_in_the_place_of_lost_ones_are_none() -> None:
    judge = Judge(Approved())
    heard(judge, PAST)
    lost = {"event": "record_lost", "detail": {"sequence": 50}}
    messages = [event("system", "system", lost, 50, 50, boot=boot) for boot in ("unknown", "d")]
    assert heard(judge, messages, 100) == []


@pytest.mark.parametrize("committed", [50, 56])
def test_numbers_given_again_after_a_disk_refused_are_none_if_they_were_never_on_disk(committed: int) -> None:
    refuses = {"key": "journal", "raised": True, "condition": "journal", "device": "", "since": 1.0, "detail": {}}
    judge = Judge(Approved())
    alert = event("alert", "alert/journal", refuses, 56, 56, boot="c")
    health = event("health", "health", {"committed": committed, "delivered": 60}, 61, None, boot="c")
    heard(judge, [*PAST[:55], alert, *PAST[56:], health])
    found = heard(judge, run("d", 53, 70, "c", 52, 100), 100)
    assert kinds(found) == ([] if committed == 50 else ["rolled_back"])


def test_a_checkpoint_with_another_key() -> None:
    judge = Judge(Approved())
    heard(judge, [*PAST, checkpoint("c", 61, 60, "a")])
    (found,) = heard(judge, [checkpoint("c", 62, 61, "b", TWO)], 100)
    assert (found.kind, found.heard, found.said["key"]) == ("other_key", {"key": ONE.public}, TWO.public)
    assert heard(judge, [checkpoint("c", 63, 62, "b", TWO), checkpoint("c", 64, 63, "c")], 200) == []


def test_a_checkpoint_that_is_not_genuine() -> None:
    judge = Judge(Approved())
    heard(judge, [*PAST, checkpoint("c", 61, 60, "a")])
    wrong = [
        checkpoint("c", 62, 61, "b", signer=TWO),
        checkpoint("c", 63, 63, "b"),
        checkpoint("c", 64, 63, "b", of="toledo/BJ-01"),
    ]
    assert kinds(heard(judge, wrong, 100)) == ["forged"] * 3
    assert heard(judge, [checkpoint("c", 65, 61, "c")], 200) == []  # what was forged is nothing to hold others against


def test_a_checkpoint_that_contradicts_another() -> None:
    judge = Judge(Approved())
    heard(judge, [*PAST, checkpoint("c", 61, 60, "a")])
    assert heard(judge, [checkpoint("c", 61, 60, "a"), checkpoint("c", 70, 60, "a")], 100) == []
    assert kinds(heard(judge, [checkpoint("c", 71, 60, "b")], 200)) == ["rewritten"]
    said = checkpoint("c", 72, 71, "d", previous=60, previous_hash="e" * 64)
    assert kinds(heard(judge, [said], 300)) == ["rewritten"]
    assert heard(judge, [checkpoint("c", 73, 72, "f", previous=60, previous_hash="a" * 64)], 400) == []


REPLACED = [started("n1", 1, t=100), status("n1", None, 100), record("n1", 2, 101), status("n1", TWO, 103),
            checkpoint("n1", 3, 2, "f", TWO, t=103), *(record("n1", n, 102 + n) for n in range(4, 70))]  # fmt: skip


def test_a_board_that_was_replaced_is_found_unless_the_house_has_announced_it() -> None:
    old = [status("a"), *PAST, checkpoint("c", 61, 60, "a")]
    judge = Judge(Approved())
    assert heard(judge, old) == []
    assert sorted(kinds(heard(judge, REPLACED, 100))) == ["began_anew", "other_key"]
    for keys in ([ONE.public, TWO.public], [TWO.public]):
        judge = Judge(approved(key=keys))
        assert heard(judge, old, -LATER) == [] or TWO.public == keys[0]
        assert heard(judge, REPLACED, LATER * 2) == []
        rolled = run("n2", 31, 33, "n1", 30, 500)
        assert kinds(heard(judge, [status("n2", TWO, 500), *rolled], LATER * 4)) == ["rolled_back"]


def test_only_a_new_signature_says_that_a_run_is_of_an_announced_board() -> None:
    """Who puts an old journal back may name the new board's key, and send what that board has signed again."""
    both = approved(key=[ONE.public, TWO.public])
    told = [status("a"), *PAST, checkpoint("c", 61, 60, "a")]
    ours = checkpoint("n1", 70, 32, "f", TWO, t=170)
    judge = Judge(both)
    assert heard(judge, told) == []
    assert heard(judge, [*REPLACED, ours], 2 * LATER) == []
    back = [status("d", TWO, 500), *run("d", 31, 50, "b", 30, 500)]
    again = checkpoint("d", 51, 32, "f", TWO, t=520)
    assert kinds(heard(judge, [*back, again], 4 * LATER)) == ["rolled_back"]


@pytest.mark.parametrize("boot", ["unknown", "with blanks", "ß", "x" * 100])
def test_no_name_of_a_run_is_passed_over(boot: str) -> None:
    judge = Judge(Approved())
    heard(judge, PAST)
    assert kinds(heard(judge, run(boot, 31, 33, "b", 30, 100), 100)) == ["rolled_back"]


def test_what_the_house_announces_afterwards_is_over() -> None:
    judge = Judge(Approved())
    heard(judge, [status("a"), *PAST, checkpoint("c", 61, 60, "a")])
    heard(judge, REPLACED, 100)
    assert sorted(kind for kind, _ in judge.told[TABLE]) == ["began_anew", "other_key"]
    judge.approved = approved(key=[ONE.public, TWO.public])
    judge.due.add(TABLE)
    assert sorted(each.kind for each in judge.judge(9_999)[1]) == ["began_anew", "other_key"]
    judge.due.add(TABLE)
    assert judge.judge(9_999) == ([], [])


@pytest.mark.parametrize("what", ["book", "game", "configuration", "program", "key"])
def test_what_the_house_has_not_approved(what: str) -> None:
    right = {"book": "b", "game": "c", "configuration": "d", "program": "e"}.get(what, "") * 64 or ONE.public
    wrong = TWO.public if what == "key" else "f" * 64
    judge = Judge(approved(**{what: [right]}))
    assert heard(judge, [status("a"), *PAST]) == []
    changed = status("d", TWO if what == "key" else ONE, 100, prints={} if what == "key" else {what: wrong})
    (found,) = heard(judge, [changed], LATER)
    assert (found.kind, found.heard, found.said) == ("not_approved", {what: [right]}, {what: wrong})
    judge.hear(status("e", t=200), 2 * LATER)
    assert judge.judge(3 * LATER) == ([], [Ended(TABLE, "not_approved", f"{what} {wrong}")])
    again = status("f", TWO if what == "key" else ONE, 300, prints={} if what == "key" else {what: wrong})
    assert kinds(heard(judge, [again], 9 * LATER)) == ["not_approved"]


def test_what_was_so_before_the_house_approved_another_is_none() -> None:
    """A broker kept the status of an older run: the one of now follows at once."""
    judge = Judge(Approved(every=ForAll(book="f" * 64)))
    judge.hear(status("a", t=1), 1.0)
    assert judge.judge(1.0 + HOLD / 2)[0] == []
    judge.hear(status("b", t=50, prints={"book": "f" * 64}), 1.0 + HOLD / 2)
    assert judge.judge(LATER) == ([], [])
    judge.hear(status("a", t=2), LATER)  # heard again, later
    assert judge.judge(2 * LATER) == ([], [])


def test_a_flood_of_runs_and_statements_is_bounded() -> None:
    judge = Judge(Approved())
    shuffled = random.Random(1)
    for number in range(5_000):
        judge.hear(record(f"x{number}", shuffled.randrange(1, 10**6)), float(number))
    past = judge.pasts[TABLE]
    assert len(past.runs) <= 2_000
    judge.judge(9e9)
    assert len(judge.told[TABLE]) <= 1_000
