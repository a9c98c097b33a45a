"""Compares everything that the archive has of a table with the table's journal or an export, record by record."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitwatch.daemon.captures.rehearing import is_export
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.exporting import Header
from pitwatch.daemon.journal.statements import CHECKPOINT, is_genuine
from pitwatch.daemon.journal.store import Store as JournalStore
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.floor.archive.store import OF_TABLE, Store
from pitwatch.floor.archive.troubles import past_of
from pitwatch.floor.conflicts import differences
from pitwatch.floor.identity.runs import board
from pitwatch.floor.statements import checkpoint_in
from pitwatch.rules.text.one_line import one_line

PAGE = 5_000
ROWS = f"""
    SELECT sequence, id, boot, kind, payload FROM events WHERE {OF_TABLE} AND sequence >= :after
    AND (sequence > :after OR id > :id) ORDER BY sequence, id LIMIT {PAGE}
"""


class Fault(NamedTuple):
    """`sequence` of the record, 0 for what concerns all of the file."""

    sequence: int
    id: str
    what: str
    """`missing`, `differs`, `checkpoint` or `journal`."""
    told: str


class Outcome(NamedTuple):
    faults: list[Fault]
    held: int
    """Events that were held against a record."""
    checkpoints: int
    """Checkpoints whose signature is genuine, held against a record where there is a journal."""
    before: int
    """Events of which the journal no longer has the record: older than its first."""
    others: int
    """Events of another board, whose key the house has approved."""
    removed: int
    """Events that `[archive] keep` no longer keeps (`archive removed`); nothing is held against their records."""


class _Exported(msgspec.Struct):
    seq: int
    boot: str
    t_ns: int
    wall_ns: int
    synced: bool
    kind: str
    subtopic: str
    retained: bool
    body: str
    hash: str


class Journal:
    """The records of a journal or of an export in order, each with its hash. Raises UsageError."""

    def __init__(self, path: Path):
        self.path = path
        self.begins_after = 0
        self.hash_before = ""
        self.fault: str | None = None
        """What is wrong with the file itself, as far as it was read."""
        try:
            with path.open("rb") as file:
                first = file.readline(65_536)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        self._verified = False
        self._header = msgspec.json.decode(first, type=Header) if is_export(first) else None

    def records(self) -> Iterator[tuple[Record, str]]:
        if self._header is not None:
            yield from self._exported(self._header)
            return
        if not self._verified:
            self.fault, self._verified = verify(self.path).fault, True
        store = JournalStore(self.path, read_only=True)
        try:
            store.hold()
            self.begins_after, self.hash_before = store.pruned, store.hash_before.hex()
            for record, hash_ in store.records(store.pruned):
                yield record, hash_.hex()
        except sqlite3.Error as error:
            self.fault = self.fault or f"cannot be read to its end: {error}"
        finally:
            store.close()

    def _exported(self, header: Header) -> Iterator[tuple[Record, str]]:
        self.begins_after, self.hash_before = header.begins_after, header.hash_before
        before, last = header.hash_before, header.begins_after
        with self.path.open("rb") as file:
            file.readline()
            for number, raw in enumerate(file, 2):
                try:
                    told = msgspec.json.decode(raw, type=_Exported)
                    fields = {name: getattr(told, name) for name in Record.__struct_fields__}
                    record = Record(**fields | {"body": told.body.encode()})
                    expected = link(bytes.fromhex(before), record).hex()
                except (msgspec.DecodeError, ValueError) as error:
                    raise UsageError(f"{self.path}:{number}: is no record of an export: {error}") from None
                if self.fault is None and (record.seq != last + 1 or told.hash != expected):
                    self.fault = f"line {number}: record {record.seq} was altered, or does not follow record {last}"
                before, last = told.hash, record.seq
                yield record, told.hash


async def hold(store: Store, table: str, journal: Journal | None, approved: tuple[str, ...] = ()) -> Outcome:
    """Without a journal the signatures of the kept checkpoints alone. `approved` keys: events of boards that another of
    them signs are none of this journal's. Raises StoreError, UsageError, SigningError."""
    site, _, table_id = table.partition("/")
    past = await past_of(store, table)
    envelope = Envelope(site, table_id, "", "", True)
    hashes: dict[int, str] = {}
    ours: set[str] = set()
    boots: set[str] = set()
    for record, hash_ in journal.records() if journal is not None else ():
        hashes[record.seq] = hash_
        boots.add(record.boot)
    records = journal.records() if journal is not None else iter(())
    current = next(records, None)
    first = 0
    if journal is not None:
        first = journal.begins_after + 1
        hashes[journal.begins_after] = journal.hash_before
        ours = {board(past, boot, approved) for boot in boots if boot in past.runs}
    faults: list[Fault] = []
    held = checkpoints = before = others = 0
    last = journal.begins_after if journal is not None else 0
    made: list[tuple[int, str, CheckpointData]] = []
    of = {"site": site, "table_id": table_id}
    async for row in _rows(store, of):
        sequence, id_ = row["sequence"], row["id"]
        if ours and row["boot"] not in boots and board(past, row["boot"], approved) not in ours:
            others += 1
            continue
        if row["kind"] == CHECKPOINT and (said := checkpoint_in(row["payload"])) is not None:
            made.append((sequence, id_, said))
        if journal is None:
            continue
        if sequence < first:
            before += 1
            continue
        while current is not None and current[0].seq < sequence:
            last = current[0].seq
            current = next(records, None)
        if current is None or current[0].seq != sequence:
            where = f"it ends with record {last}" if current is None else f"it goes on with record {current[0].seq}"
            faults.append(Fault(sequence, id_, "missing", f"the journal does not have it; {where}"))
            continue
        held += 1
        found = _differences(row["payload"], envelope, current[0])
        if found:
            faults.append(Fault(sequence, id_, "differs", f"the journal has another {', '.join(found)}"))
    keys = {said.key for _, _, said in made if said.key is not None}
    for sequence, id_, said in made:
        told = _wrong(said, table, sequence, hashes, first)
        checkpoints += told is None
        if told is not None:
            faults.append(Fault(sequence, id_, "checkpoint", told))
    if journal is None and len(keys - set(approved)) > 1:
        faults.append(Fault(0, "", "checkpoint", f"{len(keys)} keys have signed: {', '.join(sorted(keys))}"))
    if journal is not None and journal.fault is not None:
        faults.append(Fault(0, "", "journal", journal.fault))
    (gone,) = await store.ask(f"SELECT coalesce(sum(records), 0) AS records FROM removed WHERE {OF_TABLE}", **of)
    return Outcome(sorted(faults), held, checkpoints, before, others, int(gone["records"]))


def _wrong(said: CheckpointData, table: str, sequence: int, hashes: dict[int, str], first: int) -> str | None:
    """What is wrong with a checkpoint that was kept."""
    if not is_genuine(said):
        return "its signature is not genuine"
    if said.table != table or said.sequence >= sequence:
        return f"it is forged: it signs record {said.sequence} of {said.table}"
    hash_ = hashes.get(said.sequence)
    if hash_ is None and first and said.sequence >= first:
        return f"it covers records up to {said.sequence}, which the journal does not have"
    if hash_ is not None and hash_ != said.hash:
        return f"it signs another hash of record {said.sequence} than the journal has: the journal was rewritten"
    return None


async def _rows(store: Store, of: dict[str, str]) -> AsyncIterator[dict[str, Any]]:
    after, id_ = -1, ""
    while page := await store.ask(ROWS, **of, after=after, id=id_):
        for row in page:
            yield row
        after, id_ = page[-1]["sequence"], page[-1]["id"]


def _differences(archived: str, envelope: Envelope, record: Record) -> list[str]:
    try:
        return differences(archived.encode(), envelope.messages(record)[0].payload)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, RecursionError) as error:
        return [f"content, which no table writes: {one_line(str(error))}"]
