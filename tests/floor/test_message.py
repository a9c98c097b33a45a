"""The envelope in the form of today and in that of tables that were not updated yet."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pitwatch.daemon.contract.event import Event
from pitwatch.floor.message import read_message


def heard(**envelope: Any) -> Event:
    known = {"id": "RL-07/b/1", "source": "/toledo/RL-07", "type": "pitwatch.round.v1", "bootid": "b", "data": {}}
    event = read_message(
        "pitwatch/1", "pitwatch/1/toledo/RL-07/round", json.dumps(known | envelope).encode(), False
    ).event
    assert event is not None
    return event


@pytest.mark.parametrize(
    ("envelope", "sequence", "nanoseconds"),
    [
        ({"sequence": 7, "monotonic": "1500000000"}, 7, 1_500_000_000),
        ({"sequence": 7, "monotonicns": 1_500_000_000}, 7, 1_500_000_000),
        ({"sequence": 7, "monotonicns": 9 * 10**15, "monotonic": "9000000000000000"}, 7, 9 * 10**15),
        ({"sequence": "2147483648", "monotonic": "0"}, 2**31, 0),
        ({}, None, 0),
    ],
)
def test_numbers_in_either_form(envelope: dict[str, Any], sequence: int | None, nanoseconds: int) -> None:
    event = heard(**envelope)
    assert (event.sequence, event.monotonicns) == (sequence, nanoseconds)


@pytest.mark.parametrize(
    "envelope",
    [
        {"sequence": "7th"},
        {"sequence": "007"},
        {"sequence": "7\n"},
        {"sequence": "\u0667"},
        {"monotonic": 5},
        {"monotonic": "-0"},
        {"monotonic": "1e9"},
        {"monotonic": "5", "monotonicns": 6},
    ],
)
def test_another_form_is_refused_in_one_line(envelope: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z"):
        heard(**envelope)
