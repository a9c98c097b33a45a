"""The journal's file: SQLite in WAL mode, every commit synced, rows that the file itself refuses to change.

Blocking calls, for one thread at a time. Knows nothing of MQTT or of what records mean.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.journal import layout
from pitwatch.daemon.journal.chain import START, Record, first_fault, link
from pitwatch.daemon.journal.layout import ROOM_TABLE
from pitwatch.daemon.journal.planted import Planted
from pitwatch.daemon.journal.reading import UNREADABLE, for_reading
from pitwatch.daemon.journal.records import COLUMNS, damage
from pitwatch.daemon.journal.statements import CHECKPOINT, signed_head
from pitwatch.daemon.journal.tree import cut

SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    seq INTEGER PRIMARY KEY, boot TEXT NOT NULL, t_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL,
    synced INTEGER NOT NULL, kind TEXT NOT NULL, subtopic TEXT NOT NULL, retained INTEGER NOT NULL, body TEXT NOT NULL,
    hash BLOB NOT NULL);
-- The newest record of every retained topic and of `round`: survives pruning, so that states and round numbers go on.
CREATE TABLE IF NOT EXISTS newest (
    subtopic TEXT PRIMARY KEY, seq INTEGER NOT NULL, boot TEXT NOT NULL, t_ns INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL, synced INTEGER NOT NULL, kind TEXT NOT NULL, retained INTEGER NOT NULL,
    body TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS keep_newest AFTER INSERT ON record WHEN NEW.retained OR NEW.kind = 'round' BEGIN
    INSERT OR REPLACE INTO newest (subtopic, seq, boot, t_ns, wall_ns, synced, kind, retained, body) VALUES (
        NEW.subtopic, NEW.seq, NEW.boot, NEW.t_ns, NEW.wall_ns, NEW.synced, NEW.kind, NEW.retained, NEW.body); END;
-- delivered: acknowledged by the broker up to here. pruned, hash: the last record removed, where the chain begins.
CREATE TABLE IF NOT EXISTS mark (
    only INTEGER PRIMARY KEY CHECK (only = 1), delivered INTEGER NOT NULL, pruned INTEGER NOT NULL, hash BLOB NOT NULL);
INSERT OR IGNORE INTO mark VALUES (1, 0, 0, zeroblob(32));
CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON record BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS no_delete BEFORE DELETE ON record WHEN OLD.seq > (SELECT pruned FROM mark) BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS no_gap BEFORE INSERT ON record
    WHEN NEW.seq <> 1 + max((SELECT pruned FROM mark), (SELECT coalesce(max(seq), 0) FROM record)) BEGIN
    SELECT RAISE(ABORT, 'the journal is gapless'); END;
CREATE TRIGGER IF NOT EXISTS no_undelivered_pruned BEFORE UPDATE OF pruned ON mark WHEN NEW.pruned > NEW.delivered BEGIN
    SELECT RAISE(ABORT, 'what is not delivered may not be pruned'); END;
"""

ROOM = 2_000_000
"""Bytes that, written and removed, make the write-ahead file as long as it is between two checkpoints (1,000 pages)."""

WAL_BYTES = 4 << 20
"""Length to which the write-ahead file is cut back when a long reader, who let it grow, has gone."""

DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT))
MOVED = 1032  # SQLITE_READONLY_DBMOVED, which the module does not name before Python 3.12
TAIL_CHECKED = 1_000
"""Newest records whose chain is checked when a journal is opened; the rest is gone through bit by bit while it runs."""


class StoreError(UsageError):
    """The journal's file cannot be used; one line that names it."""


class DamagedError(StoreError):
    """The file does not contain a complete journal."""


