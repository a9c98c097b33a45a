"""One bookmark: camera, time span, reason. Puts its fields into templates. Sends nothing."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec

from pitwatch.daemon.contract.wording import named
from pitwatch.floor.message import Message

MOST_ROLL_S = 3600
MOST_TEXT = 1000
"""Characters of one text; what a table writes there is not ours to trust."""


class Bookmark(msgspec.Struct, frozen=True, kw_only=True):
    """As a command has it on standard input and a POST without a template in its body. Times are UTC, as RFC 3339 and
    in milliseconds since 1970; `clock_synced` false: the table's clock was not set, they may be wrong by years."""

    id: str
    """The event's: the same bookmark sent again has the same."""
    site: str
    table: str
    camera: str
    at: str
    begin: str
    end: str
    at_ms: int
    begin_ms: int
    end_ms: int
    duration_ms: int
    preroll_s: int
    postroll_s: int
    clock_synced: bool
    rule: str
    category: str
    severity: str
    round: int | None
    disposition: str
    instruction: str
    citation: str
    text: str
    """One line for people."""
    says: str
    """The rule's sentence; empty from a table of an earlier version."""


FIELDS = tuple(field.name for field in msgspec.structs.fields(Bookmark))


class _Citation(msgspec.Struct):
    document: str = ""
    section: str = ""
    lines: str = ""


class _Irregularity(msgspec.Struct):
    """The fields of a record that a video system receives."""

    rule: str
    category: str = ""
    severity: str = ""
    round: int | None = None
    disposition: str = ""
    instruction: str = ""
    says: str = ""
    citation: _Citation = msgspec.field(default_factory=_Citation)


def bookmark(message: Message, cameras: Mapping[str, str], preroll_s: int, postroll_s: int) -> Bookmark:
    """Of an irregularity. `cameras` by SITE/TABLE and the seconds are for a table that says none itself.

    Raises ValueError, in one line, if there is no time or the message is no irregularity of ours.
    """
    event = message.event
    if event is None or event.kind != "irregularity":
        raise ValueError(f"{message.table}: no irregularity")
    try:
        seen = msgspec.json.decode(event.data, type=_Irregularity)
        at = datetime.fromisoformat(event.time).astimezone(UTC)
        before = _roll(preroll_s if event.preroll is None else event.preroll)
        after = _roll(postroll_s if event.postroll is None else event.postroll)
        begin, end = at - timedelta(seconds=before), at + timedelta(seconds=after)
    except (msgspec.DecodeError, ValueError, OverflowError) as error:
        raise ValueError(f"{message.table}: no bookmark of {_line(event.id)}: {_line(str(error))}") from None
    site, _, table = message.table.partition("/")
    cited = seen.citation
    return Bookmark(
        id=_line(event.id),
        site=site,
        table=table,
        camera=_line(event.camera or cameras.get(message.table, "")),
        at=_utc(at),
        begin=_utc(begin),
        end=_utc(end),
        at_ms=_ms(at),
        begin_ms=_ms(begin),
        end_ms=_ms(end),
        duration_ms=(before + after) * 1000,
        preroll_s=before,
        postroll_s=after,
        clock_synced=event.clocksynced,
        rule=_line(seen.rule),
        category=_line(seen.category),
        severity=_line(seen.severity),
        round=seen.round,
        disposition=_line(seen.disposition),
        instruction=_line(seen.instruction),
        citation=_line(" ".join(filter(None, (cited.document, cited.section, cited.lines)))),
        text=_line(f"{table} {seen.severity}: {named(seen.rule, seen.says)}. {seen.instruction}".strip()),
        says=_line(seen.says),
    )


def fields_of(template: str) -> list[str]:
    """The fields that a template names."""
    return string.Template(template).get_identifiers()


def in_json(template: str, values: Mapping[str, Any]) -> str:
    """Each value as JSON writes it, text without its quotes: those stand in the template."""
    told = {name: json.dumps(value) for name, value in values.items()}
    return string.Template(template).substitute(
        {name: text[1:-1] if isinstance(values[name], str) else text for name, text in told.items()}
    )


def in_url(template: str, values: Mapping[str, Any]) -> str:
    """Each value with everything escaped that means something in an address."""
    return string.Template(template).substitute({name: quote(_plain(value), "") for name, value in values.items()})


def in_argument(template: str, values: Mapping[str, Any]) -> str:
    """Each value as it is. Raises ValueError if that makes an option of what was none."""
    text = string.Template(template).substitute({name: _plain(value) for name, value in values.items()})
    if text.startswith("-") and not template.startswith("-"):
        raise ValueError(f"{template} would be {text[:60]!r}, which a program takes for an option")
    return text


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _line(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text[:MOST_TEXT])


def _roll(seconds: int) -> int:
    return min(max(seconds, 0), MOST_ROLL_S)


def _utc(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _ms(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
