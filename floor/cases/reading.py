"""What the archive's records mean for cases: titles, severities, what a request acknowledges. Pure.

Records come from the network: whatever cannot be read leaves the plain columns of the archive.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from pitwatch.daemon.contract.wording import fields, named
from pitwatch.floor.archive.row import Row, iso
from pitwatch.floor.cases.change import MOST_LINE, EventRef
from pitwatch.rules.text.one_line import one_line

LOST = "lost"
LOST_TITLE = "The table is lost: its connection to the broker ended, and nobody stopped it"

ALERT_SEVERITY = "warning"
"""An alert has no severity of its own; the view of the floor ranks it so too."""
MOST_TOLD = 500
"""Characters of what a record says, in an entry."""

Shape = TypeVar("Shape")


class Irregular(msgspec.Struct):
    rule: str = ""
    says: str = ""
    category: str = ""
    severity: str = ""
    round: int | None = None
    observed: dict[str, Any] = {}
    required: dict[str, Any] = {}
    instruction: str = ""

    @property
    def is_jackpot(self) -> bool:
        """Whether it tells of a jackpot that is to be verified, and not of a mistake around one."""
        awards = self.required.get("hand") == "verified" or "original_jackpot" in self.required
        return self.category == "jackpot" and (awards or "jackpot" in self.observed)

    @property
    def seat(self) -> str:
        seat = self.observed.get("position", self.observed.get("seat"))
        return seat if isinstance(seat, str) else ""


class _Alert(msgspec.Struct):
    key: str = ""
    condition: str = ""
    device: str = ""
    detail: dict[str, Any] = {}


class _Round(msgspec.Struct):
    round: int | None = None


class _Seen(msgspec.Struct):
    data: dict[str, Any] = {}


class _Request(msgspec.Struct):
    verb: str = ""
    client: str = ""
    by: str = ""
    accepted: bool = False
    arguments: dict[str, Any] = {}


class Acknowledged(msgspec.Struct, frozen=True):
    """`client` is the broker's own name of who acknowledged; `by` what he calls himself."""

    sequence: int
    client: str
    by: str
    note: str

    @property
    def text(self) -> str:
        """For the entry: the note, and the name that nobody proved."""
        named_ = f"as {self.by}" if self.by not in ("", self.client) else ""
        return ": ".join(each for each in (named_, self.note) if each)


def irregular(row: Row) -> Irregular:
    found = _data(row, Irregular)
    found.rule = found.rule or row.name or ""
    return found


def title_of(row: Row, found: Irregular) -> str:
    return one_line(named(found.rule, found.says), MOST_LINE)


def about_irregularity(row: Row, found: Irregular) -> EventRef:
    told = f"seen: {fields(found.observed)}; required: {fields(found.required)}"
    return about(row, "irregularity", round=found.round, name=found.rule, text=told, seat=found.seat)


def alert_title(row: Row) -> str:
    found = _data(row, _Alert)
    said = " ".join(each for each in (found.device, found.condition.replace("_", " ")) if each)
    return one_line(said or row.name or "alert", MOST_LINE)


def about_alert(row: Row) -> EventRef:
    detail = _data(row, _Alert).detail
    what = "raised" if row.raised else "ended"
    return about(row, what, name=row.name or "", text=fields(detail) if detail else "")


def about_status(row: Row) -> EventRef:
    """Of a table that is lost, or back."""
    return about(row, "raised" if row.name == LOST else "ended", name=LOST)


def about_jackpot(row: Row) -> EventRef:
    """Of an observation: a progressive meter reports one."""
    said = _data(row, _Seen).data
    hand, seat = (said.get(name) if isinstance(said.get(name), str) else "" for name in ("hand", "seat"))
    return about(row, "jackpot", name=str(hand), seat=str(seat), text=fields(said))


def about_void(row: Row) -> EventRef:
    return about(row, "void", round=_data(row, _Round).round, text=row.void or "")


def acknowledged(row: Row) -> Acknowledged | None:
    """None for other requests, for one that was refused, and from clients that the broker does not know."""
    found = _data(row, _Request)
    sequence = found.arguments.get("sequence")
    if found.verb != "acknowledge" or not found.accepted or not found.client or not isinstance(sequence, int):
        return None
    note = found.arguments.get("note")
    return Acknowledged(sequence, found.client, one_line(found.by, 64), one_line(note if isinstance(note, str) else ""))


def about(row: Row, what: str, **more: Any) -> EventRef:
    for name in ("name", "text", "seat"):
        if name in more:
            more[name] = one_line(more[name], MOST_TOLD if name == "text" else MOST_LINE)
    return EventRef(what=what, at=iso(row.at), id=row.id, sequence=row.sequence or 0, boot=row.boot, **more)


def _data(row: Row, shape: type[Shape]) -> Shape:
    """What can be read of the record's data; the defaults for all of it where something cannot."""
    try:
        return msgspec.convert(msgspec.json.decode(row.payload)["data"], shape)
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, RecursionError):
        return shape()