class RefusedError(StoreError):
    """The disk does not let the file be written now: full, read-only, failing."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error means a damaged or missing file, which waiting does not repair."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code == MOVED or code & 0xFF in DAMAGED:
        return True
    return any(each in str(error) for each in ("no such table", "no such column", "Could not decode to UTF-8"))


class Store(Planted):
    """An open journal file. `last`, `delivered`, `pruned` are sequences. Raises StoreError if it cannot be opened."""

    def __init__(self, path: Path, read_only: bool = False, remains: bool = False):
        """`remains`: what of the file can be read is to be had, whatever cannot."""
        self.path = path
        try:
            if read_only:
                if not path.is_file():
                    raise StoreError(f"{path}: no such journal")
                if not os.access(path, os.R_OK):
                    raise StoreError(f"{path}: {UNREADABLE}")
                self._db = for_reading(path)
                if found := layout.replaced(self._db, SCHEMA):  # reading a view may never end
                    raise damage(found)
            else:
                self._db = sqlite3.connect(path, isolation_level=None, timeout=5, check_same_thread=False)
                if (there := self._tables()) and "record" not in there:  # before anything is written
                    self._db.close()
                    raise DamagedError(f"{path}: is no journal but another database; name a file of its own")
                if found := layout.fault(self._db, SCHEMA):  # before SCHEMA puts back what was taken out
                    raise damage(found)
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
                self._db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
            self._look(remains)
            self._inode = os.stat(path).st_ino
            self._scrubbed: tuple[int, bytes] = (self.pruned, self.hash_before)
            if not read_only:
                self._check_tail()
                self.newest()  # which are read at every start: what is wrong with them is reported now
                self._plant()
                with contextlib.suppress(sqlite3.OperationalError):  # a disk that is full: with the next records then
                    self.extend(0)
        except sqlite3.Error as error:
            with contextlib.suppress(AttributeError):
                self._db.close()
            if is_damage(error) or read_only:
                raise DamagedError(f"{path}: not usable as a journal: {error}") from None
            raise RefusedError(f"{path} cannot be written: {error}") from None

    def _look(self, remains: bool = False) -> None:
        self.delivered, self.pruned, self.hash_before = 0, 0, START
        self._last = (0, START)
        try:
            mark = self._db.execute("SELECT delivered, pruned, hash FROM mark").fetchone()
            if mark is None or [type(each) for each in mark] != [int, int, bytes]:
                raise damage("its mark is not as it is written")
            self.delivered, self.pruned, self.hash_before = mark
            self._last = self._db.execute("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone() or (
                self.pruned,
                self.hash_before,
            )
        except sqlite3.Error:
            if not remains:
                raise

    def hold(self) -> None:
        """Read the present state from now on, even if others write or remove records. Raises sqlite3.Error."""
        self._db.execute("BEGIN")
        self._look()

    def _tables(self) -> set[str]:
        return {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _check_tail(self) -> None:
        """Raises sqlite3.DatabaseError if the newest records are not chained, or fewer than were delivered."""
        first = max(self.pruned, self._last[0] - TAIL_CHECKED)
        row = self._db.execute("SELECT hash FROM record WHERE seq = ?", (first,)).fetchone()
        if row is None and first > self.pruned:
            raise damage(f"record {first} is missing")
        found = first_fault(self.records(first), first, row[0] if row else self.hash_before)
        if found is None and self._last[0] < self.delivered:
            found = f"records after {self._last[0]} are missing: the broker acknowledged up to {self.delivered}"
        if found is not None:
            raise damage(found)

    def scrub(self, rows: int) -> str | None:
        """Check the chain of the next few records, from the oldest on and round again; what is wrong with the first
        bad one. Raises sqlite3.Error for a file that cannot be read."""
        if self._scrubbed[0] < self.pruned or self._scrubbed[0] >= self._last[0]:
            self._scrubbed = (self.pruned, self.hash_before)
        seq, hash_ = self._scrubbed
        portion = list(self.records(seq, rows))
        found = first_fault(portion, seq, hash_)
        if found is None and portion:
            self._scrubbed = (portion[-1][0].seq, portion[-1][1])
        elif found is None and seq < self._last[0]:
            found = f"record {seq + 1} is missing"
        return found

    def removed(self) -> bool:
        """Whether this name now belongs to another file than the one being written. Raises OSError."""
        try:
            return os.stat(self.path).st_ino != self._inode
        except FileNotFoundError:
            return True

    def size(self) -> int:
        """Bytes that the records take."""
        pages, free, each = (
            self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * each)

    def spare(self) -> int:
        """Bytes in the file that further records may take without its growing: the file never gets shorter."""
        free, each = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
        return int(free * each)

    def begin_after(self, seq: int, hash_: bytes) -> None:
        """Let the first record of an empty journal be the one after `seq`, whose hash was `hash_`."""
        self._db.execute("UPDATE mark SET delivered = ?, pruned = ?, hash = ?", (seq, seq, hash_))
        self.delivered, self.pruned, self.hash_before = seq, seq, hash_
        self._last = self._scrubbed = (seq, hash_)
        self._plant()

    def remember(self, records: Sequence[Record]) -> None:
        """Keep these as the newest of their topics, though they are not in this file."""
        rows = [
            (r.seq, r.boot, r.t_ns, r.wall_ns, r.synced, r.kind, r.subtopic, r.retained, r.body.decode())
            for r in records
        ]
        self._db.executemany(f"INSERT OR REPLACE INTO newest ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", rows)

    def make_room(self) -> None:
        """Let the write-ahead file grow to its working size now, so that a sync writes data only and no new length:
        a fifth faster, and steadier. Takes some ten milliseconds."""
        try:
            self._db.executescript(
                f"DROP TABLE IF EXISTS room; {ROOM_TABLE}; INSERT INTO room VALUES (zeroblob({ROOM})); DROP TABLE room;"
            )
            # PASSIVE does not wait: during a verification or an export, records would wait here for five seconds.
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error:
            self._rollback()  # no room: writing will say so

    def write(self, records: Sequence[Record], delivered: int) -> None:
        """Append records and move the delivery mark, in one transaction and one sync. Raises sqlite3.Error, changing
        nothing."""
        seq, hash_ = self._last
        grown = self._grown.copy()
        grows = grown.size == seq
        rows = []
        sizes = []
        for r in records:
            hash_ = link(hash_, r)
            seq = r.seq
            if grows:
                grown.add(hash_)
                if r.kind == CHECKPOINT and (head := signed_head(r)):
                    sizes.append(head.size)
            rows.append(
                (r.seq, r.boot, r.t_ns, r.wall_ns, r.synced, r.kind, r.subtopic, r.retained, r.body.decode(), hash_)
            )
        self._begin()
        try:
            if rows:
                self._db.executemany(f"INSERT INTO record ({COLUMNS}, hash) VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
                grown.save(self._db)
            for size in sizes:
                grown.sign(self._db, size)
            if delivered != self.delivered or not rows:  # or a disk that is full would not be asked
                self._db.execute("UPDATE mark SET delivered = ?", (delivered,))
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self._rollback()
            raise
        self._last = (seq, hash_)
        self._grown = grown
        self.delivered = delivered

    def older(self, before_wall_ns: int) -> tuple[int, bytes] | None:
        """Up to where records are delivered and older than a time: the last of them and its hash; None if none is.

        A record from before the clock was set has no known age; it is as old as the next one that does.
        """
        (young,) = self._db.execute(
            "SELECT min(seq) FROM (SELECT seq FROM record WHERE synced AND wall_ns >= ? ORDER BY seq LIMIT 1)",
            (before_wall_ns,),
        ).fetchone()
        found: tuple[int, bytes] | None = self._db.execute(
            "SELECT seq, hash FROM record WHERE synced AND seq < ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
            (self.last + 1 if young is None else young, self.delivered),
        ).fetchone()
        return found

    def oldest(self, count: int) -> tuple[int, bytes] | None:
        """Up to where there are so many of the oldest records, delivered, whatever their age; None if there are
        fewer."""
        if self.pruned + count > self.delivered:
            return None
        found = self.one(self.pruned + count)
        return (self.pruned + count, found[1]) if found else None

    def remove(self, up_to: int, limit: int) -> int:
        """Remove the next of the oldest records up to a sequence, `limit` at most; returns how many. Raises
        sqlite3.Error, and removes nothing, where they are not delivered."""
        last = min(up_to, self.pruned + limit, self._grown.size)
        if last <= self.pruned:
            return 0
        self._begin()
        try:
            (hash_,) = self._db.execute("SELECT hash FROM record WHERE seq = ?", (last,)).fetchone() or (None,)
            if hash_ is None:
                raise damage(f"record {last} is missing")
            grown = self._grown.copy()
            grown.save(self._db)
            cut(self._db, last)
            self._db.execute("UPDATE mark SET pruned = ?, hash = ?", (last, hash_))
            self._db.execute("DELETE FROM record WHERE seq <= ?", (last,))
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self._rollback()
            raise
        self._grown = grown
        count: int = last - self.pruned
        self.pruned, self.hash_before = last, hash_
        return count

    def fault(self) -> str | None:
        """What is wrong with the journal, in one line naming the first bad record; None if all is well."""
        try:
            self._db.execute("BEGIN")  # one view of the file, however long this takes and whatever is written meanwhile
            delivered, pruned, hash_ = self._db.execute("SELECT delivered, pruned, hash FROM mark").fetchone()
            found = first_fault(self.records(), pruned, hash_)
            last = self._db.execute("SELECT coalesce(max(seq), ?) FROM record", (pruned,)).fetchone()[0]
            self._db.execute("COMMIT")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return f"not readable: {error}"
        if found is None and last < delivered:
            return f"record {last + 1} is missing: the broker acknowledged records up to {delivered}"
        return found

    def close(self) -> None:
        """Never raises: what cannot be put in order is found when the file is opened again."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
