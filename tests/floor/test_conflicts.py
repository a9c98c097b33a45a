"""Which messages of one id are the same record told again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pitwatch.daemon.contract.messages import withhold
from pitwatch.floor.conflicts import FIELDS, differences
from tests.floor.archive.stream import closed, seen

DRAWN = seen("shoe", "card_drawn", 5, 5, card="TD", to="seat-3").payload


def altered(payload: bytes, **fields: Any) -> bytes:
    return json.dumps(json.loads(payload) | fields).encode()


def as_published(payload: bytes) -> bytes:
    told = json.loads(payload)
    return altered(payload, data=json.loads(withhold("observation", json.dumps(told["data"]).encode())))


def with_card(card: str | None) -> bytes:
    told = json.loads(DRAWN)
    told["data"]["data"]["card"] = card
    return json.dumps(told).encode()


def test_what_is_told_again_is_the_same() -> None:
    again = json.dumps(json.loads(DRAWN), indent=2, sort_keys=True).encode()
    assert differences(DRAWN, DRAWN) == differences(DRAWN, again) == []
    assert differences(DRAWN, altered(DRAWN, camera="3", preroll=5)) == []


def test_with_its_card_and_without_is_the_same() -> None:
    published = as_published(DRAWN)
    assert b"TD" not in published
    assert differences(DRAWN, published) == differences(published, DRAWN) == []


@pytest.mark.parametrize("card", ["TC", None])
def test_another_card_is_a_conflict(card: str | None) -> None:
    assert differences(DRAWN, with_card(card)) == differences(with_card(card), DRAWN) == ["data"]


def test_withheld_but_elsewhere_is_a_conflict() -> None:
    told = json.loads(as_published(DRAWN))
    told["data"]["data"]["to"] = "seat-4"
    assert differences(DRAWN, json.dumps(told).encode()) == ["data"]


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_counts(field: str) -> None:
    message = closed(1, 1.0, 1).payload
    assert differences(message, altered(message, **{field: "other"})) == [field]


def test_a_record_of_before_an_update_is_the_same() -> None:
    """Told again, it has its numbers in the other form."""
    message = closed(1, 1.0, 2**31).payload
    old = json.loads(message)
    old["monotonicns"] = int(old.pop("monotonic"))
    before = json.dumps(old).encode()
    assert differences(message, before) == differences(before, message) == []
    assert differences(message, altered(message, monotonicns=old["monotonicns"])) == []
    assert differences(message, altered(message, sequence=str(2**31))) == []
    assert differences(before, altered(message, monotonic="1")) == ["monotonic"]
    assert differences(message, altered(message, sequence="02147483648")) == ["sequence"]


def test_one_that_is_no_truth_value_is_another() -> None:
    message = closed(1, 1.0, 1).payload
    assert differences(message, altered(message, sequence=1.0)) == ["sequence"]
    assert differences(message, altered(message, clocksynced=1)) == ["clocksynced"]


@pytest.mark.parametrize("payload", [b"[]", b"\xff", b"[" * 50_000])
def test_what_is_no_event_is_refused_in_one_line(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"^not an event: [^\n]*$"):
        differences(DRAWN, payload)
