"""Requests: small, seldom, journalled, or refused; whatever bytes come, nothing raises."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.asked import MOST_BYTES, MOST_RECORDS, VERBS
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.requests import PORTION, Requests
from pitwatch.daemon.requests.allowances import BURST, MOST_CLIENTS, REFILL
from pitwatch.hal.sim import SimClock


class Desk:
    """A table with records 1 to `last`, of which those below `kept` are removed."""

    def __init__(self, verbs=VERBS, last=1_000, kept=1):
        self.last = self.committed = last
        self.kept = kept
        self.clock = SimClock(now=5)
        self.notes, self.answers, self.sent, self.later = [], [], [], []
        self.requests = Requests(
            verbs,
            self,
            self.clock,
            lambda verb, data: self.answers.append((verb, json.loads(msgspec.json.encode(data)))),
            lambda record: self.sent.append(record.seq),
            lambda: {"sequence": self.last},
            self.later.append,
        )
        self.held = None

    def append(self, kind, subtopic, t_ns, data, retained=False):
        assert (kind, subtopic, retained) == ("request", "requested", False)
        self.notes.append(json.loads(msgspec.json.encode(data)))
        return self.last

    def read(self, after, limit, done):
        numbers = range(max(after + 1, self.kept), self.last + 1)[:limit]
        records = [Record(n, "b", n, n, True, "observation", "o", False, b"{}") for n in numbers]
        self.held = lambda: done(records)

    def ask(self, verb, retained=False, **fields):
        self.requests.take(verb, json.dumps(fields).encode(), retained)
        if self.held:
            held, self.held = self.held, None
            held()
        return self.answers[-1] if self.answers else None


def test_replay_sends_a_range_again_and_says_so():
    desk = Desk()
    assert desk.ask("replay", id="r1", by="eye", first=10, last=12) == (
        "replay",
        {"request": "r1", "ok": True, "reason": "", "count": 3},
    )
    assert desk.sent == [10, 11, 12]
    assert desk.notes == [
        {
            "verb": "replay", "request": "r1", "by": "eye", "accepted": True, "reason": "",
            "arguments": {"first": 10, "last": 12},
        }
    ]  # fmt: skip


def test_much_is_sent_again_in_portions_and_the_answer_comes_after_it():
    desk = Desk()
    assert desk.ask("replay", id="r1", first=1, last=2 * PORTION + 1) is None
    assert len(desk.sent) == PORTION
    assert desk.ask("replay", id="r2", first=1, last=1)[1]["reason"] == "another replay is under way"
    while desk.later:
        desk.later.pop(0)()
    assert desk.sent == list(range(1, 2 * PORTION + 2))
    assert desk.answers[-1] == ("replay", {"request": "r1", "ok": True, "reason": "", "count": 2 * PORTION + 1})


def test_replay_says_what_is_no_longer_there():
    desk = Desk(kept=50)
    answer = desk.ask("replay", id="r1", first=48, last=51)[1]
    assert (answer["ok"], answer["count"], desk.sent) == (False, 2, [50, 51])
    assert answer["reason"] == "2 records of these are no longer kept"


@pytest.mark.parametrize(
    ("verb", "fields", "reason"),
    [
        ("replay", {"first": 1, "last": MOST_RECORDS + 1}, f"first to last may be {MOST_RECORDS} records"),
        ("replay", {"first": 5, "last": 4}, f"first to last may be {MOST_RECORDS} records"),
        ("replay", {"first": 999, "last": 1_001}, "there are records up to 1000"),
        ("replay", {"first": 0, "last": 4}, "not readable"),
        ("replay", {"first": "1", "last": 4}, "not readable"),
        ("replay", {"first": 1}, "not readable"),
        ("replay", {"first": 1, "last": 2, "more": 3}, "not readable"),
        ("acknowledge", {"sequence": 5}, "not readable"),
        ("acknowledge", {"sequence": 1_001, "by": "eye"}, "there are records up to 1000"),
        ("acknowledge", {"sequence": 1, "by": "eye", "note": "x" * 201}, "not readable"),
        ("snapshot", {"by": "x" * 65}, "not readable"),
        ("consistency", {"old": 5, "new": 4}, "a tree of 5 records does not grow to 4"),
        ("consistency", {"old": 5, "new": 1_001}, "there are records up to 1000"),
        ("consistency", {"old": 0, "new": 4}, "not readable"),
        ("consistency", {"old": 1, "new": 4}, "this table has no tree"),
        ("cosign", {"note": "x" * 3_501}, "not readable"),
        ("cosign", {"note": "x"}, "this table has no witness"),
        ("snapshot", {"by": "x" * MOST_BYTES}, "too long"),
    ],
)
def test_what_is_not_right_is_refused_with_the_reason_and_journalled(verb, fields, reason):
    desk = Desk()
    answered, answer = desk.ask(verb, id="r1", **fields)
    assert (answered, answer["ok"], desk.sent) == (verb, False, [])
    assert answer["reason"].startswith(reason)
    (note,) = desk.notes
    assert (note["accepted"], note["reason"]) == (False, answer["reason"])


def test_acknowledge_and_snapshot():
    desk = Desk()
    assert desk.ask("acknowledge", id="a", by="eye", sequence=7, note="seen")[1]["ok"] is True
    assert desk.notes[0]["arguments"] == {"sequence": 7, "note": "seen"}
    assert desk.ask("snapshot", id="s")[1]["snapshot"] == {"sequence": 1_000}


def test_a_verb_that_is_not_enabled_or_not_known_is_refused():
    desk = Desk(verbs=("snapshot",))
    assert "this table answers snapshot" in desk.ask("replay", id="r", first=1, last=1)[1]["reason"]
    desk.ask("reboot", id="r")
    assert len(desk.answers) == 1  # no topic is made up for it
    assert [(note["verb"], note["accepted"]) for note in desk.notes] == [("replay", False), ("unknown", False)]


def test_whoever_is_refused_finds_the_answer_by_its_id():
    desk = Desk(verbs=("acknowledge",))
    assert desk.ask("replay", id="r1", by="eye", first=1, last=2)[1]["request"] == "r1"
    assert desk.ask("acknowledge", id="a1", by="eye", sequence=0)[1]["request"] == "a1"
    assert [(note["request"], note["by"], note["accepted"]) for note in desk.notes] == [
        ("r1", "eye", False),
        ("a1", "eye", False),
    ]
    for unreadable in (b"{", b'{"id": 7}', b'{"id": ""}', b'{"id": "r1"}'.ljust(MOST_BYTES + 1)):
        desk.requests.take("replay", unreadable, False)
        assert desk.answers[-1][1]["request"] is None


def test_retained_junk_is_nobody_s_request_and_is_told_once_a_minute():
    desk = Desk()
    desk.requests.take("snapshot", b"", False)
    assert desk.notes == []
    for n in range(150):
        assert desk.ask(f"x{n}", retained=True, id="s") is None
    desk.ask("snapshot/eye", retained=True, id="s")
    assert desk.answers == []
    assert [(note.get("client"), note["accepted"]) for note in desk.notes] == [(None, False), ("eye", False)]
    assert desk.notes[1]["reason"].startswith("1 retained at the broker")
    assert desk.notes[1]["reason"].endswith("request/snapshot/eye")


def test_a_client_is_named_by_the_broker_whatever_he_calls_himself():
    desk = Desk()
    answered, answer = desk.ask("acknowledge/pit", id="a1", by="Shift Manager Bob", sequence=5)
    assert (answered, answer["client"], answer["request"]) == ("acknowledge", "pit", "a1")
    assert (desk.notes[0]["client"], desk.notes[0]["by"]) == ("pit", "Shift Manager Bob")
    assert "client" not in desk.ask("acknowledge", id="a2", by="pit", sequence=5)[1]
    assert "client" not in desk.notes[1]
    assert not desk.ask("acknowledge/", id="a3", by="pit", sequence=5)[1]["ok"]
    assert not desk.ask("acknowledge/" + "x" * 65, id="a4", by="pit", sequence=5)[1]["ok"]


def test_whoever_floods_silences_himself_alone():
    desk = Desk()
    for n in range(1_000):
        desk.ask("snapshot/pit", id=str(n))
        desk.ask("snapshot", id=str(n))
    before = len(desk.answers)
    for n in range(6):
        assert desk.ask("snapshot/eye", id=f"e{n}")[1]["request"] == f"e{n}"
    assert (before, len(desk.answers)) == (2 * BURST, 2 * BURST + 6)


def test_no_number_of_names_is_remembered():
    desk = Desk()
    for n in range(100_000):
        desk.ask(f"snapshot/{n}", id="s")
    assert len(desk.requests._allowances._clients) <= MOST_CLIENTS + 1
    assert len(desk.answers) <= MOST_CLIENTS + BURST
    desk.clock.advance_to(desk.clock.now() + 120_000_000_000)
    assert desk.ask("snapshot/late", id="late")[1]["client"] == "late"


def test_a_flood_costs_a_record_a_minute_and_others_are_heard_after_it():
    desk = Desk()
    for n in range(10_000):
        desk.ask("snapshot", id=str(n))
    assert len(desk.answers) == BURST
    assert len(desk.notes) == BURST + 1
    assert desk.requests.refused == 10_000 - BURST
    desk.clock.advance_to(desk.clock.now() + REFILL)
    desk.ask("snapshot", id="late")
    assert desk.answers[-1][1]["request"] == "late"
    desk.clock.advance_to(desk.clock.now() + 120_000_000_000)
    for n in range(100):
        desk.ask("snapshot", id=str(n))
    assert "more than may be asked at a time" in desk.notes[-1]["reason"]
    assert desk.notes[-1]["reason"].startswith(str(10_000 - BURST))


def test_one_replay_at_a_time():
    desk = Desk()
    desk.requests.take("replay", b'{"id":"a","first":1,"last":2}', False)
    held = desk.held
    desk.requests.take("replay", b'{"id":"b","first":1,"last":2}', False)
    assert desk.answers == [("replay", {"request": "b", "ok": False, "reason": "another replay is under way"})]
    held()
    assert desk.answers[-1][1]["request"] == "a"
    desk.held = None
    assert desk.ask("replay", id="c", first=1, last=1)[1]["ok"]


@given(st.sampled_from([*VERBS, "", "x" * 300, "ü"]), st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_hostile_bytes_are_refused_never_raised(verb, payload):
    desk = Desk()
    desk.requests.take(verb, payload, False)
    assert all(not answer["ok"] for _, answer in desk.answers)
    assert len(desk.notes) == (1 if payload else 0)


@given(
    st.sampled_from(VERBS),
    st.dictionaries(
        st.sampled_from(["id", "by", "first", "last", "sequence", "note", "more"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=100) | st.lists(st.integers()),
    ),
)
def test_hostile_fields_are_refused_never_raised(verb, fields):
    desk = Desk()
    desk.ask(verb, **fields)
    assert len(desk.notes) == 1


def test_deeply_nested_json_is_refused():
    desk = Desk()
    desk.requests.take("snapshot", b"[" * 4_000, False)
    assert desk.notes[0]["accepted"] is False


CONFIG = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[mqtt]
url = "mqtt://127.0.0.1:9"
username = "someone"
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('requests = ["replai"]', 'mqtt.requests\\[0\\]: "replai" is no verb; did you mean "replay"'),
        ('requests = "replay"', "mqtt.requests: .* a list is right"),
    ],
)
def test_a_wrong_configuration_is_told(tmp_path, line, told):
    path = tmp_path / "table.toml"
    path.write_text(CONFIG + line + "\n")
    with pytest.raises(ConfigError, match=told):
        config.load(path)


def test_requests_are_off_unless_named_and_want_a_broker_that_knows_who_asks(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    assert config.load(path).mqtt.requests == []
    path.write_text(CONFIG + 'requests = ["snapshot"]\n')
    assert config.load(path).mqtt.requests == ["snapshot"]
    path.write_text(CONFIG.replace('username = "someone"', "") + 'requests = ["snapshot"]\n')
    with pytest.raises(ConfigError, match="need a broker that knows who asks"):
        config.load(path)
