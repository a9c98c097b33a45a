"""What each kind of record changes on the floor: tables, devices, rounds, and lines that need attention.

Must not know how records arrive, or whether one is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pitwatch.daemon.contract.event import Event
from pitwatch.floor.message import Message
from pitwatch.floor.watch import payloads
from pitwatch.floor.watch.concern import MOST_EVIDENCE, Acknowledgement, Concern, Kept
from pitwatch.floor.watch.concerns import Concerns
from pitwatch.floor.watch.table import MOST_DEVICES, Table
from pitwatch.floor.watch.times import believed
from pitwatch.floor.watch.wording import clean, fields

MOST_CONDITIONS = 64
"""Conditions of one table at a time; as many troubles."""


class Change(NamedTuple):
    """A change, for followers. `kind` is that of the record, or `lost`, `silent`, `back`, `gap`, `gap_filled`,
    `acknowledged`, `broker_lost`, `broker_back`, `looked_back`, a kind of trouble (floor/identity) or `trouble_over`;
    `message` what brought it, if it was a message. What is `earlier` was before this subscriber's time and is no news.
    """

    table: str
    kind: str
    data: dict[str, Any]
    message: Message | None = None
    earlier: bool = False


class Records:
    """The state of the floor. No record raises an error here; unreadable ones are counted."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.concerns = Concerns()
        self.unreadable = 0
        self.unreadable_last = ""
        self.no_room = 0
        """Tables, devices and conditions beyond what is kept."""
        self.on_change: Callable[[Change], None] = lambda change: None
        self._unconfirmed: set[str] = set()
        self._recalling = False

    def _read(self, table: Table, event: Event, message: Message, kept: Kept | None, now: float) -> None:
        reader = payloads.READ.get(event.kind)
        if reader is None:
            return
        try:
            if kept is None:
                raise ValueError(f"{len(message.payload)} bytes")
            data = reader.decode(kept.data)
        except (ValueError, RecursionError) as error:
            self.unreadable += 1
            self.unreadable_last = clean(f"{table.name}/{message.subtopic}: {error}")
            return
        getattr(self, f"_{event.kind}")(table, event, data, message, now)

    # -- one kind of record each

    def _status(self, table: Table, event: Event, data: payloads.Status, message: Message, now: float) -> None:
        if not table.runs(event.bootid):
            return
        before, table.status = table.status, data
        if before is not None and before.state == data.state:
            return
        table.status_at, table.status_earlier = now, message.retained
        if data.state == "lost":
            table.silent = False
            self.concerns.remove(f"{table.name} silent ")
            concern = Concern(table.name, "lost", "", "critical", now)  # its own time is when the will was left
            concern.earlier = message.retained
            self._add(concern)
        else:
            self.concerns.remove(f"{table.name} lost ")
        self._tell(table.name, "lost" if data.state == "lost" else "status", {}, message)

    def _health(self, table: Table, event: Event, data: payloads.Health, message: Message, now: float) -> None:
        table.health = data

    def _device(self, table: Table, event: Event, data: payloads.Device, message: Message, now: float) -> None:
        if not table.newer(f"device/{data.device}", event.sequence):
            return
        if data.state == "removed":
            table.devices.pop(data.device, None)
        elif data.device in table.devices or len(table.devices) < MOST_DEVICES:
            if table.devices.get(data.device) == data:
                return
            table.devices[data.device] = data
        else:
            self.no_room += 1
            return
        self._tell(table.name, "device", {}, message)

    def _round(self, table: Table, event: Event, data: payloads.Round, message: Message, now: float) -> None:
        table.note_round(event.sequence or 0, data)
        if not self._recalling:
            table.begin_round(event.sequence or 0)
        self._tell(table.name, "round", {}, message)

    def _observation(
        self, table: Table, event: Event, data: payloads.Observation, message: Message, now: float
    ) -> None:
        if event.sequence is None or not table.rounds or event.sequence > table.rounds[-1][0]:
            table.seen.append((now, data))
            table.seen_count += 1

    def _irregularity(
        self, table: Table, event: Event, data: payloads.Irregularity, message: Message, now: float
    ) -> None:
        concern = Concern(table.name, "irregularity", event.id, data.severity, self._when(event, now), data, message)
        if concern.key in self.concerns:
            return  # the archive has given it, or now gives it
        for sequence in data.evidence[:MOST_EVIDENCE]:
            if sequence in table.records:
                concern.evidence[sequence] = table.records[sequence]
        self._add(concern)
        self._tell(table.name, "irregularity", {}, message)

    def _alert(self, table: Table, event: Event, data: payloads.Alert, message: Message, now: float) -> None:
        if not table.newer(f"alert/{data.key}", event.sequence):
            return
        if not data.raised:
            self._over(table, data.key, message)
            return
        concern = Concern(table.name, "condition", data.key, "warning", self._when(event, now), data, message)
        self._unconfirmed.discard(concern.key)
        known = self.concerns.get(concern.key)
        if known is not None and known.sequence == concern.sequence:
            return
        if known is None and self.concerns.count(table.name, "condition") >= MOST_CONDITIONS:
            self.no_room += 1
            return
        self._add(concern)
        self._tell(table.name, "alert", {}, message)

    def _integrity(self, table: Table, event: Event, data: payloads.Integrity, message: Message, now: float) -> None:
        if not data.unsaid or not table.newer("integrity", event.sequence):
            return
        concern = Concern(table.name, "integrity", event.id, "critical", self._when(event, now), data, message)
        if concern.key not in self.concerns:
            self._add(concern)
            self._tell(table.name, "integrity", {}, message)

    def _system(self, table: Table, event: Event, data: payloads.System, message: Message, now: float) -> None:
        table.notes.append((now, clean(f"{data.event.replace('_', ' ')}: {fields(data.detail)}")))
        said: dict[str, str] = {}
        if data.event == "upgrade_rolled_back":
            said = {"severity": "critical"}
            concern = Concern(table.name, "upgrade", event.id, "critical", self._when(event, now), data, message)
            if concern.key not in self.concerns:
                self._add(concern)
        self._tell(table.name, "system", said, message)

    def _request(self, table: Table, event: Event, data: payloads.Request, message: Message, now: float) -> None:
        sequence = data.arguments.sequence
        if data.verb == "unknown" and not data.accepted:
            table.notes.append((now, clean(f"requests of {data.client or 'clients without a name'}: {data.reason}")))
        if data.verb != "acknowledge" or not data.accepted or not sequence:
            return
        note, client = clean(data.arguments.note), clean(data.client)
        by = Acknowledgement(clean(data.by), self._when(event, now), "table", note, client=client)
        table.acknowledge(sequence, by)
        concern = self.concerns.begun_by(table.name, sequence)
        if concern is not None:
            concern.acknowledged = by
        self._tell_acknowledged(table, sequence, by)

    def _acknowledged_before(self, message: Message, at: float) -> None:
        """By the archive. Only what is on the list: a sequence may be given again by a new board under an old name."""
        table, event = self.tables.get(message.table), message.event
        if table is None or event is None or event.sequence is None:
            return
        try:
            data = payloads.READ["request"].decode(event.data)
        except (ValueError, RecursionError):
            return
        concern = self.concerns.begun_by(table.name, data.arguments.sequence)
        if concern is None or concern.sequence is None or concern.sequence >= event.sequence:
            return
        known = concern.acknowledged is not None and concern.acknowledged.where == "table"
        if not known and not (event.clocksynced and at < concern.at):
            note, client = clean(data.arguments.note), clean(data.client)
            concern.acknowledged = Acknowledgement(clean(data.by), at, "table", note, client=client)
            self._tell_acknowledged(table, concern.sequence, concern.acknowledged)

    def _tell_acknowledged(self, table: Table, sequence: int, by: Acknowledgement) -> None:
        client, note = by.client, by.note
        said = {"sequence": sequence, "client": client or None, "by": by.by, "note": note, "where": "table"}
        self._tell(table.name, "acknowledged", said)

    # -- within

    def _over(self, table: Table, key: str, message: Message | None = None) -> None:
        if self.concerns.remove(f"{table.name} condition {key}"):
            self._tell(table.name, "alert", {} if message else {"key": key, "raised": False}, message)

    def _add(self, concern: Concern) -> None:
        if concern.sequence is not None:
            concern.acknowledged = self.tables[concern.table].acknowledgements.get(concern.sequence)
        self.concerns.add(concern)

    def _when(self, event: Event, now: float) -> float:
        """When it happened, if the table's clock was set and can be right; else when it was heard."""
        at = believed(event, now)
        return now if at is None else at

    def _tell(self, table: str, kind: str, data: dict[str, Any], message: Message | None = None) -> None:
        self.on_change(Change(table, kind, data, message, self._recalling))
