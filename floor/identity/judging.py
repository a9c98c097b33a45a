"""Compares what tables publish with what they published before, and with what the house approved. Pure: no I/O, no
clock. Signatures are verified elsewhere, because that takes milliseconds.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from pitwatch.daemon.contract.event import Event
from pitwatch.daemon.contract.messages import CheckpointData, RetentionData
from pitwatch.daemon.journal.statements import CHECKPOINT, RETENTION
from pitwatch.floor.identity import runs
from pitwatch.floor.identity.approved import KEY, NAMES, Approved
from pitwatch.floor.identity.finding import (
    BEGAN_ANEW,
    FORGED,
    NOT_APPROVED,
    OTHER_KEY,
    REWRITTEN,
    ROLLED_BACK,
    Ended,
    Finding,
    short,
)
from pitwatch.floor.identity.past import WRITE_EVERY, Claim, Past
from pitwatch.floor.message import Message

Statement = CheckpointData | RetentionData
HASH = re.compile(r"[0-9a-f]{64}\Z")
MOST_BOOT = 100
"""Characters of a run's name; what is longer is put aside by the archive."""
UNKNOWN = "unknown"
"""The boot of a record that stands for one that was lost with the journal's file."""
MOST = 2**53
HOLD = 10.0
"""Seconds for which something that is not approved has to last: what a broker kept is soon followed by what is so."""
MOST_TABLES = 1_000
MOST_TOLD = 1_000
"""Findings of one table that are remembered, so that each is reported once."""


class _System(msgspec.Struct):
    event: str
    detail: dict[str, Any] = {}


class _Alert(msgspec.Struct):
    key: str
    raised: bool


class _Status(msgspec.Struct):
    state: str = ""
    fingerprints: dict[str, Any] = {}
    key: str | None = None


class _Health(msgspec.Struct):
    committed: int = 0


class _Before(msgspec.Struct):
    """The head that the checkpoint before has signed, where a checkpoint names it."""

    previous: int | None = None
    previous_hash: str | None = None


_read = {
    kind: msgspec.json.Decoder(shape).decode
    for kind, shape in (("system", _System), ("alert", _Alert), ("status", _Status), ("health", _Health))
}
_statements: dict[str, Any] = {
    CHECKPOINT: msgspec.json.Decoder(CheckpointData).decode,
    RETENTION: msgspec.json.Decoder(RetentionData).decode,
}
_before = msgspec.json.Decoder(_Before).decode


def statement(message: Message) -> Statement | None:
    """What a message states with a signature, if it does."""
    event = message.event
    if event is None or event.kind not in _statements or not _is_boot(event.bootid):
        return None
    try:
        said: Statement = _statements[event.kind](event.data)
    except (ValueError, RecursionError):
        return None
    sound = 0 <= said.sequence < MOST and HASH.match(said.hash) and (said.key is None or KEY.match(said.key))
    return said if sound and said.signature is not None else None


