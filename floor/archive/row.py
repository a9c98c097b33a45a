"""One event as a row of the archive: the message as received, and the columns for queries. Stores nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pitwatch.daemon.contract.event import Event
from pitwatch.floor.message import Message
from pitwatch.rules.text.one_line import one_line

STATES = ("status", "health")
"""Kinds without a sequence that are kept."""

LEFT_OUT = ("live", "response")
"""Kinds that are not archived: the cards of open rounds are in the rounds later; answers are for who asked."""


MOST_SEQUENCE = 2**53
MOST_NS = 2**62 - 1
"""Nanoseconds, of which the sum of two still fits into 64 bits: 146 years."""
YEARS = range(1900, 2263)
"""The latest time in nanoseconds, later than any table lasts."""
MOST_NAME, MOST_ID, MOST_TEXT = 100, 300, 400
"""Characters of what tells a table, a run or a kind, of an event's id, and of what is only looked for; PostgreSQL has
no more than 2,704 bytes in a key."""


class Row(NamedTuple):
    """`at` is UTC; for a record made before the board's clock was set, corrected once it is known by how much.
    `name`: the rule of an irregularity, the game of a round, the event of an observation (a key's with the key's name),
    the key of an alert, the monitor of a statistic, the state of a device or of a table. `partial`: of a round, that
    not all of it was seen. `earlier`: of a last will, whose `at` is when it came, that the broker had retained it: the
    table was lost before.
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
    """Of a record about the clock: wall time minus monotonic time."""


COLUMNS = Row._fields[:-1]
FLAGS = ("synced", "raised", "partial", "earlier")
"""Columns that are true or false, which SQLite gives back as 1 and 0."""


def row_of(message: Message, received: datetime) -> Row | None:
    """A message as a row; None if it is not kept. A record sent again makes the same row as the first time, whatever
    topic it came on. Raises ValueError for data that no table would send."""
    event = message.event
    if event is None or event.kind in LEFT_OUT or (event.sequence is None and event.kind not in STATES):
        return None
    site, _, table = message.table.partition("/")
    try:
        data = event.payload()
        row = Row(
            site=site,
            table_id=table,
            id=event.id,
            sequence=event.sequence,
            boot=event.bootid,
            kind=event.kind,
            subtopic=one_line(_subtopic(event, data), MOST_TEXT),
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
        _check(row)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        why = str(error) if type(error) is ValueError else repr(error)
        told = f"{message.table}/{message.subtopic}: no {event.kind} of a table: {why}"
        raise ValueError(one_line(told, MOST_TEXT)) from None
    return row


def _check(row: Row) -> None:
    """Raises ValueError for what would be no row of every database, or would stand in another's way there."""
    for name, most in (
        ("site", MOST_NAME),
        ("table_id", MOST_NAME),
        ("boot", MOST_NAME),
        ("kind", MOST_NAME),
        ("id", MOST_ID),
    ):
        text: str = getattr(row, name)
        if len(text) > most or not text.isprintable():
            raise ValueError(f"{name} is not of at most {most} printable characters")
    if row.sequence is not None and not 0 <= row.sequence <= MOST_SEQUENCE:
        raise ValueError(f"sequence {row.sequence} is not 0 to {MOST_SEQUENCE}")
    for name, number in (("monotonic", row.monotonic_ns), ("wall_minus_monotonic_ns", row.offset_ns or 0)):
        if abs(number) > MOST_NS:
            raise ValueError(f"{name} {number} is beyond {MOST_NS}")
    own = f"{row.table_id}/{row.boot}/{row.sequence}"
    if row.sequence is not None and row.id != own:
        raise ValueError(f"id {row.id} is not {own}")
    if row.sequence is None and row.id.rpartition("/")[2].isdigit():
        raise ValueError(f"id {row.id} is that of a record, and the event is none")
    if row.at.year not in YEARS:
        raise ValueError(f"the year {row.at.year} is not {YEARS[0]} to {YEARS[-1]}")


def corrected(monotonic_ns: int, offset_ns: int) -> datetime:
    """The right time of a record of a run whose clock was set later."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=(monotonic_ns + offset_ns) // 1000)


def iso(at: datetime) -> str:
    """As events carry it: UTC to the microsecond."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _time(event: Event, data: dict[str, Any], received: datetime) -> datetime:
    """A last will says when it was left with the broker, not when the table was lost: the time of receipt is used."""
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
        case "statistic" | "statistic_state":
            return f"{event.kind}/{_monitor(data)}"
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
        case "observation" if not isinstance(data["data"], dict):
            raise TypeError("data of an observation is no object")
        case "observation" if data["event"] == "key_pressed":
            return _text(f"key_pressed:{data['data'].get('key')}")
        case "observation" | "system":
            return _text(data["event"])
        case "alert":
            return _text(data["key"])
        case "statistic" | "statistic_state":
            return _text(_monitor(data))
        case "device" | "status":
            return _text(data["state"])
        case _:
            return None


def _monitor(data: dict[str, Any]) -> str:
    """As its topic has it: the monitor, and by a dash what it is kept apart by."""
    monitor, key = data["monitor"], data["key"]
    if not isinstance(monitor, str) or not isinstance(key, str):
        raise TypeError("monitor and key of a statistic are no texts")
    return f"{monitor}-{key}" if key else monitor


def _offset(kind: str, data: dict[str, Any]) -> int | None:
    told = data.get("detail") if kind == "system" else None
    offset = told.get("wall_minus_monotonic_ns") if isinstance(told, dict) else None
    return offset if isinstance(offset, int) else None


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return one_line(value, MOST_TEXT)
    raise TypeError(f"{value!r} is no text")
