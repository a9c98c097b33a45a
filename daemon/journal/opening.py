"""The journal's file at the start: whole, or damaged and set aside, or read only because the disk refuses.

What stands in it unsigned is looked at before anything is added that a signature would cover.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from pathlib import Path
from typing import NamedTuple

from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.holding import Hold
from pitwatch.daemon.journal.open_end import End, look
from pitwatch.daemon.journal.rescue import Rescued, finish, set_aside
from pitwatch.daemon.journal.signing import Signer, SigningError
from pitwatch.daemon.journal.store import DamagedError, RefusedError, Store, StoreError

NEWEST = 10
"""Records of earlier runs that show how the last of them ended."""

UNCOUNTED = 100_000
"""Records among which a monitor without a state looks for rounds."""

log = logging.getLogger("pitwatch.journal")


class Opened(NamedTuple):
    """What the file was found to hold, as far as it could be read."""

    last: int = 0
    delivered: int = 0
    retained: tuple[Record, ...] = ()
    """The newest record of every retained topic."""
    last_round: Record | None = None
    rounds: tuple[Record, ...] = ()
    """The rounds since the newest state of each monitor."""
    newest: tuple[Record, ...] = ()
    """The newest records of the runs before this one."""
    rescued: Rescued | None = None
    """The file was damaged and this one has taken its place."""
    sign_first: bool = False
    """Much of it stands unsigned."""
    end_unknown: bool = False
    """How much stands unsigned could not be found out."""
    store: Store | None = None
    """The file, to be written; None where the disk does not let it."""
    trouble: str | None = None
    """Why it does not."""


def open_journal(path: Path, hold: Hold, signer: Signer) -> Opened:
    """Raises StoreError if what is at `path` never was a journal."""
    source: Store | None = None
    store: Store | None = None
    trouble: str | None = None
    rescued: Rescued | None = None
    end: End | None = None
    end_unknown = False
    with contextlib.suppress(OSError):  # a disk that lets nothing be renamed is reported below
        finish(path)
    try:
        source = Store(path)
        try:
            end = look(source, signer)
        except SigningError as error:
            log.warning("how much of the journal stands unsigned cannot be found out: %s", error)
            end_unknown = True
        except sqlite3.Error as error:
            raise DamagedError(f"{path}: not usable as a journal: {error}") from None
        if end is not None and end.fault is not None:
            raise DamagedError(end.fault)
        store = source
    except DamagedError as error:
        if source is None and not hold.served:
            raise  # not ours to move: the configuration may name some other file
        signed = end.trusted if end is not None else None
        if source is not None:
            source.close()
            source = None
        try:
            rescued = set_aside(path, str(error), {}, hold.delivered, hold.last, trusted=signed)
        except (StoreError, OSError, sqlite3.Error) as refused:
            trouble = f"{path}: damaged, and cannot be set aside: {refused}"
        else:
            store = source = rescued.store
    except RefusedError as error:
        trouble = str(error)
        end_unknown = True
        with contextlib.suppress(StoreError):
            source = Store(path, read_only=True)
    if trouble:
        log.error("%s", trouble)
    if source is None:
        return Opened(trouble=trouble)
    opened = Opened(
        last=source.last,
        delivered=_delivered(source, hold),
        retained=tuple(source.retained()),
        last_round=source.last_round(),
        rounds=_rounds(source),
        newest=tuple(source.read(source.last - NEWEST, NEWEST)) if source is store else (),
        rescued=rescued,
        sign_first=rescued is not None or (end is not None and end.much),
        end_unknown=end_unknown,
        store=store,
        trouble=trouble,
    )
    if source is not store:
        source.close()
    return opened


def _rounds(store: Store) -> tuple[Record, ...]:
    """What monitors that go on have still to count. Those of one name put their states out together, others when they
    like; each leaves out what its own state has. Without a state they begin with the newest records alone, and what
    lies far before the newest state is not read for a monitor that nothing counts in any more."""
    newest: dict[str, int] = {}
    for record in store.retained():
        if record.kind == "statistic_state":
            monitor = record.subtopic.rpartition("/")[2].partition("-")[0]
            newest[monitor] = max(record.seq, newest.get(monitor, 0))
    last = max(newest.values(), default=store.last)
    since = max(min(newest.values(), default=0), last - UNCOUNTED)
    try:
        return tuple(store.of_kind("round", since))
    except sqlite3.Error as error:
        log.warning("rounds since the last state of the monitors cannot be read: %s", error)
        return ()


def _delivered(store: Store, hold: Hold) -> int:
    """How far the broker has come: by the mark, or further by what the hold says, if it says it of this file."""
    mark = int(store.delivered)
    if mark < hold.delivered <= hold.last <= store.last:
        found = store.one(hold.last)
        if found is not None and found[0].boot == hold.boot:
            return hold.delivered
    return mark
