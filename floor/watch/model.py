"""The floor in this view: tables and lines that need attention, built from messages in any order.

Pure: no screen, no network, no clock of its own; `now` is seconds since 1970. Memory is bounded: what does not fit is
counted, not kept. No message raises an error here; unreadable ones are counted.
"""

from __future__ import annotations

from pitwatch.daemon.contract.event import Event
from pitwatch.daemon.publishing.envelope import ECHO
from pitwatch.floor.identity.finding import Ended, Finding
from pitwatch.floor.message import Message
from pitwatch.floor.open_lines import OpenLines
from pitwatch.floor.watch import payloads
from pitwatch.floor.watch.concern import Acknowledgement, Concern, Kept, order
from pitwatch.floor.watch.found import Found
from pitwatch.floor.watch.records import MOST_CONDITIONS, Records
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import clean

TOPICS = (
    "status", "health", "device/+", "round", "irregularity/+", "observation/+", "system", "integrity", "alert/+",
    "response/+", "requested", "checkpoint", "retention", "wire", "statistic/+", "statistic_state/+", "hold",
    "cosignature",
)  # fmt: skip
"""Everything with a sequence, else there would be gaps; no requests, which are no events, and no live cards."""

MOST_TABLES = 1_000
MOST_BYTES = 65_536
"""Of one message; no table sends so much."""

SILENT_AFTER = 95.0
"""Seconds: three times what lies between two `health` messages, and a little."""

SETTLED_AFTER = 3.0
"""Seconds without another retained message, after which a broker has sent all that it retains."""


class Floor(Records):
    def __init__(self) -> None:
        super().__init__()
        self.stale_since: float | None = None
        """Since when nothing can be heard, or None."""
        self.trouble: str | None = None
        """Why there is no connection."""
        self.messages = 0
        self.duplicates = 0
        self.listens_since = 0.0
        """Since when, in seconds since 1970; what happened before is only known if it was retained."""
        self.connected_at = 0.0
        """When the broker was last reached, in seconds since 1970; 0 before."""
        self._retained_at: float | None = None
        self._troubles_of_archive: set[str] = set()
        """Those that nobody else would end."""

    # -- what comes

    def connection(self, trouble: str | None, now: float) -> None:
        """The broker was reached (None) or lost."""
        if trouble is None:
            if self.stale_since is not None:
                self._tell("", "broker_back", {"away_s": round(now - self.stale_since, 1)})
            self.stale_since = self.trouble = None
            self.connected_at = self._retained_at = now
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
            speaks = table.status.state not in ("lost", "stopping") if table.status else not table.remembered
            if speaks and not table.silent and now - max(table.heard, self.connected_at) > SILENT_AFTER:
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
        concern = Concern(found.table, "trouble", f"{found.kind} {found.subject}", "critical", now, data)
        if concern.key in self.concerns:
            return  # the archive has given it, or now gives it
        self._add(concern)
        self._tell(found.table, found.kind, {"told": found.told, "heard": found.heard, "said": found.said})

    def settled(self, over: Ended) -> None:
        """A trouble is over."""
        if self.concerns.remove(f"{over.table} trouble {over.kind} {over.subject}"):
            self._tell(over.table, "trouble_over", {"trouble": over.kind})

    def recall(self, name: str, found: Found, why: str, now: float) -> None:
        """What a table has reported again of the time before this subscriber heard it, and `why` it is not
        everything."""
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

    def begin(self, opened: OpenLines, now: float) -> None:
        """What the archive knows to be open. It does not count as heard: records that come later are no gap by it."""
        arrived = self.connected_at > 0 and self.stale_since is None and self._retained_at is None
        before = set(self.concerns)
        self._recalling = True
        for message, at in opened.irregularities:
            self._remember(message, at, now)
        for message, at in opened.standing:
            if not arrived:  # else the broker's own is newer: what it does not retain is over
                self._remember(message, at, now)
        for message, at in opened.acknowledgements:
            self._acknowledged_before(message, at)
        stand = set()
        for found, at in opened.troubles:
            self._table_of_archive(found.table, now)
            self.contradicted(found, at)
            stand.add(f"{found.table} trouble {found.kind} {found.subject}")
        for key in self._troubles_of_archive - stand:
            self.concerns.remove(key)
        self._troubles_of_archive = stand & ((self.concerns.keys() - before) | self._troubles_of_archive)
        self._recalling = False
        new = self.concerns.keys() - before
        self._unconfirmed |= {key for key in new if self.concerns[key].kind == "condition"}

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
        """What needs attention, the first first; what is acknowledged comes last."""
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

    def _table_of_archive(self, name: str, now: float) -> Table | None:
        new = name not in self.tables
        table = self._table(name, now)
        if table is not None and new:
            table.remembered = True
        return table

    def _remember(self, message: Message, at: float, now: float) -> None:
        table, event = self._table_of_archive(message.table, now), message.event
        if table is not None and event is not None:
            self._read(table, event, message, _kept(event, message), at)

    def _hear(self, table: Table, now: float) -> None:
        table.heard = now
        table.remembered = False
        if table.silent:
            table.silent = False
            self.concerns.remove(f"{table.name} silent ")
            self._tell(table.name, "back", {})

    def _look_for_gaps(self, table: Table, now: float) -> None:
        key = f"{table.name} gap "
        missing, known = table.missing, self.concerns.get(key)
        if missing and known is None:
            self._add(Concern(table.name, "gap", "", "critical", now))
            self._tell(table.name, "gap", {"missing": missing, "gaps": table.sequences.gaps})
        elif not missing and known is not None:
            self.concerns.remove(key)
            self._tell(table.name, "gap_filled", {})


def _kept(event: Event, message: Message) -> Kept | None:
    return Kept(event.kind, bytes(event.data), event.time) if len(message.payload) <= MOST_BYTES else None
