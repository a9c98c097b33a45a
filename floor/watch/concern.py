"""One line that needs attention, and their order: unacknowledged first, then the most severe, then the oldest."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pitwatch.floor.message import Message
from pitwatch.floor.watch import payloads
from pitwatch.floor.watch.wording import fields, rank

Kind = Literal["irregularity", "condition", "integrity", "lost", "silent", "gap", "trouble", "upgrade"]

MOST_EVIDENCE = 100
"""Records of evidence that are kept with an irregularity."""


class Acknowledgement(NamedTuple):
    """`where`: "sent" until the table answers, then "table": journalled there; or "here": this view alone knows of it,
    for the `reason`. `by`: what he calls himself. `client`: the broker's own name of him, once the table has said it;
    empty where the broker knows none."""

    by: str
    at: float
    where: Literal["sent", "table", "here"]
    note: str = ""
    reason: str = ""
    client: str = ""

    @property
    def who(self) -> str:
        """For people: what is proved first, and of what is only said that it is."""
        if self.client:
            return self.client if self.by in ("", self.client) else f"{self.client}, as {self.by}"
        return self.by


class Kept(NamedTuple):
    """A record as evidence: its kind, its data as JSON, when it happened (UTC)."""

    kind: str
    data: bytes
    time: str


class Concern:
    """`at`: seconds since 1970, when it happened, or when it was heard if the table's clock cannot be right.
    `sequence`: the record that can be acknowledged; None for what this view found out itself."""

    __slots__ = (
        "acknowledged",
        "at",
        "data",
        "earlier",
        "evidence",
        "key",
        "kind",
        "message",
        "name",
        "sequence",
        "severity",
        "table",
    )

    def __init__(
        self,
        table: str,
        kind: Kind,
        name: str,
        severity: str,
        at: float,
        data: payloads.Irregularity
        | payloads.Alert
        | payloads.Integrity
        | payloads.Trouble
        | payloads.System
        | None = None,
        message: Message | None = None,
    ):
        self.table = table
        self.kind = kind
        self.name = name
        self.severity = severity
        self.at = at
        self.data = data
        self.message = message
        self.sequence = message.event.sequence if message and message.event else None
        self.key = f"{table} {kind} {name}"
        """Says which it is among all of the floor, for as long as it lasts."""
        self.earlier = False
        """It was so before this view heard of it, nobody knows since when."""
        self.evidence: dict[int, Kept] = {}
        self.acknowledged: Acknowledgement | None = None

    @property
    def told(self) -> str:
        """In one line: what was seen."""
        if isinstance(self.data, payloads.Irregularity):
            return fields(self.data.observed)
        if isinstance(self.data, payloads.Alert):
            return fields(self.data.detail) if self.data.detail else ""
        if isinstance(self.data, payloads.Integrity):
            return ", ".join(self.data.changed)
        if isinstance(self.data, payloads.Trouble):
            return self.data.told
        if isinstance(self.data, payloads.System):
            faults = self.data.detail.get("faults")
            return "; ".join(map(str, faults)) if isinstance(faults, list) else ""
        return ""

    @property
    def wanted(self) -> list[int]:
        """Sequences of evidence that this view has not heard."""
        if not isinstance(self.data, payloads.Irregularity):
            return []
        return [sequence for sequence in self.data.evidence[:MOST_EVIDENCE] if sequence not in self.evidence]


def order(concern: Concern) -> tuple[bool, int, float, str, str]:
    """Sorts what comes first to the front."""
    return (concern.acknowledged is not None, -rank(concern.severity), concern.at, concern.table, concern.name)