class Judge:
    """`hear` and `signed` take what comes; `judge` says what that brings to light. Whoever keeps pasts fills `pasts`
    and `told` before, and names the table in `due`."""

    def __init__(self, approved: Approved):
        self.approved = approved
        self.pasts: dict[str, Past] = {}
        self.told: dict[str, dict[tuple[str, str], str]] = {}
        """Kind and subject of what was found, by table; with the other run, where there is one."""
        self._over: set[Ended] = set()
        self.due: set[str] = set()
        """Tables of which something was heard that may contradict what was known."""

    def past(self, table: str) -> Past:
        return self.pasts.setdefault(table, Past())

    def hear(self, message: Message, now: float) -> None:
        """One message; what it states with a signature is for `signed`."""
        event = message.event
        if event is None or not _is_boot(event.bootid) or event.kind in ("live", "response"):
            return
        if message.table not in self.pasts and len(self.pasts) >= MOST_TABLES:
            return
        try:
            reader = _read.get(event.kind)
            data = reader(event.data) if reader is not None else None
        except (ValueError, RecursionError):
            data = None
        past = self.past(message.table)
        again = message.subtopic.startswith("response/")
        if isinstance(data, _Status):
            if not again:
                self._status(message.table, past, event, data, now)
        elif isinstance(data, _Health):
            if (run := past.runs.get(event.bootid)) is not None and run.committed < data.committed < MOST:
                if run.refused or data.committed // WRITE_EVERY > run.committed // WRITE_EVERY:
                    past.changed.add(run.boot)
                run.committed = data.committed
        elif event.sequence is not None and 0 < event.sequence <= MOST:
            live = not (message.retained or again or event.standing or event.kind == RETENTION)
            self._record(message.table, past, event, data, live, now)

    def signed(self, message: Message, said: Statement, genuine: bool, now: float, fresh: bool = True) -> list[Finding]:
        """A signed statement, once it is known whether its signature is genuine. `fresh`: whoever keeps pasts does not
        know its signature yet."""
        event, table = message.event, message.table
        assert event is not None
        past, which = self.past(table), f"{event.kind} {event.sequence}"
        here = {"boot": event.bootid, "record": event.sequence, "sequence": said.sequence, "hash": said.hash}
        wrong = ""
        if not genuine:
            wrong = "its signature is not genuine: its sender does not have the key that it names"
        elif said.table != table:
            wrong = f"it is of table {said.table}: a journal of another table, sent under this one's name"
        elif event.sequence is not None and said.sequence >= event.sequence:
            wrong = f"it signs record {said.sequence}, which comes after it"
        if wrong:
            told = f"{which} is forged: {wrong}. Keep the message, and look at who may publish as this table"
            return self._new(
                [Finding(table, FORGED, event.id[:200], told, {"key": next(reversed(past.keys), None)}, here)]
            )
        assert said.key is not None
        past.hear_key(event.bootid, said.key)
        if event.kind == CHECKPOINT and fresh and (said.key, said.sequence) not in past.heads:
            past.prove_key(event.bootid, said.key, said.sequence)
        at, again = _at(event), message.retained or message.subtopic.startswith("response/")
        if not again and event.bootid not in past.former and not (at and at < past.now_at):
            past.become("key", said.key, now)
        self.due.add(table)
        found: list[Finding] = []
        for sequence, hash_ in (_previous(event), (said.sequence, said.hash)):
            known = past.heads.get((said.key, sequence))
            if sequence and known is None:
                past.sign(said.key, sequence, hash_)
            elif sequence and known != hash_:
                told = (
                    f"{which} says that record {sequence} has another hash than a checkpoint before said: the journal"
                )
                told += " was rewritten. Hold it against the archive (pitwatch archive verify)"
                heard, now_said = {"sequence": sequence, "hash": known}, {**here, "sequence": sequence, "hash": hash_}
                found.append(Finding(table, REWRITTEN, f"{sequence} {hash_}", told, heard, now_said))
        return self._new(found)

    def differs(self, message: Message, fields: list[str]) -> list[Finding]:
        """A record whose id is known, but with other content."""
        event = message.event
        assert event is not None
        told = f"record {event.sequence} came again with other content ({', '.join(fields)}): one of the two is forged."
        said = {"boot": event.bootid, "sequence": event.sequence, "fields": fields}
        found = Finding(message.table, REWRITTEN, event.id[:200], told + " Keep both", {"id": event.id}, said)
        return self._new([found])

    def judge(self, now: float) -> tuple[list[Finding], list[Ended]]:
        """What has come to light, and what is over, of the tables that are due."""
        found: list[Finding] = []
        ended: list[Ended] = []
        for table in sorted(self.due):
            self.due.discard(table)
            past, told = self.past(table), self.told.setdefault(table, {})
            keys = self.approved.of(table, "key")
            before = {subject: other for (kind, subject), other in told.items() if kind in (ROLLED_BACK, BEGAN_ANEW)}
            held = runs.hold(table, past, keys, before, now)
            values, waiting = self._not_approved(table, past, now)
            if held.waiting or waiting:
                self.due.add(table)
            ended += self._ended(table, past, {each.subject for each in held.found})
            found += self._new([*held.found, *values, *self._other_keys(table, past)])
        return found, ended

    # -- one thing each

    def _status(self, table: str, past: Past, event: Event, data: _Status, now: float) -> None:
        at = _at(event)
        if data.state == "lost" or event.bootid in past.former or (at and at < past.now_at):
            return
        if past.now and past.now != event.bootid:
            past.former.add(past.now)
        past.now, past.now_at = event.bootid, at or past.now_at
        new = False
        for what in NAMES:
            value = data.key if what == "key" else data.fingerprints.get(what)
            if isinstance(value, str) and value and (what != "key" or KEY.match(value)):
                new |= past.become(what, value, now)
        if data.key is not None and KEY.match(data.key):
            new |= past.hear_key(event.bootid, data.key)
        if new:
            self.due.add(table)

    def _record(self, table: str, past: Past, event: Event, data: object, live: bool, now: float) -> None:
        assert event.sequence is not None
        note = data if isinstance(data, _System) else None
        if note is not None and note.event == "record_lost":
            return
        run, look = past.meet(event.bootid, event.sequence, now, live)
        at = _at(event) if look or not run.began else 0.0
        if at and (not run.began or at < run.began):
            run.began, look = at, True
            past.changed.add(run.boot)
        if isinstance(data, _Alert) and data.key == "journal":
            run.refused = event.sequence if data.raised else 0
            past.changed.add(run.boot)
        if note is not None and note.event == "journal_set_aside" and run.claim is None:
            run.aside = True
            past.changed.add(run.boot)
        if note is not None and note.event == "started" and run.claim is None:
            run.claim, look = claim_of(event.sequence, note.detail), True
            past.changed.add(run.boot)
        if look:
            self.due.add(table)

    def _other_keys(self, table: str, past: Past) -> list[Finding]:
        known, found = "", []
        right = self.approved.of(table, "key")
        for key, boot in past.keys.items():
            if known and not right:
                told = "another key than before signs its journal: another board, another card, or a key made anew. "
                told += "Find out who changed it; approve the new key in FLOOR.toml"
                found.append(Finding(table, OTHER_KEY, f"key {key}", told, {"key": known}, {"key": key, "boot": boot}))
            known = known or key
        return found

    def _not_approved(self, table: str, past: Past, now: float) -> tuple[list[Finding], bool]:
        found, waiting = [], False
        for what, (value, since) in past.values.items():
            right = self.approved.of(table, what)
            if not right or value in right:
                continue
            if now - since < HOLD:
                waiting = True
                continue
            told = f"its {what} is not one that the house has approved: {short(value)}. Find out who changed it, or "
            told += "approve it in FLOOR.toml"
            subject = f"{what} {value}"
            found.append(Finding(table, NOT_APPROVED, subject, told, {what: list(right)}, {what: value}))
        return found, waiting

    def _ended(self, table: str, past: Past, runs_found: set[str]) -> list[Ended]:
        keys = self.approved.of(table, "key")
        over: list[Ended] = []
        for kind, subject in self.told.get(table, {}):
            what, _, rest = subject.partition(" ")
            if kind == OTHER_KEY:
                ends = rest in keys
            elif kind == NOT_APPROVED:
                value, right = past.values.get(what, ("", 0.0))[0], self.approved.of(table, what)
                ends = not right or value in right or value not in ("", rest)
            elif kind in (ROLLED_BACK, BEGAN_ANEW):
                ends = subject not in runs_found and bool(runs.board(past, rest, keys))
            else:
                continue
            if ends and (each := Ended(table, kind, subject)) not in self._over:
                self._over.add(each)
                over.append(each)
        for each in over:
            if each.kind == NOT_APPROVED:  # it may come back, and is then reported again
                self._over.discard(each)
                del self.told[table][each.kind, each.subject]
        return over

    def _new(self, found: list[Finding]) -> list[Finding]:
        """What was not reported yet."""
        new = []
        for each in found:
            told = self.told.setdefault(each.table, {})
            if (each.kind, each.subject) not in told:
                told[each.kind, each.subject] = str(each.heard.get("boot", ""))
                if len(told) > MOST_TOLD:
                    del told[next(iter(told))]
                new.append(each)
        return new


