"""Verifies that a journal is unchanged: chain, signed checkpoints, the file's own guards. Reads only.

Trusts nothing in the file: a row counts as altered if one of its values has another type than the daemon writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.contract.messages import CheckpointData, RetentionData
from pitwatch.daemon.journal import layout
from pitwatch.daemon.journal.chain import START, Record, link
from pitwatch.daemon.journal.kept import Kept, not_evidence
from pitwatch.daemon.journal.open_end import Unsigned
from pitwatch.daemon.journal.reading import UNREADABLE, for_reading
from pitwatch.daemon.journal.records import COLUMNS, TREE
from pitwatch.daemon.journal.statements import CHECKPOINT, RETENTION, is_genuine, stated
from pitwatch.daemon.journal.store import SCHEMA, StoreError
from pitwatch.daemon.journal.verifying_tree import TreeExamination
from pitwatch.daemon.tlog.merkle import ProofError


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """`fault`: one line naming the first bad record, or None. Sequences 0: there is none."""

    fault: str | None
    first: int = 0
    last: int = 0
    signed: int = 0
    """Newest record that a genuine checkpoint covers, with everything before it."""
    checkpoints: int = 0
    notes: int = 0
    """How many of them sign the root of the tree over the records, as it is."""
    key: str | None = None
    """The public key they are signed with."""
    cut: RetentionData | None = None
    """What says why it does not begin with record 1; unsigned only where nothing else is signed either."""
    not_compared: tuple[str, ...] = ()
    """Kept checkpoints whose records were removed, each with what says that they were: a signed cut."""


class _FaultError(Exception):
    pass


def verify(path: Path, key: str | None = None, kept: Sequence[CheckpointData | Kept] = ()) -> Verdict:
    """Go through a journal. `key`: the public key that must have signed it, else the one that its first checkpoint
    names. `kept`: checkpoints that somebody else has kept; one that cannot be compared is a fault, unless a signed cut
    covers it. Raises StoreError if there is no file, SigningError if signatures cannot be verified here."""
    if not path.is_file():
        raise StoreError(f"{path}: no such journal")
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path}: {UNREADABLE}")
    try:
        db = for_reading(path, bytearray)  # which distinguishes text from bytes, and accepts what is no text
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return Verdict(fault=f"not readable: {error}")
    try:
        named = [each if isinstance(each, Kept) else Kept("the checkpoint that was kept", each) for each in kept]
        return _Examination(db, key, named).verdict()
    finally:
        db.close()


class _Examination:
    def __init__(self, db: sqlite3.Connection, key: str | None, kept: Sequence[Kept]):
        self._db = db
        self._key = key
        self._first = self._last = self._signed = self._checkpoints = self._oldest = 0
        self._cuts: list[tuple[int, RetentionData]] = []
        self._cut: RetentionData | None = None
        self._kept = kept
        self._not_compared: list[str] = []
        self._unsigned = Unsigned()
        self._tree: TreeExamination | None = None
        self._newest_checkpoint: CheckpointData | None = None
        self._tables: set[str] = set()
        """SITE/TABLE, as its own statements name it: more than one only if it was renamed by an early version."""

    def verdict(self) -> Verdict:
        fault = None
        try:
            self._db.execute("BEGIN")  # one view of the file, however long this takes, whatever others write meanwhile
            self._examine()
        except _FaultError as found:
            fault = str(found)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            fault = f"record {self._last + 1} is not readable: {error}"
        return Verdict(
            fault=fault,
            first=self._first if self._last >= self._first else 0,
            last=self._last,
            signed=self._signed,
            checkpoints=self._checkpoints,
            notes=self._tree.notes if self._tree is not None else 0,
            key=self._key if self._checkpoints else None,
            cut=self._cut,
            not_compared=tuple(self._not_compared),
        )

    def _examine(self) -> None:
        if found := layout.fault(self._db, SCHEMA, triggers=False):  # before anything is read: a view may never end
            raise _FaultError(f"{found}; nothing more was read")
        marks = self._db.execute("SELECT only, delivered, pruned, hash FROM mark").fetchall()
        if len(marks) != 1 or [type(value) for value in marks[0]] != [int, int, int, bytes] or len(marks[0][3]) != 32:
            raise _FaultError("the mark of the removed and delivered records was altered")
        _, delivered, pruned, hash_ = marks[0]
        self._first, self._last = pruned + 1, pruned
        tree = self._tree = self._planted(pruned)
        awaited = self._awaited()
        newest = self._newest()
        for record, stored in self._records():
            if record.seq != self._last + 1:
                raise _FaultError(f"record {self._last + 1} is missing; the next there is has sequence {record.seq}")
            if stored != link(hash_, record):
                raise _FaultError(
                    f"record {record.seq} ({record.kind}) was altered: "
                    "its hash is not that of its contents and predecessor"
                )
            self._last, hash_ = record.seq, stored
            self._looks_back(record, pruned)
            self._unsigned.add(record)
            _no(tree.add(record.seq, stored))
            for source, checkpoint, boot in awaited.pop(record.seq, ()):
                self._compare(source, checkpoint, stored, pruned)
                _no(tree.note(source, checkpoint, own=source.startswith("checkpoint ")))
                if fault := self._unsigned.signed_by(boot, record.seq):
                    raise _FaultError(fault)
            self._newest_is(newest, record)
        _no(tree.end())
        self._end(delivered, pruned, newest)
        if pruned:
            self._begin(pruned, marks[0][3])
            self._before(pruned, marks[0][3])
        if self._key is not None and (fault := self._unsigned.at_the_end(self._last)):
            raise _FaultError(fault)

    def _planted(self, pruned: int) -> TreeExamination:
        try:
            tree = TreeExamination(self._db, pruned)
            _no(tree.rows())
        except (sqlite3.DatabaseError, ProofError) as error:
            raise _FaultError(f"no record was read, since the tree over them was altered: {error}") from None
        return tree

    def _begin(self, pruned: int, hash_: bytes) -> None:
        """What was taken from the front must have been covered by a cut before: one up to here, or further. It may
        be further, since what it covers is removed bit by bit, after it is on disk."""
        unsigned = None
        for seq, cut in reversed(self._cuts):
            if cut.signature is None or cut.key is None:
                unsigned = unsigned or ((seq, cut) if cut.sequence >= pruned else None)
                continue
            self._is_ours(seq, cut)
            self._oldest = cut.sequence + 1
            if cut.sequence >= pruned and cut.hash == self._hash_at(cut.sequence, pruned, hash_):
                self._cut = cut
                return
            break
        if self._key is None:  # a board that has never signed anything
            self._cut = unsigned[1] if unsigned else None
            return
        raise _FaultError(
            f"record {min(self._oldest or 1, pruned)} is missing: records up to {pruned} were removed, and "
            + (f"record {unsigned[0]}, which says why, is not signed" if unsigned else "no signed record says why")
        )

    def _before(self, pruned: int, hash_: bytes) -> None:
        """Kept checkpoints of records that are no longer there."""
        tables = self._tables | {cut.table for _, cut in self._cuts}
        for source, said in self._kept:
            if said.sequence > pruned:
                continue
            if wrong := not_evidence(source, said, self._key, tables):
                raise _FaultError(wrong)
            if said.sequence == pruned and hash_ != START:  # whose hash is all that is left of what was set aside
                if said.hash != hash_.hex():
                    raise _FaultError(f"record {pruned} or one before it was rewritten: {source} signs another hash")
                continue
            if self._tree is not None and self._tree.knows(said):
                _no(self._tree.note(source, said, own=False))
                continue
            gone = f"{source} was not compared: it covers records up to {said.sequence}, and those up to {pruned} are "
            if self._cut is None or self._cut.signature is None:
                raise _FaultError(f"{gone}no longer there; no signed record says why")
            self._not_compared.append(f"{gone}no longer there, as a signed record says")

    def _is_ours(self, seq: int, cut: RetentionData) -> None:
        self._key = self._key or cut.key
        if cut.key != self._key:
            raise _FaultError(f"record {seq} ({RETENTION}) is signed with another key")
        if not is_genuine(cut):
            raise _FaultError(f"record {seq} ({RETENTION}) was altered: its signature is not genuine")

    def _hash_at(self, seq: int, pruned: int, hash_: bytes) -> str:
        if seq == pruned:
            return hash_.hex()
        row = self._db.execute("SELECT hash FROM record WHERE seq = ?", (seq,)).fetchone()
        return bytes(row[0]).hex() if row else ""

    def _end(self, delivered: int, pruned: int, newest: dict[str, Record]) -> None:
        for source, said in sorted(self._kept, key=lambda each: -each.said.sequence):
            if said.sequence > self._last:
                if wrong := not_evidence(source, said, self._key, self._tables):
                    raise _FaultError(wrong)
                raise _FaultError(f"record {self._last + 1} is missing: {source} covers records up to {said.sequence}")
        if self._last < delivered:
            raise _FaultError(f"record {self._last + 1} is missing: the broker acknowledged records up to {delivered}")
        if pruned > delivered or pruned < 0:
            raise _FaultError(f"record {delivered + 1} was removed before it was delivered")
        for subtopic, copy in newest.items():
            if copy.seq > pruned:
                raise _FaultError(f"the copy of the newest record of {subtopic} was altered")
        if found := layout.fault(self._db, SCHEMA):
            raise _FaultError(f"no record was altered, but the guards in the file against altering were: {found}")
        (sound,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        if bytes(sound) != b"ok":
            raise _FaultError(
                f"no record was altered, but the file is damaged: {bytes(sound).decode(errors='replace')}"
            )

    def _records(self) -> Iterator[tuple[Record, bytes]]:
        for row in self._db.execute(f"SELECT {COLUMNS}, hash FROM record ORDER BY seq"):
            record = _record(row[:-1])
            if record is None or type(row[-1]) is not bytes:
                raise _FaultError(f"record {row[0]} was altered: it is not as records are written")
            yield record, row[-1]

    def _newest(self) -> dict[str, Record]:
        """The copies that outlive removal, by topic."""
        found = {}
        for row in self._db.execute(f"SELECT {COLUMNS} FROM newest WHERE kind IS NOT '{TREE}'"):
            record = _record(row)
            if record is None:
                raise _FaultError("a copy of the newest record of a topic was altered")
            found[record.subtopic] = record
        return found

    def _newest_is(self, newest: dict[str, Record], record: Record) -> None:
        if not record.retained and record.kind != "round":
            return
        copy = newest.get(record.subtopic)
        if copy is None or copy.seq < record.seq or (copy.seq == record.seq and copy != record):
            raise _FaultError(f"the copy of the newest record of {record.subtopic} was altered")
        if copy.seq == record.seq:
            del newest[record.subtopic]
            newest[record.subtopic] = msgspec.structs.replace(copy, seq=0)  # it is as it should be, and the last

    def _awaited(self) -> dict[int, list[tuple[str, CheckpointData, str | None]]]:
        """Checkpoints by the sequence they cover, each with what to call it, and the run of the daemon that made it;
        none for what is not to be asked how much stood unsigned before it: what was kept, and what an earlier version
        made, or stands first."""
        awaited = defaultdict(list)
        for seq, boot, body in self._db.execute(
            "SELECT seq, boot, body FROM record WHERE kind = ? ORDER BY seq", (CHECKPOINT,)
        ).fetchall():
            record = Record(seq, "", 0, 0, False, CHECKPOINT, CHECKPOINT, False, bytes(body or b""))
            made = stated(record, CheckpointData)
            if made is not None and made.sequence < seq:
                run = None if made.previous is None or not self._tables else bytes(boot).decode()
                awaited[made.sequence].append((f"checkpoint {seq}", made, run))
                self._tables.add(made.table)
        for source, checkpoint in self._kept:
            awaited[checkpoint.sequence].append((source, checkpoint, None))
        return awaited

    def _looks_back(self, record: Record, pruned: int) -> None:
        if record.kind == RETENTION:
            cut = stated(record, RetentionData)
            if cut is None or cut.sequence >= record.seq:
                raise _FaultError(f"record {record.seq} ({RETENTION}) was altered: it removes what comes after it")
            self._cuts.append((record.seq, cut))
        if record.kind == CHECKPOINT:
            made = stated(record, CheckpointData)
            if made is None or made.sequence >= record.seq:
                raise _FaultError(
                    f"record {self._signed + 1} or one after it up to {record.seq} was removed or rewritten: "
                    f"checkpoint {record.seq} signs what comes after it"
                )
            self._follows(record.seq, made, pruned)

    def _follows(self, seq: int, made: CheckpointData, pruned: int) -> None:
        """A checkpoint names the one before, which is there, or went with the beginning."""
        before, self._newest_checkpoint = self._newest_checkpoint, made
        if made.previous is None:
            return
        there = (before.sequence, before.hash) if before is not None else None
        if there != (made.previous, made.previous_hash) and (before is not None or made.previous >= max(pruned, 1)):
            raise _FaultError(
                f"record {made.previous + 1} or one after it up to {seq} was removed or rewritten: checkpoint {seq} "
                f"names one of records up to {made.previous} as the one before, which is not there"
            )

    def _compare(self, source: str, checkpoint: CheckpointData, hash_: bytes, pruned: int) -> None:
        since = max(self._signed, pruned) + 1
        if checkpoint.table not in self._tables and self._tables:
            raise _FaultError(str(not_evidence(source, checkpoint, None, self._tables)))
        self._key = self._key or checkpoint.key
        if checkpoint.key != self._key:
            raise _FaultError(f"record {since} to {self._last}: {source} is signed with another key")
        if not is_genuine(checkpoint):
            raise _FaultError(f"record {since} to {self._last}: the signature of {source} is not genuine")
        if checkpoint.hash != hash_.hex():
            raise _FaultError(
                f"record {since} or one after it up to {self._last} was rewritten: {source} signs another hash"
            )
        if checkpoint.first > pruned + 1:
            raise _FaultError(f"record {pruned + 1} was put in: {source} has {checkpoint.first} as the oldest")
        self._signed = checkpoint.sequence
        self._oldest = self._oldest or checkpoint.first
        self._checkpoints += 1


def _no(fault: str | None) -> None:
    if fault is not None:
        raise _FaultError(fault)


def _record(row: tuple[Any, ...]) -> Record | None:
    """The record in a row, or None if the row is not as it is written."""
    kinds = [int, bytearray, int, int, int, bytearray, bytearray, int, bytearray]
    if [type(value) for value in row] != kinds or row[4] not in (0, 1) or row[7] not in (0, 1):
        return None
    seq, boot, t_ns, wall_ns, synced, kind, subtopic, retained, body = row
    try:
        body.decode()
        return Record(
            seq,
            boot.decode(),
            t_ns,
            wall_ns,
            bool(synced),
            kind.decode(),
            subtopic.decode(),
            bool(retained),
            bytes(body),
        )
    except UnicodeDecodeError:
        return None
