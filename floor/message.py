"""One message of a floor: its table, its topic, the event in its envelope. Opens nothing."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from pitwatch.daemon.contract.event import Event

KIND = "pitwatch."


class Message(NamedTuple):
    """`table` is SITE/TABLE, `subtopic` what follows it. `event` is None where a retained message was removed."""

    table: str
    subtopic: str
    event: Event | None
    retained: bool
    payload: bytes = b""
    """As it came."""
    ticket: tuple[int, int] = (0, 0)
    """Connection and packet: what `Feed.settle` needs."""


class Unreadable(NamedTuple):
    """A message on a topic below the prefix that no table would send, and why not, in one line. `table` is SITE/TABLE
    as far as the topic says it, else empty."""

    table: str
    topic: str
    payload: bytes
    reason: str
    ticket: tuple[int, int] = (0, 0)


MOST_NESTED = 64
"""Levels of objects and lists in a message; a table has some ten. Python itself ends at about a thousand, or fewer,
wherever it stands when it reads them."""

_decode = msgspec.json.Decoder(Event).decode
_whole = msgspec.json.Decoder().decode


def table_of(prefix: str, topic: str) -> str:
    """SITE/TABLE of a topic, empty if it names none."""
    levels = topic[len(prefix) + 1 :].split("/", 2) if topic.startswith(prefix + "/") else []
    return "/".join(levels[:2]) if len(levels) == 3 else ""


def read_message(prefix: str, topic: str, payload: bytes, retained: bool, ticket: tuple[int, int] = (0, 0)) -> Message:
    """A message on a table's topic. Raises ValueError, in one line, for what no table would send."""
    if not topic.isprintable():
        raise ValueError(f"{topic!r}: no topic of a table")
    table = table_of(prefix, topic)
    if not table:
        raise ValueError(f"{topic}: not below {prefix}/SITE/TABLE")
    subtopic = topic[len(prefix) + len(table) + 2 :]
    if not payload:
        return Message(table, subtopic, None, retained, payload, ticket)
    try:
        event = _decode(payload)
        whole = _whole(payload)  # what nobody here looks at too: who reads the message later reads all of it
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{topic}: not an event: {str(error)[:120]}") from None
    if payload.count(b"{") + payload.count(b"[") > MOST_NESTED and _is_deep(whole):
        raise ValueError(f"{topic}: not an event: nested deeper than {MOST_NESTED} levels")
    if event.told_monotonicns not in (None, event.monotonicns):
        raise ValueError(f"{topic}: monotonic is {event.monotonic}, monotonicns {event.told_monotonicns}")
    if event.source != f"/{table}":
        raise ValueError(f"{topic}: says it is from {event.source[:80]!r}")
    if not event.type.startswith(KIND) or event.type.count(".") != 2 or not event.kind:
        raise ValueError(f"{topic}: no type of ours: {event.type[:80]!r}")
    return Message(table, subtopic, event, retained, payload, ticket)


def _is_deep(value: object) -> bool:
    """Whether a value is nested too deeply; level by level, since Python's own depth is limited."""
    level = [value]
    for _ in range(MOST_NESTED):
        within = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        if not within:
            return False
        level = [inner for each in within for inner in each]
    return any(isinstance(each, dict | list) for each in level)
