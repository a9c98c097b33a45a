"""The picture of the floor, made of plain messages: what comes first, what is lost, missing, over, acknowledged."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.floor.message import Message, read_message
from pitwatch.floor.watch import looks, model, pages, payloads
from pitwatch.floor.watch.choosing import Filter, matches, severity_of
from pitwatch.floor.watch.concern import Acknowledgement
from pitwatch.floor.watch.concerns import MOST_CONCERNS
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.plain import line
from pitwatch.floor.watch.records import Change
from tests.floor.watch.made import (
    NOW,
    acknowledged,
    alert,
    irregularity,
    message,
    observation,
    removed,
    round_over,
    status,
)

RL = "toledo/RL-07"


@pytest.fixture
def floor() -> Floor:
    floor = Floor()
    floor.connection(None, NOW)
    return floor


def follow(floor: Floor) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []

    def hear(change: Change) -> None:
        heard.append((change.table, change.kind))
        json.loads(line(change))

    floor.on_change = hear
    return heard


def kinds(floor: Floor) -> list[str]:
    return [concern.kind for concern in floor.ordered()]


def test_a_line_gives_the_rules_sentence_first_and_the_id_alone_without_one() -> None:
    floor = Floor()
    for sequence, says in ((1, "The ball is spun in the direction of the wheel."), (2, "")):
        floor.take(irregularity(sequence, says=says), NOW)
    told = sorted(looks.headline(each, None, NOW) for each in floor.concerns.values())
    assert told == [
        "The ball is spun in the direction of the wheel (same-direction-spin)  ball cw, rotor cw",
        "same-direction-spin  ball cw, rotor cw",
    ]


def test_the_worst_comes_first_and_of_these_what_waits_longest(floor: Floor) -> None:
    for at, severity in enumerate(("notice", "alert", "critical", "alert", "warning", "critical"), start=1):
        floor.take(irregularity(at, severity), NOW + at)
    assert [(each.severity, each.sequence) for each in floor.ordered()] == [
        ("critical", 3), ("critical", 6), ("alert", 2), ("alert", 4), ("warning", 5), ("notice", 1),
    ]  # fmt: skip
    floor.take(acknowledged(7, of=3), NOW + 9)
    assert [each.sequence for each in floor.ordered()] == [6, 2, 4, 5, 1, 3]
    assert floor.open_of() == {RL: 5}


def test_a_severity_unknown_here_ranks_with_the_worst(floor: Floor) -> None:
    floor.take(irregularity(1, "critical"), NOW)
    floor.take(irregularity(2, "disaster"), NOW - 1)
    assert floor.ordered()[0].severity == "disaster"


def test_another_s_acknowledgement_may_come_before_what_it_is_of(floor: Floor) -> None:
    floor.take(observation(1), NOW)
    floor.take(acknowledged(3, of=2, by="bob"), NOW)
    floor.take(irregularity(2), NOW)
    (concern,) = floor.ordered()
    assert concern.acknowledged is not None
    assert (concern.acknowledged.by, concern.acknowledged.where) == ("bob", "table")
    assert floor.open_of() == {}


def test_a_refused_acknowledgement_acknowledges_nothing(floor: Floor) -> None:
    floor.take(irregularity(1), NOW)
    refused = message(
        "request", {"verb": "acknowledge", "by": "x", "accepted": False, "arguments": {"sequence": 1}}, 2,
        subtopic="requested",
    )  # fmt: skip
    floor.take(refused, NOW)
    assert floor.ordered()[0].acknowledged is None


def test_what_the_table_journalled_is_not_undone_here(floor: Floor) -> None:
    floor.take(irregularity(1), NOW)
    (concern,) = floor.ordered()
    floor.acknowledge(concern, Acknowledgement("me", NOW, "sent"))
    floor.take(acknowledged(2, of=1, by="me"), NOW)
    floor.acknowledge(concern, Acknowledgement("me", NOW, "here", "", "no answer"))
    assert concern.acknowledged is not None
    assert concern.acknowledged.where == "table"


def test_lost_and_back(floor: Floor) -> None:
    heard = follow(floor)
    floor.take(status("ready"), NOW)
    assert floor.tables[RL].state == "ready"
    floor.take(status("lost"), NOW + 1)
    assert floor.tables[RL].state == "LOST"
    assert kinds(floor) == ["lost"]
    floor.take(status("lost", retained=True), NOW + 2)  # once more, after a new connection
    assert kinds(floor) == ["lost"]
    (lost,) = floor.ordered()
    assert (lost.at, lost.earlier) == (NOW + 1, False)
    floor.take(status("aligning", boot="b2"), NOW + 3)
    assert floor.tables[RL].state == "aligning"
    assert kinds(floor) == []
    assert heard == [(RL, "status"), (RL, "lost"), (RL, "status")]


def test_a_will_tells_by_its_receipt(floor: Floor) -> None:
    left: dict[str, Any] = {"time": "2027-01-15T07:00:00Z", "clocksynced": True}  # with the broker, an hour ago
    floor.take(status("lost", **left), NOW)
    floor.take(status("lost", **left, retained=True, table="toledo/BJ-01"), NOW + 1)
    assert [(each.table, each.at, each.earlier) for each in floor.ordered()] == [
        (RL, NOW, False),
        ("toledo/BJ-01", NOW + 1, True),
    ]
    lines = {
        name: "".join(each for each, _ in looks.table_line(floor.tables[name], 0, NOW + 61, 90))
        for name in floor.tables
    }
    assert "since 1m" in lines[RL]
    assert "or more" not in lines[RL]
    assert "since 1m or more" in lines["toledo/BJ-01"]
    live, retained = ("\n".join(told(pages.concern_page(each, None, NOW + 1))) for each in floor.ordered())
    assert " before " in retained
    assert " before " not in live


def test_the_will_of_a_former_run_that_comes_late_is_no_loss(floor: Floor) -> None:
    floor.take(status("ready", boot="b1"), NOW)
    floor.take(status("starting", boot="b2"), NOW + 1)
    floor.take(status("lost", boot="b1"), NOW + 2)
    assert floor.tables[RL].state == "starting"
    floor.take(status("lost", boot="b2"), NOW + 3)
    assert floor.tables[RL].state == "LOST"


def test_a_table_that_takes_leave_is_not_lost(floor: Floor) -> None:
    floor.take(status("stopping"), NOW)
    floor.tick(NOW + 1000)
    assert floor.tables[RL].state == "stopped"
    assert kinds(floor) == []


def test_silence_is_noticed_and_ends(floor: Floor) -> None:
    floor.take(status("ready"), NOW)
    floor.tick(NOW + model.SILENT_AFTER - 1)
    assert kinds(floor) == []
    floor.tick(NOW + model.SILENT_AFTER + 1)
    assert (kinds(floor), floor.tables[RL].state) == (["silent"], "SILENT")
    floor.take(message("health", {"queue": 3}), NOW + 100)
    assert (kinds(floor), floor.tables[RL].state) == ([], "ready")


def test_a_table_is_not_heard_by_its_echo(floor: Floor) -> None:
    floor.take(status("ready"), NOW)
    floor.take(message("echo", {"probe": 1, "filler": ""}), NOW + model.SILENT_AFTER - 1)
    floor.tick(NOW + model.SILENT_AFTER + 1)
    assert kinds(floor) == ["silent"]
    floor.take(message("echo", {"probe": 1, "filler": ""}, table="toledo/XX-99"), NOW + 200)
    assert list(floor.tables) == [RL]


def test_no_table_is_silent_while_this_view_hears_nothing(floor: Floor) -> None:
    floor.take(status("ready"), NOW)
    floor.connection("cable", NOW + 1)
    floor.tick(NOW + 1000)
    floor.connection(None, NOW + 1001)
    floor.tick(NOW + 1002)
    assert kinds(floor) == []
    floor.tick(NOW + 1002 + model.SILENT_AFTER)
    assert kinds(floor) == ["silent"]


def test_a_gap_stays_until_it_is_filled(floor: Floor) -> None:
    heard = follow(floor)
    floor.take(status("ready"), NOW)
    for sequence in (10, 11, 14):
        floor.take(observation(sequence), NOW)
    assert (floor.tables[RL].state, floor.tables[RL].missing, kinds(floor)) == ("GAP", 2, ["gap"])
    floor.take(observation(13, subtopic="response/replay"), NOW)
    assert floor.tables[RL].missing == 1
    floor.take(observation(12, subtopic="response/replay"), NOW)
    assert (floor.tables[RL].state, kinds(floor)) == ("ready", [])
    assert (RL, "gap") in heard
    assert heard[-1] == (RL, "gap_filled")


def test_records_in_order_and_twice_are_no_gap(floor: Floor) -> None:
    for sequence in (10, 11, 10, 11, 12, 12):
        floor.take(observation(sequence), NOW)
    assert (floor.tables[RL].missing, floor.duplicates, kinds(floor)) == (0, 3, [])
    assert len(floor.tables[RL].seen) == 3


def test_what_is_retained_of_long_ago_is_no_gap(floor: Floor) -> None:
    floor.take(alert(5, retained=True, boot="b0"), NOW)
    floor.take(observation(1000), NOW)
    assert floor.tables[RL].missing == 0


def test_somebody_may_accept_a_gap(floor: Floor) -> None:
    floor.take(observation(1), NOW)
    floor.take(observation(5), NOW)
    (gap,) = floor.ordered()
    floor.acknowledge(gap, Acknowledgement("me", NOW, "here"))
    floor.take(observation(6), NOW)
    assert (floor.tables[RL].missing, kinds(floor)) == (0, [])
    floor.take(observation(8), NOW)
    assert kinds(floor) == ["gap"]


def test_a_new_board_counts_anew(floor: Floor) -> None:
    for sequence in (5000, 5001):
        floor.take(observation(sequence), NOW)
    floor.take(observation(1, boot="b2"), NOW)
    floor.take(irregularity(2, boot="b2", evidence=[1]), NOW)
    assert (floor.tables[RL].missing, kinds(floor)) == (0, ["irregularity"])
    assert floor.ordered()[0].wanted == []


def test_a_restart_goes_on_counting(floor: Floor) -> None:
    floor.take(observation(10), NOW)
    floor.take(observation(11, boot="b2"), NOW)
    floor.take(observation(10), NOW)  # the last run's, again
    assert (floor.tables[RL].missing, floor.duplicates) == (0, 1)


def test_a_condition_lasts_until_it_is_over(floor: Floor) -> None:
    heard = follow(floor)
    floor.take(alert(1), NOW)
    floor.take(alert(1, retained=True), NOW)
    assert kinds(floor) == ["condition"]
    floor.take(alert(2, raised=False), NOW)
    floor.take(removed("alert/wheel-fault"), NOW)
    assert kinds(floor) == []
    assert heard == [(RL, "alert"), (RL, "alert")]


def test_an_acknowledged_condition_that_comes_again_is_open_again(floor: Floor) -> None:
    floor.take(alert(1), NOW)
    floor.take(acknowledged(2, of=1), NOW)
    assert floor.open_of() == {}
    floor.take(alert(3, raised=False), NOW)
    floor.take(alert(4), NOW)
    assert floor.open_of() == {RL: 1}


def test_a_condition_that_ended_while_nobody_listened_goes(floor: Floor) -> None:
    floor.take(alert(1, "wheel-fault"), NOW)
    floor.take(alert(2, "shoe-offline"), NOW)
    floor.connection("cable", NOW + 1)
    floor.connection(None, NOW + 50)
    floor.take(alert(2, "shoe-offline", retained=True), NOW + 50.5)
    floor.tick(NOW + 51)
    assert len(floor.concerns) == 2  # more may come
    heard = follow(floor)
    floor.tick(NOW + 54)
    assert heard == [(RL, "alert")]
    assert [each.name for each in floor.ordered()] == ["shoe-offline"]


def test_evidence_is_kept_and_asked_for(floor: Floor) -> None:
    floor.take(observation(2), NOW)
    video = {"camera": "cam-7", "preroll": 30, "postroll": 10, "time": "2027-01-15T07:00:00.5Z"}
    floor.take(irregularity(3, evidence=[1, 2], **video), NOW)
    (concern,) = floor.ordered()
    assert (list(concern.evidence), concern.wanted) == ([2], [1])
    page = "\n".join(told(pages.concern_page(concern, floor.tables[RL], NOW)))
    assert "1  not heard by this view" in page
    floor.take(observation(1, subtopic="response/replay"), NOW)
    assert concern.wanted == []
    page = "\n".join(told(pages.concern_page(concern, floor.tables[RL], NOW)))
    assert "camera cam-7, 2027-01-15T07:00:00Z, from 30 s before to 10 s after" in page
    for needed in ("ball cw, rotor cw", "ball ccw", "Announce No Spin.", "Floor", "Section Eight, lines 1658: Plan"):
        assert needed in page
    assert page.index("        1  ") < page.index("        2  ")


def test_evidence_outlasts_the_table_s_memory(floor: Floor) -> None:
    floor.take(observation(1), NOW)
    floor.take(irregularity(2, evidence=[1]), NOW)
    for sequence in range(3, 1000):
        floor.take(observation(sequence), NOW)
    assert list(floor.ordered()[0].evidence) == [1]
    assert len(floor.tables[RL].records) == 256


def test_rounds_and_what_was_seen_since(floor: Floor) -> None:
    floor.take(observation(1), NOW)
    floor.take(round_over(2, 7), NOW)
    floor.take(observation(3), NOW)
    table = floor.tables[RL]
    assert (table.seen_count, [each.round for _, each in table.rounds]) == (1, [7])
    assert "pocket 17" in "\n".join(told(pages.detail(table, NOW, 5)))


def test_when_a_table_s_clock_can_be_believed(floor: Floor) -> None:
    floor.take(irregularity(1, time="2027-01-15T07:00:00.000000Z", clocksynced=True), NOW)
    floor.take(irregularity(2, time="2027-01-15T07:00:00.000000Z", clocksynced=False), NOW)
    floor.take(irregularity(3, time="2020-01-01T00:00:00Z", clocksynced=True), NOW)
    floor.take(irregularity(4, time="whenever", clocksynced=True), NOW)
    ages = {each.sequence: NOW - each.at for each in floor.ordered()}
    assert ages == {1: 3600.0, 2: 0, 3: 0, 4: 0}


def test_memory_is_bounded_and_the_least_goes_first(floor: Floor) -> None:
    floor.take(irregularity(1, "critical", evidence=[10**6, 10**6 + 1]), NOW)
    for sequence in range(2, 2 * MOST_CONCERNS):
        floor.take(irregularity(sequence, "notice", evidence=[10**6, 10**6 + 1]), NOW + sequence)
    assert len(floor.concerns) <= MOST_CONCERNS
    assert floor.ordered()[0].severity == "critical"
    assert floor.concerns.dropped == 2 * MOST_CONCERNS - 1 - len(floor.concerns)
    assert len(floor.concerns._by_sequence) == len(floor.concerns)
    assert sum(len(each) for each in floor.concerns._awaiting.values()) == 2 * len(floor.concerns)
    for number in range(model.MOST_TABLES + 10):
        floor.take(status("ready", table=f"s/t{number}"), NOW)
    assert (len(floor.tables), floor.no_room) == (model.MOST_TABLES, 11)


def test_a_table_of_gaps_is_bounded_and_says_how_much(floor: Floor) -> None:
    for sequence in range(1, 2000, 2):
        floor.take(observation(sequence), NOW)
    assert floor.tables[RL].missing == 999
    assert len(floor.tables[RL].sequences.gaps) <= 100


def test_filter_and_search(floor: Floor) -> None:
    floor.take(status("ready"), NOW)
    floor.take(irregularity(1, "alert"), NOW)
    (concern,), table = floor.ordered(), floor.tables[RL]
    for filtered, lets in (
        (Filter(), True), (Filter(severity="alert"), True), (Filter(severity="critical"), False),
        (Filter(site="tol"), True), (Filter(site="RL"), False), (Filter(table="rl-"), True),
        (Filter(game="craps"), False), (Filter(game="roul"), True),
    ):  # fmt: skip
        assert filtered.lets(concern, table) is lets, filtered
    assert matches("SAME rl-07", concern)
    assert matches("announce", concern)
    assert not matches("same craps", concern)
    assert (severity_of("W"), severity_of(" ")) == ("warning", "")
    with pytest.raises(ValueError, match="notice, warning, alert, critical are right"):
        severity_of("bad")


def told(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(piece for piece, _ in each) for each in lines]


def everything_shown(floor: Floor) -> list[str]:
    shown: list[list[tuple[str, str]]] = []
    for concern in floor.ordered():
        table = floor.tables.get(concern.table)
        shown.append(looks.concern_line(concern, table, NOW, 12))
        shown += pages.hang(pages.concern_page(concern, table, NOW), 76)
    for table in floor.tables.values():
        shown.append(looks.table_line(table, 1, NOW, 12))
        shown += pages.detail(table, NOW, 6)
        shown += pages.hang(pages.table_page(table, floor.ordered(), NOW), 76)
    return told(shown)


def test_nothing_that_a_table_says_steers_the_terminal(floor: Floor) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e\r\n"
    floor.take(status("ready\x1b[31m"), NOW)
    floor.take(irregularity(1, "alert", rule=evil), NOW)
    floor.take(message("alert", {"key": evil, "raised": True, "condition": evil}, 2, subtopic="alert/x"), NOW)
    floor.take(acknowledged(3, of=1, by=evil), NOW)
    floor.take(message("system", {"event": evil, "detail": {evil: evil}}, 4), NOW)
    floor.take(message("device", {"device": evil, "state": evil, "reason": evil}, 5, subtopic="device/x"), NOW)
    floor.take(message("observation", {"device": evil, "event": evil, "data": {evil: [evil]}}, 6), NOW)
    shown = everything_shown(floor)
    assert len(shown) > 30
    assert [each for each in shown if not each.isprintable()] == []


def test_what_cannot_be_read_is_counted(floor: Floor) -> None:
    floor.take(message("irregularity", {"severity": 5}, 1), NOW)
    floor.take(message("round", {"round": "x" * 70_000}, 2), NOW)
    floor.take(message("tomorrow", {"new": True}, 3), NOW)
    assert (floor.unreadable, floor.tables[RL].missing) == (2, 0)
    assert RL in floor.unreadable_last


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KINDS = [*sorted(payloads.READ), "response", "wire", "checkpoint", "retention", "new"]
FIELDS = [
    "rule", "severity", "round", "observed", "evidence", "citation", "key", "raised", "device", "state", "event",
    "data", "verb", "by", "accepted", "arguments", "changed", "was", "game", "dropped", "detail", "notify", "result",
]  # fmt: skip
SHAPED = st.sampled_from(
    [irregularity(4), alert(5), alert(6, raised=False), round_over(7, 1), status("lost"), observation(9),
     acknowledged(3, 4)]
)  # fmt: skip


@st.composite
def hostile(draw: st.DrawFn) -> Message:
    if draw(st.booleans()):
        known = draw(SHAPED)
        event = json.loads(known.payload)
        event["data"][draw(st.sampled_from(FIELDS))] = draw(JSON)
        event["bootid"] = draw(st.sampled_from("abc"))
        event["sequence"] = draw(st.none() | st.integers(-3, 12) | st.integers())
        event["time"] = draw(st.text(max_size=12) | st.just("9999-12-31T23:59:59Z"))
        event["clocksynced"] = draw(st.booleans())
        payload = json.dumps(event).encode()
        topic = f"pitwatch/1/{known.table}/{draw(st.sampled_from([known.subtopic, 'response/replay']))}"
        try:
            return read_message("pitwatch/1", topic, payload, draw(st.booleans()))
        except ValueError:
            return known
    kind = draw(st.sampled_from(KINDS))
    data: dict[str, Any] = draw(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8))
    return message(kind, data, draw(st.none() | st.integers(0, 9)), subtopic=draw(st.sampled_from(["alert/x", kind])))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(hostile(), max_size=25), st.randoms())
def test_whatever_comes_nothing_raises(messages: list[Message], chance: random.Random) -> None:
    floor = Floor()
    follow(floor)
    for at, each in enumerate(messages):
        if chance.random() < 0.1:
            floor.connection(chance.choice([None, "x"]), NOW + at)
        floor.take(each, NOW + at)
        floor.tick(NOW + at + chance.choice([0, 200]))
        concerns = floor.ordered()
        if concerns and chance.random() < 0.2:
            floor.acknowledge(concerns[0], Acknowledgement("x", NOW, chance.choice(["sent", "here"])))
    assert all(each.isprintable() for each in everything_shown(floor))
    assert set(floor.concerns._by_sequence.values()) <= set(floor.concerns)


CLEAN = [
    observation(1), irregularity(2, "alert", evidence=[1]), round_over(3, 1), acknowledged(4, of=2), observation(5),
    irregularity(6, "critical", rule="result-mismatch", evidence=[5]), alert(7), alert(8, raised=False),
    round_over(9, 2), alert(10, key="shoe-jam"),
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.permutations(CLEAN * 2))
def test_order_and_repetition_change_nothing(messages: list[Message]) -> None:
    floor = Floor()
    floor.connection(None, NOW)
    floor.take(message("system", {"event": "started"}, 0), NOW)
    for each in messages:
        floor.take(each, NOW)
    # One of a pair may come only after 10 others; then nothing is missing any more.
    assert floor.tables[RL].missing == 0
    assert [(each.kind, each.sequence) for each in floor.ordered()] == [
        ("irregularity", 6), ("condition", 10), ("irregularity", 2),
    ]  # fmt: skip
    assert [list(each.evidence) for each in floor.ordered()] == [[5], [], [1]]
    assert [each.round for _, each in floor.tables[RL].rounds] == [1, 2]
    assert floor.duplicates == len(CLEAN)


def test_what_stands_and_is_told_again_begins_no_gap(floor: Floor) -> None:
    """An alert from before this subscriber's time, told live as every 30 s, or as the table connects again."""
    floor.take(alert(5), NOW + 1)
    floor.take(round_over(1_000, 7), NOW + 2)
    floor.take(alert(5), NOW + 3)
    table = floor.tables[RL]
    assert (table.missing, table.state) == (0, "unknown")
    assert kinds(floor) == ["condition"]
    floor.take(alert(1_002), NOW + 4)  # one of now that is ahead of a record that did not come
    assert table.missing == 1


