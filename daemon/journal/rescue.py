"""Opens a journal in any condition: sets a damaged file aside and continues after its last number in a new one.

Undelivered records are carried over under their own numbers as far as they can be read. A record that cannot be read is
replaced by one that reports it. A new start is always reported. Independent of MQTT.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import CheckpointData, SystemData, encode
from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.chain import START, Record, link
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.statements import CHECKPOINT, noted, signed_head, stated
from pitwatch.daemon.journal.store import RefusedError, Store, StoreError
from pitwatch.daemon.tlog import merkle
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import ProofError
from pitwatch.daemon.tlog.note import NoteError
from pitwatch.rules.records import Round

PORTION = 1_000

MOST_LOST = 100_000
"""Records that may be lost, beside those for which the file has room. A number further on was written by no daemon,
which keeps half as many waiting."""

LEAST_BYTES = 64
"""A record takes more in a file: its hash alone is 32."""

SEARCHED = 5_000
"""Newest records among which a signature of the tree is looked for."""

LARGEST = 1 << 53
"""A sequence beyond this was never reached."""

log = logging.getLogger("pitwatch.journal")


class Begun(NamedTuple):
    """A file that took the place of a damaged one begins after this sequence, whose hash is this."""

    sequence: int
    hash: bytes
    file: str | None
    """What the damaged one is called now, None if it was gone."""


class Rescued(NamedTuple):
    """A new journal in place of a damaged one, and what to report about it."""

    store: Store
    event: dict[str, Any]
    begun: Begun | None
    """None if it begins with record 1."""


def set_aside(
    path: Path,
    reason: str,
    known: Mapping[int, Record],
    delivered: int,
    last: int,
    carry: bool = True,
    removed: Store | None = None,
    trusted: int | None = None,
) -> Rescued:
    """Move the journal at `path` out of the way and begin another that continues it.

    `known`: records that memory still has; `delivered` and `last`: what is known of the sequence, 0 if nothing;
    `carry`: take over what the file holds; `removed`: the journal as it was opened, where its file is no longer there;
    `trusted`: the last record of the file that may be relied on, None where it is only damaged.
    The other has another name until it is whole: who is killed meanwhile finds the damaged one again. Raises StoreError
    or OSError if the disk does not let this be done.
    """
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")  # what it says of a damaged file is not to be relied on
    old = _Remains(path if carry and removed is None and path.exists() else None, removed, trusted)
    most = MOST_LOST + _bytes(path) // LEAST_BYTES
    sure, acknowledged = max(last, delivered, max(known, default=0)), delivered
    last, delivered = (
        max(here, there) if there <= (here + most if sure else LARGEST) else here
        for here, there in ((sure, old.last), (acknowledged, old.delivered))
    )
    last = max(last, delivered)
    if last - delivered > most:
        delivered = last  # all stays in the damaged file: a start that reported each as lost would not end
    unfinished = _unfinished(path)
    try:
        lost = _make(unfinished, old, known, delivered, last)
    except BaseException:
        _unlink(unfinished)  # it takes room, where there may be none
        raise
    finally:
        old.close()
    aside = _move(path)
    os.rename(unfinished, path)
    new = Store(path)
    kept = last - delivered - lost
    log.error("%s: %s; set aside as %s, %d records carried over, %d lost", path, reason, aside, kept, lost)
    name = aside.name if aside else None
    event = {
        "file": name,
        "reason": reason,
        "delivered_up_to": delivered,
        "carried_over": kept,
        "lost": lost,
        "sequence_known": last > 0,
    }
    return Rescued(new, event, Begun(new.pruned, new.hash_before, name) if new.pruned else None)


def _bytes(path: Path) -> int:
    """How long the file and its write-ahead file are; 0 where they are not there."""
    found = 0
    for file in (path, f"{path}-wal"):
        with contextlib.suppress(OSError):
            found += os.stat(file).st_size
    return found


def _make(path: Path, old: _Remains, known: Mapping[int, Record], delivered: int, last: int) -> int:
    """The other journal, whole in one file; returns how many records are lost."""
    _unlink(path)
    new = Store(path)
    lost = 0
    try:
        new.begin_after(delivered, old.hash_of(delivered))
        old.give_tree(new, delivered)
        for copy in old.newest_of(delivered, known):
            if copy.seq > delivered and copy not in (known.get(copy.seq), old.record(copy.seq)):
                copy = msgspec.structs.replace(copy, seq=delivered)  # its record is lost, and what it says is not
            new.remember([copy])
        for first in range(delivered + 1, last + 1, PORTION):
            portion: list[Record] = []
            for seq in range(first, min(first + PORTION, last + 1)):
                record = known.get(seq) or old.record(seq)
                if record is None:
                    lost += 1
                    record = _in_place_of(seq, known)
                elif record.kind == CHECKPOINT:  # it signs a chain, which where a record is lost is another now
                    new.write(portion, delivered)
                    portion = []
                    if not _still_signs(record, new):
                        lost += 1
                        record = _in_place_of(seq, known)
                portion.append(record)
            new.write(portion, delivered)
    finally:
        new.close()
    if os.path.exists(f"{path}-wal"):  # the disk took what was to be written, and not where it belongs
        raise RefusedError(f"{path} cannot be written")
    return lost


def finish(path: Path) -> None:
    """Put a new journal in its place whose maker was killed when he had moved the damaged one out of it. Raises
    OSError."""
    if not path.exists() and _unfinished(path).exists():
        _move(path)  # its write-ahead file, which the new one would take for its own
        os.rename(_unfinished(path), path)
        log.error("%s: was damaged and set aside by a run that was killed meanwhile; goes on in the other", path)


def _unfinished(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _unlink(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


def _move(path: Path) -> Path | None:
    """Rename the file and its write-ahead file; the new name, or None if there is no file."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (f"{path.name}.damaged-{stamp}" + (f"-{n}" if n else "") for n in range(1_000))
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    moved = False
    for suffix in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{path}{suffix}", f"{aside}{suffix}")
            moved = True
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")
    return aside if moved else None