def claim_of(sequence: int, detail: Any) -> Claim:
    """What a `started` record, number `sequence`, says of the run before."""
    if not isinstance(detail, dict):
        return Claim(sequence)
    boot, last = detail.get("previous_boot"), detail.get("last_sequence")
    if isinstance(boot, str) and type(last) is int and 0 < last < MOST:
        return Claim(sequence, boot if _is_boot(boot) and boot != UNKNOWN else "", last)
    return Claim(sequence)


def _is_boot(text: str) -> bool:
    return 0 < len(text) <= MOST_BOOT and text.isprintable()


def _previous(event: Event) -> tuple[int, str]:
    """Sequence and hash of the head before; 0 where it is not reported."""
    if event.kind != CHECKPOINT:
        return 0, ""
    try:
        said = _before(event.data)
    except (ValueError, RecursionError):
        return 0, ""
    known = said.previous is not None and 0 < said.previous < MOST and HASH.match(said.previous_hash or "")
    return (said.previous or 0, said.previous_hash or "") if known else (0, "")


def _at(event: Event) -> float:
    """Seconds since 1970 by a clock that was set, else 0."""
    if not event.clocksynced or not event.time:
        return 0.0
    try:
        return datetime.fromisoformat(event.time).timestamp()
    except (ValueError, OverflowError):
        return 0.0
