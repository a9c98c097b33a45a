"""Which records of a journal belong to one irregularity. Reads the journal only.

A package holds the irregularity, its round, the records that its `evidence` names, who acknowledged it, and what the
table was made of then. Records of other rounds, and with them other people's cards and credentials, stay out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from pitwatch.daemon.captures.wiretape import KIND as WIRE
from pitwatch.daemon.captures.wiretape import SECOND
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import TELLING, IntegrityData, ObservationData, RequestData, SystemData
from pitwatch.daemon.evidence.wires import Cut, Window, cut
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.judged_by import TOPIC as INTEGRITY
from pitwatch.daemon.journal.store import Store
from pitwatch.rules.records import Irregularity, Round

NEAR = 200_000
"""Records before and after an irregularity among which its round and its wires are looked for: more than a day's."""

ROUND = 5_000
"""Records among which the observations of one round are."""

CLOCK = ("clock_set", "clock_stepped", "clock_lost")


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """`roles`: what each record is in the package, by its sequence."""

    table: str
    """SITE/TABLE, empty if the journal does not name it."""
    irregularity: Record
    said: Irregularity
    round: Record | None
    evidence: list[Record]
    gone: list[int]
    """Sequences that the irregularity names and the journal no longer has."""
    integrity: Record | None
    """What the table was made of when it judged: the newest record before."""
    started: Record | None
    """Of the run that judged."""
    clock: list[Record]
    acknowledgements: list[Record]
    wires: Cut
    stretch: list[Record]
    """All wire records of the stretch, complete. They hold other rounds, so they are no part of the package."""

    def records(self) -> dict[int, tuple[Record, str]]:
        """Every record of the package with what it is, in order."""
        found = {each.seq: (each, "wire") for each in self.wires.whole}
        found |= {each.seq: (each, "clock") for each in self.clock}
        found |= {each.seq: (each, "acknowledgement") for each in self.acknowledgements}
        for each, role in ((self.integrity, "integrity"), (self.started, "started"), (self.round, "round")):
            if each is not None:
                found[each.seq] = each, role
        found |= {each.seq: (each, "evidence") for each in self.evidence}
        found[self.irregularity.seq] = self.irregularity, "irregularity"
        return dict(sorted(found.items()))


def gather(store: Store, sequence: int) -> Gathered:
    """Everything that belongs to the irregularity that a journal has under this number. Raises UsageError."""
    there = store.one(sequence)
    if there is None:
        raise UsageError(f"{store.path}: there is no record {sequence}; it has {store.pruned + 1} to {store.last}")
    record = there[0]
    if record.kind != "irregularity":
        raise UsageError(f"{store.path}: record {sequence} is no irregularity but of kind {record.kind}")
    try:
        said = msgspec.json.decode(record.body, type=Irregularity)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UsageError(f"{store.path}: record {sequence} cannot be read as an irregularity") from None
    evidence, gone = [], []
    for named in said.evidence:
        found = store.one(named)
        if found is None:
            gone.append(named)
        else:
            evidence.append(found[0])
    rounds = _rounds(store, record, said)
    window = _window(store, record, rounds, evidence)
    stretch = [each for each in _near(store, WIRE, sequence) if each.boot == record.boot]
    integrity = _newest_before(store, INTEGRITY, sequence)
    return Gathered(
        table=_table(integrity),
        irregularity=record,
        said=said,
        round=rounds.record,
        evidence=evidence,
        gone=gone,
        integrity=integrity,
        started=_started(store, record),
        clock=_clock(store, record),
        acknowledgements=_acknowledgements(store, sequence),
        wires=cut(stretch, window),
        stretch=_around(stretch, window, record.t_ns),
    )


def _near(store: Store, kind: str, sequence: int, distance: int = NEAR) -> Iterator[Record]:
    for each in store.of_kind(kind, max(sequence - distance, 0)):
        if each.seq > sequence + distance:
            return
        yield each


class _Rounds(NamedTuple):
    """The record of the irregularity's round, and what the rounds before and after it say."""

    record: Record | None = None
    before: Round | None = None
    after: Round | None = None


def _rounds(store: Store, record: Record, said: Irregularity) -> _Rounds:
    """The nearest round with the irregularity's number in its run of the daemon."""
    found = _Rounds()
    last: Round | None = None
    for each in _near(store, "round", record.seq) if said.round is not None else ():
        told = _round(each)
        if told is None or each.boot != record.boot:
            continue
        nearer = found.record is None or abs(each.seq - record.seq) < abs(found.record.seq - record.seq)
        if told.round == said.round and nearer:
            found = _Rounds(each, last)
        elif found.record is not None and found.after is None:
            found = found._replace(after=told)
        last = told
    return found