class _Remains:
    """What can be read of a damaged journal. Nothing here raises."""

    def __init__(self, path: Path | None, opened: Store | None, trusted: int | None = None):
        self._store = opened
        self._trusted = trusted
        self.delivered = self.last = 0
        self.newest: list[Record] = []
        with contextlib.suppress(StoreError, sqlite3.Error):
            if self._store is None and path is not None:
                self._store = Store(path, read_only=True, remains=True)
            if self._store is None:
                return
            self.delivered = self._store.delivered
            self.last = self._store.last
            self.newest = self._store.legible()
            self.last = max(self.last, max((record.seq for record in self.newest), default=0))

    def record(self, seq: int) -> Record | None:
        """Where only what is signed may be relied on, that a signature after it covers it is asked too."""
        found = self._row(seq)
        if found is None or self._trusted is None:
            return found[0] if found else None
        before = self._row(seq - 1)
        start = self._store.hash_before if self._store and self._store.pruned == seq - 1 else None
        hash_ = before[1] if before else start
        return found[0] if hash_ is not None and link(hash_, found[0]) == found[1] else None

    def hash_of(self, seq: int) -> bytes:
        found = self._row(seq)
        if found:
            return found[1]
        if self._trusted is not None and seq > self._trusted:
            return START  # a hash that is signed vouches for what stands before
        return self._store.hash_before if self._store and self._store.pruned == seq else START

    def give_tree(self, new: Store, delivered: int) -> None:
        """Let a new file go on with the tree, unless what is left of it is not what the board has signed. The tree is
        then begun anew, and no longer agrees with what was published."""
        if self._store is None:
            return
        try:
            nodes = self._store.nodes()
            if not nodes.any():
                return
            said = self._newest_note()
            if said is not None and merkle.root(said.size, nodes.subtree) != said.root:
                raise ProofError("its root is not the one that was signed")
            size = delivered if self._trusted is None else min(delivered, self._trusted)
            new.take_over(nodes, size, said.size if said is not None else 0)
        except (ProofError, sqlite3.Error) as error:
            log.error("the tree over the records is begun anew: %s", error)

    def _newest_note(self) -> Checkpoint | None:
        """What the board stated last of the tree. Where only what is signed may be relied on, the statement stands just
        after that, and must be signed itself."""
        assert self._store is not None
        last = self.last if self._trusted is None else self._trusted
        if self._trusted is not None:
            key = Signer(key_path(self._store.path)).public
            with contextlib.suppress(sqlite3.Error, NoteError, UsageError):
                for record in self._store.of_kind(CHECKPOINT, last):
                    said = stated(record, CheckpointData)
                    if said is not None and said.sequence == last and said.key == key:
                        return noted(said, library=False)
        for seq in range(last, max(last - SEARCHED, 0), -1):
            found = self._row(seq)
            if found is not None and (head := signed_head(found[0])) is not None:
                return head
        return None

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def newest_of(self, delivered: int, known: Mapping[int, Record]) -> list[Record]:
        """The newest of their topics that may be relied on, in the file or in memory. Of a round that may not the
        number goes on all the same, if it is one that there can have been."""
        trusted = self._trusted
        if trusted is None or self._store is None:
            return self.newest
        sound: dict[str, Record] = {}
        for copy in self.newest:
            if copy.seq <= trusted:
                sound[copy.subtopic] = copy
                continue
            with contextlib.suppress(sqlite3.Error):
                before = self._store.newest_of(copy.subtopic, trusted)
                most = (_round(before) if before else 0) + copy.seq
                if copy.kind == "round" and 0 < _round(copy) <= most:
                    sound[copy.subtopic] = msgspec.structs.replace(copy, seq=min(copy.seq, delivered))
                elif before is not None:
                    sound[copy.subtopic] = before
        for _, record in sorted(known.items()):
            if record.retained or record.kind == "round":
                sound[record.subtopic] = record
        return list(sound.values())

    def _row(self, seq: int) -> tuple[Record, bytes] | None:
        if self._store is None or (self._trusted is not None and seq > self._trusted):
            return None
        try:
            found = self._store.one(seq)
            if found is not None:
                msgspec.json.decode(found[0].body)
                found[0].subtopic.encode()
        except (sqlite3.Error, ValueError, AttributeError, TypeError):
            return None
        return found


def _round(record: Record) -> int:
    """The number of a round; 0 if it has none that can be read."""
    try:
        return msgspec.json.decode(record.body, type=Round).round
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0


def _still_signs(record: Record, new: Store) -> bool:
    """Whether a checkpoint signs the record that the new journal has under that number, if it has it."""
    made = stated(record, CheckpointData)
    there = new.one(made.sequence) if made else None
    if made is not None and there is not None and there[1].hex() != made.hash:
        return False
    head = signed_head(record)
    try:
        return head is None or proofs.root(new, head.size) == head.root
    except ProofError:
        return True


def _in_place_of(seq: int, known: Mapping[int, Record]) -> Record:
    """A record that says that the one of this number is lost, so that the sequence stays whole."""
    near = known.get(seq - 1) or next(iter(known.values()), None)
    t_ns, boot = (near.t_ns, near.boot) if near else (0, "unknown")
    body = encode(SystemData(event="record_lost", detail={"sequence": seq}))
    return Record(seq, boot, t_ns, time.time_ns(), False, "system", "system", False, body)
