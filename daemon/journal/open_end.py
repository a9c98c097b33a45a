"""Measures the unsigned end of a journal, and decides when it is longer than a board leaves it.

Without the key anyone can chain records correctly; only a signature proves that the board wrote them. So at start a
board signs an unsigned end only if it may have left that end itself.
"""

from __future__ import annotations

import logging
import sqlite3
from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.signing import Signer, SigningError
from pitwatch.daemon.journal.statements import CHECKPOINT, is_genuine, stated
from pitwatch.daemon.journal.store import Store

MOST_RECORDS = 2_000
"""Records that may stand unsigned: twice as many as are signed at once."""

MOST_NS = 1_200_000_000_000
"""Nanoseconds of watching that may: twice the time after which what was written is signed."""

PAUSE_NS = 60_000_000_000
"""A longer time without a record counts as this: a table that is idle or off leaves nothing open."""

BATCH_RECORDS, BATCH_NS = 1_000, 600_000_000_000
"""Records and time (ns) of watching that are not written at once without a signature among them."""

TRIAL = b"pitwatch-trial-v1\n"

ATTEMPTS = 3

log = logging.getLogger("pitwatch")


class Stretch:
    """Records in order, of which none is signed."""

    def __init__(self) -> None:
        self.count = 0
        self.watched_ns = 0
        self._boot = ""
        self._newest_ns = 0

    def add(self, boot: str, t_ns: int) -> None:
        """The next one, by its run of the daemon. A late observation, with an earlier time, adds no time."""
        self.count += 1
        if boot != self._boot:
            self._boot, self._newest_ns = boot, t_ns
        elif t_ns > self._newest_ns:
            self.watched_ns += min(t_ns - self._newest_ns, PAUSE_NS)
            self._newest_ns = t_ns

    def exceeds(self, records: int = MOST_RECORDS, watched_ns: int = MOST_NS) -> bool:
        return self.count > records or self.watched_ns > watched_ns

    def fault(self, first: int, last: int) -> str | None:
        """What is wrong with it, where it goes from one sequence to another; None if nothing is."""
        if not self.exceeds():
            return None
        much = f"{self.watched_ns // PAUSE_NS} minutes" if self.count <= MOST_RECORDS else "so many"
        return (
            f"record {first} to {last}: {much} are unsigned, and a board signs every 1,000 records and every ten "
            "minutes; someone without the key may have written them"
        )


class Unsigned:
    """What stands unsigned as a journal is gone through: of the run of the daemon that is being gone through, which
    may have had to wait for the disk, and of the runs before it, whose records the next one signs for."""

    def __init__(self) -> None:
        self._whole, self._earlier = Stretch(), Stretch()
        self._boot = ""
        self._first = 0
        self._excused = False

    def add(self, record: Record) -> None:
        if record.boot != self._boot:
            self._boot, self._earlier = record.boot, copy(self._whole)
        self._first = self._first or record.seq
        self._whole.add(record.boot, record.t_ns)
        self._excused |= record.kind == "system" and b'"record_lost"' in record.body

    def signed_by(self, boot: str | None, last: int) -> str | None:
        """All up to `last` is signed by a run, of which None asks no more. What is wrong with what it signed for the
        runs before it. Where damage took records, a checkpoint among them may be lost too."""
        others, first = self._earlier if boot == self._boot else self._whole, self._first
        fault = others.fault(first, first + others.count - 1) if boot is not None and not self._excused else None
        self._whole, self._earlier, self._first, self._excused = Stretch(), Stretch(), 0, False
        return fault

    def at_the_end(self, last: int) -> str | None:
        """What is wrong with what is left."""
        return self._whole.fault(self._first, last)


class End(NamedTuple):
    """`trusted`: the last record that a signature covers, or the last that was removed. `fault`: why what follows must
    not be signed, or None. `much`: it may be, and had better be at once."""

    trusted: int
    fault: str | None
    much: bool