def _round(record: Record) -> Round | None:
    try:
        return msgspec.json.decode(record.body, type=Round)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _window(store: Store, record: Record, rounds: _Rounds, evidence: list[Record]) -> Window:
    """From the round's beginning to its end; without a round the moments of the evidence alone."""
    also = {
        (_seen(each).device, each.t_ns) for each in evidence if each.kind == "observation" and each.boot == record.boot
    }
    told = _round(rounds.record) if rounds.record is not None else None
    if told is None:
        return Window(0, 0, False, frozenset(also))
    begin, end = _ns(told.opened), _ns(told.closed)
    observations = [
        each
        for each in _near(store, "observation", record.seq, ROUND)
        if each.boot == record.boot and each.t_ns in (begin, end)
    ]
    also |= {(_seen(each).device, each.t_ns) for each in observations if each.t_ns == begin}
    if rounds.after is not None:
        belongs = _ns(rounds.after.opened) > end
    else:  # the next round is still open, and what closed this one may be its first card
        belongs = not any(each.t_ns == end and _seen(each).event in TELLING for each in observations)
    return Window(begin, end, belongs, frozenset(also), _ns(rounds.before.closed) if rounds.before is not None else 0)


def _seen(record: Record) -> ObservationData:
    return msgspec.json.decode(record.body, type=ObservationData)


def _ns(seconds: float) -> int:
    """Of a time that a record carries in seconds."""
    return round(seconds * SECOND)


def _around(stretch: list[Record], window: Window, t_ns: int) -> list[Record]:
    """The wire records that go on without a break into those of the window, and of the irregularity itself at `t_ns`:
    what the journal kept around it."""
    times = [t_ns, *((window.begin, window.end) if window.end else ())]
    pieces = [msgspec.json.decode(each.body, type=_Piece) for each in stretch]
    before = [each for each in pieces if each.begin * SECOND <= max(times)]
    if not before:
        return []
    newest = max(each.piece for each in before)  # what a timer finds has no byte of its own
    numbers = {newest, *(each.piece for each in before if each.end * SECOND >= min(times))}
    there = {each.piece for each in pieces}
    low, high = min(numbers), max(numbers)
    while low - 1 in there:
        low -= 1
    while high + 1 in there:
        high += 1
    order = [(piece.piece, each.seq, each) for piece, each in zip(pieces, stretch, strict=True)]
    return [each for number, _, each in sorted(order, key=lambda one: one[:2]) if low <= number <= high]


class _Piece(msgspec.Struct):
    piece: int
    begin: float
    end: float


def _newest_before(store: Store, kind: str, sequence: int) -> Record | None:
    """In the file as a numbered record: what outlives its removal cannot be proven."""
    found = store.newest_before(sequence, kind)
    there = store.one(found.seq) if found is not None else None
    return there[0] if there is not None else None


def _table(integrity: Record | None) -> str:
    if integrity is None:
        return ""
    try:
        return msgspec.json.decode(integrity.body, type=IntegrityData).now.get("table", "")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _started(store: Store, record: Record) -> Record | None:
    found = None
    for each in _system(store, record, ("started",)):
        if each.seq < record.seq:
            found = each
    return found


def _clock(store: Store, record: Record) -> list[Record]:
    """What the clock of this run did before the irregularity; where it was not set by then, also when it was set."""
    before = [each for each in _system(store, record, CLOCK) if each.seq < record.seq]
    later = [each for each in _system(store, record, ("clock_set",)) if each.seq > record.seq]
    return [*before, *(later[:1] if not record.synced else ())]


def _system(store: Store, record: Record, events: tuple[str, ...]) -> Iterator[Record]:
    for each in store.of_kind("system"):
        if each.boot != record.boot:
            continue
        try:
            if msgspec.json.decode(each.body, type=SystemData).event in events:
                yield each
        except (msgspec.DecodeError, UnicodeDecodeError):  # of another version
            continue


def _acknowledgements(store: Store, sequence: int) -> list[Record]:
    found = []
    for each in store.of_kind("request", sequence):
        try:
            asked = msgspec.json.decode(each.body, type=RequestData)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if asked.verb == "acknowledge" and asked.accepted and asked.arguments.get("sequence") == sequence:
            found.append(each)
    return found
