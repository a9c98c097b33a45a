"""Requests to hold records past `keep_days`, and to release them: which records a request means, and why it is refused.

A hold names the records `first` to `last`, or an irregularity, around which it takes what its evidence needs.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.contract.asked import HoldRequest
from pitwatch.daemon.contract.messages import HeldData
from pitwatch.daemon.journal.chain import Record

AROUND = 500
"""Records before the first evidence of an irregularity and after its own record: the round with the one before, and the
wires."""


class Holds(Protocol):
    """What of the journal's holds requests need."""

    @property
    def kept_from(self) -> int:
        """The oldest record that can be held."""

    def refusal(self, first: int) -> str | None: ...
    def hold(
        self, number: int, first: int, last: int, irregularity: int | None, who: str | UnsetType, by: str, reason: str
    ) -> None: ...
    def get(self, number: int) -> HeldData | None: ...
    def release(self, held: HeldData, who: str | UnsetType, by: str, reason: str) -> None: ...


class NoHolds:
    """Of a table whose journal holds nothing."""

    kept_from = 1

    def refusal(self, first: int) -> str | None:
        return "this table holds no records"

    def hold(self, number: int, first: int, last: int, irregularity: int | None, *_: Any) -> None:
        raise AssertionError("refused before")

    def get(self, number: int) -> HeldData | None:
        return None

    def release(self, held: HeldData, who: str | UnsetType, by: str, reason: str) -> None:
        raise AssertionError("there is none")


class _Irregularity(msgspec.Struct):
    evidence: list[int] = []


def span(request: HoldRequest, last: int) -> tuple[int, int] | None:
    """The records that a request names; None if it names an irregularity. `last` is the newest record. Raises
    ValueError that says what would be right."""
    if request.sequence is not UNSET:
        if request.first is not UNSET or request.last is not UNSET:
            raise ValueError("name first and last, or the sequence of an irregularity, and not both")
        if request.sequence > last:
            raise ValueError(f"there are records up to {last}")
        return None
    if request.first is UNSET or request.last is UNSET:
        raise ValueError("name first and last, or the sequence of an irregularity")
    if request.last < request.first:
        raise ValueError("first is after last")
    if request.last > last:
        raise ValueError(f"there are records up to {last}")
    return request.first, request.last


def around(sequence: int, records: list[Record]) -> tuple[int, int]:
    """The records around an irregularity. `records` begins with it, if the journal has it. Raises ValueError."""
    record = records[0] if records and records[0].seq == sequence else None
    if record is None:
        raise ValueError(f"record {sequence} is no longer kept")
    if record.kind != "irregularity":
        raise ValueError(f"record {sequence} is no irregularity; name first and last")
    try:
        evidence = msgspec.json.decode(record.body, type=_Irregularity).evidence
    except msgspec.DecodeError:
        evidence = []
    named = [each for each in evidence if 0 < each <= sequence]
    return min([sequence, *named]) - AROUND, sequence + AROUND