def look(store: Store, signer: Signer, up_to: int | None = None) -> End | None:
    """The end of a journal that an earlier run wrote, up to a sequence. None on a board without a key. Raises
    SigningError where signatures can be neither verified nor made, sqlite3.Error."""
    if not signer.exists:
        return None  # by the openssl program throughout: a library would cost the daemon 9 MB for good
    last = store.last if up_to is None else up_to
    if last <= store.pruned:
        return End(store.pruned, None, False)
    key = signer.prepare()
    if signer.new and not _made(store, key, 0, last):
        if any(stated(each, CheckpointData) for each in store.of_kind(CHECKPOINT, 0)):
            signer.withdraw()
            raise SigningError(
                f"{store.path}: another key has signed it, and a journal has one key; to begin with a new key, move "
                "the journal away with its .key and .pub, and keep them"
            )
        return None
    made = _made(store, key, last - MOST_RECORDS - 1, last)
    fake = 0
    if made and is_genuine(made[-1][1], library=False):
        trusted = made[-1][1].sequence
    else:
        fake = made[-1][0] if made else 0
        signer.sign(TRIAL)  # who cannot sign signs over nothing
        trusted = _last_genuine(store, key, last)
    stretch = Stretch()
    for boot, t_ns in store.times(max(trusted, last - MOST_RECORDS - 1), last):
        stretch.add(boot, t_ns)
    fault = stretch.fault(trusted + 1, last)
    if fake and fault is None:
        fault = f"record {trusted + 1} to {last}: the signature of record {fake} is not genuine"
    return End(trusted, fault, stretch.exceeds(MOST_RECORDS // 2, MOST_NS // 2))


def trusted(store: Store, signer: Signer) -> int | None:
    """The last record that a signature covers; None where that cannot be found out. On a board that is short of memory
    openssl may be killed: it is asked again, for without an answer nothing says which records were forged."""
    for attempt in range(ATTEMPTS):
        try:
            end = look(store, signer)
        except SigningError as error:
            log.warning("the signatures of the journal cannot be verified (attempt %d): %s", attempt + 1, error)
        except (sqlite3.Error, UnicodeDecodeError):
            return None
        else:
            return end.trusted if end is not None else None
    return None


def unsigned_head(store: Store, batch: Sequence[Record]) -> bytes | None:
    """The hash of the last record of a batch that is to follow what is in the file, where much of the batch would
    stand unsigned; None where little would."""
    stretch, hash_ = Stretch(), store.head
    for record in batch[bisect_right(batch, store.last, key=lambda each: each.seq) :]:
        hash_ = link(hash_, record)
        stretch.add(record.boot, record.t_ns)
        if record.kind == CHECKPOINT:
            stretch = Stretch()
    return hash_ if stretch.exceeds(BATCH_RECORDS, BATCH_NS) else None


def _last_genuine(store: Store, key: str, last: int) -> int:
    """Up to where the journal is signed. What stands before a genuine signature is genuine, so that few need to be
    verified, however many were forged."""
    made = _made(store, key, 0, last)
    low, high = 0, len(made)
    while low < high:
        middle = (low + high) // 2
        if is_genuine(made[middle][1], library=False):
            low = middle + 1
        else:
            high = middle
    return made[low - 1][1].sequence if low else store.pruned


def _made(store: Store, key: str, after: int, last: int) -> list[tuple[int, CheckpointData]]:
    """The checkpoints after a sequence, each with its own, that bear the board's key and the hash of a record that is
    there, or was the last to be removed."""
    found = []
    for record in store.of_kind(CHECKPOINT, after):
        said = stated(record, CheckpointData)
        if said is None or said.key != key or not store.pruned <= said.sequence < record.seq <= last:
            continue
        there = store.one(said.sequence)
        if said.hash == (there[1] if there else store.hash_before).hex():
            found.append((record.seq, said))
    return found
