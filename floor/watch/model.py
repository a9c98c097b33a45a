"""The floor in this view: tables and lines that need attention, built from messages in any order.

Pure: no screen, no network, no clock of its own; `now` is seconds since 1970. Memory is bounded: what does not fit is
counted, not kept. No message raises an error here; unreadable ones are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pitwatch.daemon.contract.event import Event
from pitwatch.daemon.publishing.envelope import ECHO
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.message import Message
from pitwatch.floor.watch import payloads
from pitwatch.floor.watch.concern import MOST_EVIDENCE, Acknowledgement, Concern, Kept, order
from pitwatch.floor.watch.concerns import Concerns
from pitwatch.floor.watch.found import Found
from pitwatch.floor.watch.table import MOST_DEVICES, Table
from pitwatch.floor.watch.times import believed
from pitwatch.floor.watch.wording import clean, fields

TOPICS = (
    "status", "health", "device/+", "round", "irregularity/+", "observation/+", "system", "integrity", "alert/+",
    "response/+", "requested", "checkpoint", "retention", "wire", "statistic/+", "statistic_state/+",
)  # fmt: skip
"""Everything with a sequence, else there would be gaps; no requests, which are no events, and no live cards."""

MOST_TABLES = 1_000
MOST_CONDITIONS = 64
"""Conditions of one table at a time; as many troubles."""
MOST_BYTES = 65_536
"""Of one message; no table sends so much."""

SILENT_AFTER = 95.0
"""Seconds: three times what lies between two `health` messages, and a little."""

SETTLED_AFTER = 3.0
"""Seconds without another retained message, after which a broker has told all that it keeps."""


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


class Floor:
    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.concerns = Concerns()
        self.stale_since: float | None = None
        """Since when nothing can be heard, or None."""
        self.trouble: str | None = None
        """Why there is no connection."""
        self.unreadable = 0
        self.unreadable_last = ""
        self.no_room = 0
        """Tables, devices and conditions beyond what is kept."""
        self.messages = 0
        self.duplicates = 0
        self.on_change: Callable[[Change], None] = lambda change: None
        self.listens_since = 0.0
        """Since when, in seconds since 1970; what happened before is only known if it was retained."""
        self._connected_at = 0.0
        self._retained_at: float | None = None
        self._unconfirmed: set[str] = set()
        self._recalling = False

    # -- what comes

    def connection(self, trouble: str | None, now: float) -> None:
        """The broker was reached (None) or lost."""
        if trouble is None:
            if self.stale_since is not None:
                self._tell("", "broker_back", {"away_s": round(now - self.stale_since, 1)})
            self.stale_since = self.trouble = None
            self._connected_at = self._retained_at = now
            self.listens_since = self.listens_since or now
            self._unconfirmed = {key for key, each in self.concerns.items() if each.kind == "condition"}
            return
        if self.stale_since is None:
            self._tell("", "broker_lost", {"reason": trouble})
            self.stale_since = now
        self.trouble = clean(trouble)

    def tick(self, now: float) -> None:
        """Notices what does not come: to be called every second or so."""
        if self.stale_since is not None:
            return
        if self._retained_at is not None and now - self._retained_at > SETTLED_AFTER:
            self._retained_at = None
            for key in sorted(self._unconfirmed & self.concerns.keys()):  # it ended while nobody listened
                gone = self.concerns[key]
                self._over(self.tables[gone.table], gone.name)
            self._unconfirmed.clear()
        for table in self.tables.values():
            speaks = table.status is None or table.status.state not in ("lost", "stopping")
            if speaks and not table.silent and now - max(table.heard, self._connected_at) > SILENT_AFTER:
                table.silent = True
                self._add(Concern(table.name, "silent", "", "critical", table.heard))
                self._tell(table.name, "silent", {"since": table.heard})

    def take(self, message: Message, now: float) -> None:
        """One message of a table."""
        self.messages += 1
        if message.retained and self._retained_at is not None:
            self._retained_at = now
        if message.subtopic == ECHO:
            return  # a table's own trial of its broker, or its doctor's
        table = self._table(message.table, now)
        if table is None:
            return
        event = message.event
        if event is None:
            if message.subtopic.startswith("alert/"):
                self._over(table, message.subtopic.removeprefix("alert/"))
            return
        if event.kind == "response":
            self._hear(table, now)
            return
        again = message.subtopic.startswith("response/")
        kept = _kept(event, message)
        if event.sequence is not None and not message.retained:
            if kept is not None:
                self.concerns.evidence(table.name, event.sequence, kept)
            if again and table.sequences.before(event.sequence):
                self._hear(table, now)
                return  # from before this subscriber's time; whoever requested it knows why
            last = table.sequences.last
            if not table.meet(event.bootid, event.sequence, again, event.standing):
                self.duplicates += 1
                return
            if kept is not None and event.kind not in ("wire", "checkpoint", "retention", "irregularity", "round"):
                table.keep(event.sequence, kept)
            if event.sequence != last + 1:
                self._look_for_gaps(table, now)
        if not message.retained:
            self._hear(table, now)
        self._read(table, event, message, kept, now)

    def contradicted(self, found: Finding, now: float) -> None:
        """A table contradicts what it has published, or what the house has approved."""
        table = self._table(found.table, now)
        if table is None or self.concerns.count(table.name, "trouble") >= MOST_CONDITIONS:
            self.no_room += table is not None
            return
        data = payloads.Trouble(found.kind, found.told, found.heard, found.said)
        self._add(Concern(found.table, "trouble", f"{found.kind} {found.subject}", "critical", now, data))
        self._tell(found.table, found.kind, {"told": found.told, "heard": found.heard, "said": found.said})

    def settled(self, over: Ended) -> None:
        """A trouble is over."""
        if self.concerns.remove(f"{over.table} trouble {over.kind} {over.subject}"):
            self._tell(over.table, "trouble_over", {"trouble": over.kind})

    def recall(self, name: str, found: Found, why: str, now: float) -> None:
        """What a table has told again of the time before this subscriber heard it, and `why` it is not everything."""
        table = self.tables[name]
        self._recalling = True
        for sequence, event, message, at in found.told:
            if table.sequences.take(sequence):
                self._read(table, event, message, _kept(event, message), at)
        self._recalling = False
        for sequence, event, message in found.evidence:
            if (kept := _kept(event, message)) is not None:
                self.concerns.evidence(table.name, sequence, kept)
        table.sequences.take_all(found.first, found.last)
        self._look_for_gaps(table, now)
        if why:
            table.notes.append((now, clean(f"the past is not whole here: {why}")))
        self._tell(name, "looked_back", {"since": max(found.back_to, found.since), "reason": why})

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
        self._tell(table.name, "system", {}, message)

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
        said = {"sequence": sequence, "client": client or None, "by": by.by, "note": note, "where": "table"}
        self._tell(table.name, "acknowledged", said)

    # -- what the one who watches does

    def acknowledge(self, concern: Concern, acknowledgement: Acknowledgement) -> None:
        """`sent` or `here`; what the table has journalled comes as its record and is not undone by this."""
        if concern.acknowledged is not None and concern.acknowledged.where == "table":
            return
        concern.acknowledged = acknowledgement
        if acknowledgement.where == "here":
            said = {"sequence": concern.sequence, "what": concern.kind, "by": acknowledgement.by}
            self._tell(concern.table, "acknowledged", {**said, "note": acknowledgement.note, "where": "here"})
            if concern.kind == "gap":
                self.tables[concern.table].forgive_gap()
                self.concerns.remove(concern.key)

    # -- what there is

    def ordered(self) -> list[Concern]:
        """What wants eyes, the first first; what is acknowledged comes last."""
        return sorted(self.concerns.values(), key=order)

    def open_of(self) -> dict[str, int]:
        """How many of a table's concerns nobody has acknowledged."""
        found: dict[str, int] = {}
        for concern in self.concerns.values():
            if concern.acknowledged is None:
                found[concern.table] = found.get(concern.table, 0) + 1
        return found

    # -- within

    def _table(self, name: str, now: float) -> Table | None:
        table = self.tables.get(name)
        if table is None:
            if len(self.tables) >= MOST_TABLES:
                self.no_room += 1
                return None
            table = self.tables[name] = Table(name, now)
        return table

    def _hear(self, table: Table, now: float) -> None:
        table.heard = now
        if table.silent:
            table.silent = False
            self.concerns.remove(f"{table.name} silent ")
            self._tell(table.name, "back", {})

    def _when(self, event: Event, now: float) -> float:
        """When it happened, if the table's clock was set and can be right; else when it was heard."""
        at = believed(event, now)
        return now if at is None else at

    def _look_for_gaps(self, table: Table, now: float) -> None:
        key = f"{table.name} gap "
        missing, known = table.missing, self.concerns.get(key)
        if missing and known is None:
            self._add(Concern(table.name, "gap", "", "critical", now))
            self._tell(table.name, "gap", {"missing": missing, "gaps": table.sequences.gaps})
        elif not missing and known is not None:
            self.concerns.remove(key)
            self._tell(table.name, "gap_filled", {})

    def _over(self, table: Table, key: str, message: Message | None = None) -> None:
        if self.concerns.remove(f"{table.name} condition {key}"):
            self._tell(table.name, "alert", {} if message else {"key": key, "raised": False}, message)

    def _add(self, concern: Concern) -> None:
        if concern.sequence is not None:
            concern.acknowledged = self.tables[concern.table].acknowledgements.get(concern.sequence)
        self.concerns.add(concern)

    def _tell(self, table: str, kind: str, data: dict[str, Any], message: Message | None = None) -> None:
        self.on_change(Change(table, kind, data, message, self._recalling))


def _kept(event: Event, message: Message) -> Kept | None:
    return Kept(event.kind, bytes(event.data), event.time) if len(message.payload) <= MOST_BYTES else None