def test_what_others_have_sent_again_from_before_this_subscriber_s_time_is_evidence_only(floor: Floor) -> None:
    heard = follow(floor)
    for sequence in range(1, 6):
        floor.take(irregularity(sequence, subtopic="response/replay"), NOW)  # nothing live has come yet
    floor.take(irregularity(100, evidence=[50]), NOW)
    floor.take(irregularity(40, "critical", subtopic="response/replay"), NOW)
    floor.take(observation(50, subtopic="response/replay"), NOW)
    (concern,) = floor.ordered()
    assert (concern.sequence, list(concern.evidence)) == (100, [50])
    assert floor.tables[RL].missing == 0
    assert heard == [(RL, "irregularity")]
    floor.take(observation(103), NOW)
    floor.take(irregularity(101, subtopic="response/replay"), NOW)  # of this subscriber's time, and missing
    assert [each.sequence for each in floor.ordered()] == [None, 100, 101]
    assert floor.tables[RL].missing == 1


def test_what_has_an_irregularity_of_its_own_is_not_told_twice(floor: Floor) -> None:
    changed = ["book", "game", "device dice", "presence of wheel"]
    data = {"changed": changed, "was": dict.fromkeys(changed, "a"), "now": dict.fromkeys(changed, "b")}
    floor.take(message("integrity", data, 7), NOW)
    assert floor.concerns == {}
    data = {"changed": ["book", "program"], "was": {}, "now": {}}
    floor.take(message("integrity", data, 8), NOW)
    assert [concern.kind for concern in floor.ordered()] == ["integrity"]
