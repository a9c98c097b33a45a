"""Messages as subscribers get them: CloudEvents, stable ids, card values withheld, lasting conditions ended."""

from __future__ import annotations

import json

import pytest

from pitwatch.daemon.contract.messages import utc
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.publishing.envelope import Envelope, Message, VideoHint
from tests.daemon import cloud_events


def record(kind, subtopic, body, retained=False):
    return Record(
        7, "b00t", 1_500_000_000, 1_767_225_600_123_456_789, True, kind, subtopic, retained, json.dumps(body).encode()
    )


def envelope(live_cards=False, **more):
    return Envelope("toledo", "RL-07", "pitwatch/1/toledo/RL-07", "b00t", live_cards, **more)


def test_a_record_is_a_cloud_event_with_a_stable_id():
    (message,) = envelope().messages(record("round", "round", {"round": 1}))
    assert (message.topic, message.retain) == ("pitwatch/1/toledo/RL-07/round", False)
    assert json.loads(message.payload) == {
        "specversion": "1.0",
        "id": "RL-07/b00t/7",
        "source": "/toledo/RL-07",
        "type": "pitwatch.round.v1",
        "time": "2026-01-01T00:00:00.123456Z",
        "datacontenttype": "application/json",
        "bootid": "b00t",
        "monotonic": "1500000000",
        "clocksynced": True,
        "sequence": 7,
        "data": {"round": 1},
    }


def test_an_irregularity_says_where_its_video_is():
    seen = record("irregularity", "irregularity/alert", {"rule": "b/g/r"})
    hint = VideoHint("cam-114", 30, 10)
    for_video = Envelope("toledo", "RL-07", "pitwatch/1/toledo/RL-07", "b00t", False, hint)
    told = json.loads(for_video.messages(seen)[0].payload)
    assert (told["time"], told["camera"], told["preroll"], told["postroll"]) == (
        "2026-01-01T00:00:00.123456Z",
        "cam-114",
        30,
        10,
    )
    assert told["data"] == {"rule": "b/g/r"}  # what replay prints, which knows no camera
    other = for_video.messages(record("round", "round", {"round": 1}))[0].payload
    assert b"cam-114" not in other
    assert b"preroll" not in other


SEEN = {"t": 1.5, "device": "shoe", "event": "card_drawn", "data": {"card": "TD", "to": "player", "index": 1}}


def test_card_values_are_withheld_unless_the_table_says_otherwise():
    seen = record("observation", "observation/shoe", SEEN)
    (message,) = envelope().messages(seen)
    data = json.loads(message.payload)["data"]
    assert data == {**SEEN, "data": {**SEEN["data"], "card": None}, "withheld": True}
    assert b"TD" not in message.payload
    (message,) = envelope(live_cards=True).messages(seen)
    assert json.loads(message.payload)["data"] == SEEN


@pytest.mark.parametrize(
    ("event", "data", "withheld"),
    [
        ("card_placed", {"card": "AS", "to": "seat-1"}, {"card": None, "to": "seat-1"}),
        ("card_removed", {"card": "AS", "to": "seat-1"}, {"card": None, "to": "seat-1"}),
        ("hole_card_checked", {"blackjack": True}, {"blackjack": None}),
        (
            "card_placed",
            {"card": "AS", "to": "seat-1", "rank": 14, "raw": "AS"},
            {"card": None, "to": "seat-1", "rank": None, "raw": None},
        ),
        (
            "device_fault",
            {"reason": "retransmission", "card": "8S", "to": "player"},
            {"reason": "retransmission", "card": None, "to": "player"},
        ),
        ("device_fault", {"reason": "impossible_card", "bytes": "f1 b1"}, {"reason": "impossible_card", "bytes": None}),
        ("device_fault", {"reason": "unknown_code", "said": "10D"}, {"reason": "unknown_code", "said": None}),
        ("device_fault", {"reason": "impossible_pocket", "said": "99"}, None),
        ("device_fault", {"reason": "garbage", "bytes": 512}, None),
        ("device_fault", {"reason": "unknown_event", "event": "card_shown"}, None),
        ("cards_counted", {"cards": 7}, None),
        ("packet_dispensed", {"cards": 3, "to": "seat-1"}, None),
        ("ball_settled", {"pocket": "17"}, None),
        ("hand_keyed", {"hand": "blackjack", "on": True}, None),
    ],
)
def test_only_what_tells_a_card_is_withheld(event, data, withheld):
    seen = {"t": 1.0, "device": "d", "event": event, "data": data}
    (message,) = envelope().messages(record("observation", "observation/d", seen))
    expected = seen if withheld is None else {**seen, "data": withheld, "withheld": True}
    assert json.loads(message.payload)["data"] == expected


