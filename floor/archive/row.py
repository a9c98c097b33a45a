"""One event as the archive keeps it: the message as it came, and beside it what is asked for. Stores nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from floor.message import Event, Message

STATES = ("status", "health")
"""Kinds without a sequence that are kept."""

LEFT_OUT = ("live", "response")
"""Kinds that are not archived: the cards of open rounds are in the rounds later; answers are for who asked."""


class Row(NamedTuple):
    """`at` is UTC; for a record made before the board's clock was set, corrected once it is known by how much.
    `name`: the rule of an irregularity, the game of a round, the event of an observation (a key's with the key's name),
    the key of an alert, the state of a device or of a table. `partial`: of a round, that not all of it was seen.
    `earlier`: of a last will, whose `at` is when it came, that the broker had retained it: the table was lost before.
    What does not apply is None."""

    site: str
    table_id: str
    id: str
    sequence: int | None
    boot: str
    kind: str
    subtopic: str
    at: datetime
    monotonic_ns: int
    synced: bool
    name: str | None
    device: str | None
    severity: str | None
    raised: bool | None
    partial: bool | None
    earlier: bool | None
    void: str | None
    payload: str
    offset_ns: int | None = None
    """Of a record that tells what the clock did: wall time minus monotonic time."""


COLUMNS = Row._fields[:-1]
FLAGS = ("synced", "raised", "partial", "earlier")
"""Columns that are true or false, which SQLite gives back as 1 and 0."""


def row_of(message: Message, received: datetime) -> Row | None:
    """A message as a row; None if it is not kept. A record sent again makes the same row as the first time, whatever
    topic it came on. Raises ValueError for data that no table would send."""
    event = message.event
    if event is None or event.kind in LEFT_OUT or (event.sequence is None and event.kind not in STATES):
        return None
    data = event.payload()
    site, _, table = message.table.partition("/")
    try:
        return Row(
            site=site,
            table_id=table,
            id=event.id,
            sequence=event.sequence,
            boot=event.bootid,
            kind=event.kind,
            subtopic=_subtopic(event, data),
            at=_time(event, data, received),
            monotonic_ns=event.monotonicns,
            synced=event.clocksynced,
            name=_name(event.kind, data),
            device=_text(data.get("device")),
            severity=_text(data.get("severity")),
            raised=bool(data["raised"]) if event.kind == "alert" else None,
            partial=bool(data["partial"]) if event.kind == "round" else None,
            earlier=message.retained if _is_will(event, data) else None,
            void=_text(data.get("void")),
            payload=message.payload.decode("utf-8"),
            offset_ns=_offset(event.kind, data),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{message.table}/{message.subtopic}: no {event.kind} of a table: {error!r}"[:200]) from None


def corrected(monotonic_ns: int, offset_ns: int) -> datetime:
    """The right time of a record of a run whose clock was set later."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=(monotonic_ns + offset_ns) // 1000)


def iso(at: datetime) -> str:
    """As events carry it: UTC to the microsecond."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _time(event: Event, data: dict[str, Any], received: datetime) -> datetime:
    """A last will says when it was left with the broker, not when the table was lost: there the receipt tells."""
    if not event.time or _is_will(event, data):
        return received
    return datetime.fromisoformat(event.time).astimezone(UTC)


def _is_will(event: Event, data: dict[str, Any]) -> bool:
    return event.kind == "status" and data["state"] == "lost"


def _subtopic(event: Event, data: dict[str, Any]) -> str:
    match event.kind:
        case "irregularity":
            return f"irregularity/{data['severity']}"
        case "device" | "observation":
            return f"{event.kind}/{data['device']}"
        case "alert":
            return f"alert/{data['key']}"
        case "request":
            return "requested"
        case kind:
            return kind


def _name(kind: str, data: dict[str, Any]) -> str | None:
    match kind:
        case "irregularity":
            return _text(data["rule"])
        case "round":
            return _text(data["game"])
        case "observation" if data["event"] == "key_pressed":
            return f"key_pressed:{data['data'].get('key')}"
        case "observation" | "system":
            return _text(data["event"])
        case "alert":
            return _text(data["key"])
        case "device" | "status":
            return _text(data["state"])
        case _:
            return None


def _offset(kind: str, data: dict[str, Any]) -> int | None:
    told = data.get("detail") if kind == "system" else None
    offset = told.get("wall_minus_monotonic_ns") if isinstance(told, dict) else None
    return offset if isinstance(offset, int) else None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{value!r} is no text")
