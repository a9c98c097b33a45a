"""The table's part in being witnessed: it proves that its journal's tree only grew, keeps cosignatures as records, and
reports a head that a witness has not cosigned for an hour.

Proofs and signatures are worked out beside the loop. Independent of MQTT: requests hand over what came.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import CosignatureData, utc
from pitwatch.daemon.journal import Journal, proofs
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.signing import verified
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.tlog import cosignature
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.merkle import ProofError
from pitwatch.daemon.tlog.note import DER, Key, Note, NoteError, parse
from pitwatch.hal.clock import Clock

COSIGNATURE = "cosignature"
"""Kind of the records."""

LATE = 3600 * 1_000_000_000
"""Nanoseconds for which a signed head may wait for a witness."""
MOST_WAITING = 1_000
"""Signed heads that are remembered while no witness comes; the oldest say since when."""

MOST_TIME = 253_402_300_799
"""The end of the year 9999, in seconds since 1970: what RFC 3339 can tell."""

log = logging.getLogger("pitwatch")


class _Cosigned(NamedTuple):
    sequence: int
    note: Note
    by: list[tuple[Key, int]]
    """Witnesses, and when each cosigned, in seconds since 1970."""


class Witnessing:
    """`table` is SITE/TABLE, `witnesses` their keys. `late(reason)` is told of each change; None: all have cosigned."""

    def __init__(
        self,
        journal: Journal,
        checkpoints: Checkpoints,
        clock: Clock,
        table: str,
        witnesses: tuple[Key, ...],
        late: Callable[[str | None], None],
    ):
        self._journal = journal
        self._checkpoints = checkpoints
        self._clock = clock
        self._table = table
        self._witnesses = witnesses
        self._late = late
        self._told: str | None = None
        self._newest = {key.name: 0 for key in witnesses}
        """Up to which record each has cosigned, as far as this run knows."""
        self._waiting: list[tuple[int, int]] = []
        """Signed heads that not all have cosigned: sequence, and when it was met (monotonic ns)."""
        self._busy: set[asyncio.Future[Any]] = set()

    @property
    def key(self) -> str | None:
        """See `requests.Tree`."""
        return self._checkpoints.key

    def consistency(self, old: int, new: int, done: Callable[[list[str] | str], None]) -> None:
        """See `requests.Tree`."""
        self._beside(lambda: self._prove(old, new), done)

    def cosign(self, note: str, done: Callable[[dict[str, Any] | str], None]) -> None:
        """See `requests.Tree`."""

        def keep(found: _Cosigned | str) -> None:
            done(found if isinstance(found, str) else self._keep(found))

        self._beside(lambda: self._look(note), keep)

    def look(self) -> None:
        """Now and then: whether a witness is late."""
        if not self._witnesses:
            return
        now, newest = self._clock.now(), self._checkpoints.newest
        sequence = newest.sequence if newest is not None and newest.note is not None else 0
        if sequence > (self._waiting[-1][0] if self._waiting else 0) and len(self._waiting) < MOST_WAITING:
            self._waiting.append((sequence, now))
        least = min(self._newest.values())
        self._waiting = [each for each in self._waiting if each[0] > least]
        overdue = [sequence for sequence, met in self._waiting if now - met > LATE]
        late = [name for name, upto in self._newest.items() if overdue and overdue[-1] > upto]
        reason = f"not cosigned for an hour by {', '.join(late)}: it is away, or it refuses" if late else None
        if reason != self._told:
            self._told = reason
            self._late(reason)

    def _beside(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """What `work` gives, or why it could not, goes to `done` on the loop."""

        def finished(future: asyncio.Future[Any]) -> None:
            self._busy.discard(future)
            if future.cancelled():
                return
            error = future.exception()
            if isinstance(error, (ProofError, NoteError, UsageError)):
                done(str(error))
            elif isinstance(error, (sqlite3.Error, OSError)):
                done(f"the journal cannot be read now: {error}")
            elif error is not None:
                log.error("fault in the program, watching on: %s", error, exc_info=error)
                done("fault in the program")
            else:
                done(future.result())

        future = asyncio.get_running_loop().run_in_executor(None, work)
        self._busy.add(future)
        future.add_done_callback(finished)

    def _prove(self, old: int, new: int) -> list[str]:
        """Raises ProofError and sqlite3.Error."""
        with self._store() as store:
            return [base64.b64encode(each).decode() for each in proofs.consistency(store, old, new)]

    def _look(self, raw: str) -> _Cosigned:
        """What a note says, once all in it is verified. Raises ProofError, NoteError, UsageError and sqlite3.Error."""
        if not self._witnesses:
            raise NoteError("this table has no witness; its configuration names none")
        key = self._checkpoints.key
        if key is None:
            raise NoteError("this table has not signed anything yet")
        origin = Checkpoint.parse(parse(raw).text).origin
        said, note = opened(raw, Key.of_der(origin, key), _genuine)
        with self._store() as store:
            if proofs.root(store, said.size) != said.root:
                raise NoteError("the note is not of this journal")
        by = [
            (witness, cosignature.verified(note.text, each, witness, _genuine))
            for witness in self._witnesses
            for each in note.by(witness)[:1]
        ]
        if any(at > MOST_TIME for _, at in by):
            raise NoteError("a cosignature is of a time after the year 9999")
        if not by:
            raise NoteError("the note has no cosignature by a witness that the configuration names")
        return _Cosigned(said.size, note, by)

    def _keep(self, found: _Cosigned) -> dict[str, Any]:
        """Append what is new as records."""
        for witness, at in found.by:
            if found.sequence <= self._newest[witness.name]:
                continue
            self._newest[witness.name] = found.sequence
            others = {(each.name, each.id) for each in self._witnesses if each != witness}
            kept = tuple(each for each in found.note.signatures if (each.name, each.key_id) not in others)
            data = CosignatureData(
                table=self._table,
                sequence=found.sequence,
                witness=witness.name,
                time=utc(at * 1_000_000_000),
                note=Note(found.note.text, kept).format(),
            )
            self._journal.append(COSIGNATURE, COSIGNATURE, self._clock.now(), data)
        self.look()
        return {"sequence": found.sequence, "witnesses": [witness.name for witness, _ in found.by]}

    @contextlib.contextmanager
    def _store(self) -> Iterator[Store]:
        """One state of the file for the length of a block."""
        store = Store(self._journal.path, read_only=True)
        try:
            store.hold()
            yield store
        finally:
            store.close()


def _genuine(public: bytes, data: bytes, signature: bytes) -> bool:
    return verified(base64.b64encode(DER + public).decode(), data, signature, library=False)