def test_an_alert_and_an_irregularity_tell_no_card_either():
    fault, hidden = ({"reason": "impossible_card", "bytes": told} for told in ("f1 b1", None))
    for kind, field in (("alert", "detail"), ("irregularity", "observed")):
        body = {"key": "shoe-fault", "raised": True, field: fault}
        told = record(kind, f"{kind}/x", body)
        assert json.loads(envelope().messages(told)[0].payload)["data"] == {**body, field: hidden}
        assert json.loads(envelope(live_cards=True).messages(told)[0].payload)["data"] == body
        clean = record(kind, f"{kind}/x", {**body, field: {"reason": "silent", "seconds": 30}})
        assert envelope().body(clean) is clean.body


def test_a_lasting_condition_is_retained_and_its_end_told_then_removed():
    raised = record("alert", "alert/jam-shuffler", {"key": "jam-shuffler", "raised": True}, True)
    (message,) = envelope().messages(raised)
    assert message.retain
    assert envelope().retained(raised) == message
    cleared = record("alert", "alert/jam-shuffler", {"key": "jam-shuffler", "raised": False}, True)
    told, removed = envelope().messages(cleared)
    assert (told.retain, json.loads(told.payload)["sequence"]) == (False, 7)
    assert removed == ("pitwatch/1/toledo/RL-07/alert/jam-shuffler", b"", True)
    assert envelope().retained(cleared) == removed


def test_a_device_no_longer_configured_is_removed():
    gone = record("device", "device/old", {"device": "old", "state": "removed"}, True)
    assert [m.retain for m in envelope().messages(gone)] == [False, True]
    there = record("device", "device/new", {"device": "new", "state": "offline"}, True)
    assert [m.retain for m in envelope().messages(there)] == [True]


def test_states_have_ids_of_their_own_and_no_sequence():
    e = envelope()
    first, second = (json.loads(e.state("status", {"state": "ready"}, (1, 0, False))) for _ in range(2))
    assert first["id"] != second["id"]
    assert "sequence" not in first
    assert (second["time"], second["monotonic"], second["clocksynced"]) == ("1970-01-01T00:00:00.000000Z", "1", False)


DAY_NS = 86_400 * 1_000_000_000


@pytest.mark.parametrize(("seq", "told"), [(7, 7), (2**31 - 1, 2**31 - 1), (2**31, "2147483648"), (2**53, str(2**53))])
def test_a_strict_reader_takes_numbers_of_any_size(seq, told):
    """CNCF's Go SDK refuses an Integer above 32 bits."""
    seen = Record(
        seq, "b00t", DAY_NS, DAY_NS, True, "observation", "observation/shoe", False, json.dumps(SEEN).encode()
    )
    apart = envelope(live_cards="apart")
    for message in (*apart.messages(seen), Message("", apart.state("health", {}, (DAY_NS, DAY_NS, True)), False)):
        attributes = cloud_events.read(message.payload)
        assert (attributes["monotonic"], "monotonicns" in attributes) == (str(DAY_NS), False)
        assert attributes.get("sequence") in (told, None)
        assert type(attributes.get("sequence")) in (type(told), type(None))
    assert cloud_events.read(apart.messages(seen)[0].payload)["sequence"] == told


def test_the_old_attribute_is_published_where_it_is_asked_for():
    old = envelope(live_cards="apart", monotonicns=True)
    seen = Record(7, "b00t", DAY_NS, DAY_NS, True, "observation", "observation/shoe", False, json.dumps(SEEN).encode())
    for payload in (*(m.payload for m in old.messages(seen)), old.state("health", {}, (DAY_NS, DAY_NS, True))):
        told = json.loads(payload)
        assert (told["monotonic"], told["monotonicns"]) == (str(DAY_NS), DAY_NS)
        with pytest.raises(ValueError, match="monotonicns is no Integer"):  # so it is no longer the default
            cloud_events.read(payload)


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0, "1970-01-01T00:00:00.000000Z"), (951_782_399_999_999_999, "2000-02-28T23:59:59.999999Z")],
)
def test_utc(ns, text):
    assert utc(ns) == text


def test_live_cards_may_go_to_a_topic_of_their_own():
    body = b'{"t":1.0,"device":"shoe","event":"card_drawn","data":{"card":"8S","to":"player"}}'
    drawn = Record(7, "b00t", 1, 1, True, "observation", "observation/shoe", False, body)
    told, live = envelope(live_cards="apart").messages(drawn)
    assert told.topic.endswith("/observation/shoe")
    assert b"8S" not in told.payload
    assert (live.topic, live.retain) == ("pitwatch/1/toledo/RL-07/live/shoe", False)
    event = json.loads(live.payload)
    assert (event["data"]["data"]["card"], event["id"], "sequence" in event) == ("8S", "RL-07/b00t/7/live", False)
    started = Record(8, "b00t", 1, 1, True, "observation", "observation/shoe", False, body.replace(b"drawn", b"other"))
    assert len(envelope(live_cards="apart").messages(started)) == 1  # nothing is withheld of it
