"""Records as they stand in the journal's file: one by its number, many in order, the newest of a kind or topic.

Reads only. What the file is and how it grows is `store`.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from pitwatch.daemon.journal.chain import Record

TREE = "tree"
"""Kind of the rows of `newest` that are no records: `nodes` says what they are."""

COLUMNS = "seq, boot, t_ns, wall_ns, synced, kind, subtopic, retained, body"


class Records:
    """What can be asked of an open file. Every question raises sqlite3.Error for a file that cannot be read."""

    _db: sqlite3.Connection

    def newest(self) -> list[Record]:
        """The newest record of every retained topic and the newest round, in order."""
        rows = self._db.execute(f"SELECT {COLUMNS} FROM newest WHERE kind <> '{TREE}' ORDER BY seq")
        return [_record(row) for row in rows]

    def legible(self) -> list[Record]:
        """Those of `newest` that can be read."""
        found = []
        with contextlib.suppress(sqlite3.Error):
            for (topic,) in self._db.execute(
                f"SELECT CAST(subtopic AS BLOB) FROM newest WHERE kind <> '{TREE}'"
            ).fetchall():
                where = "WHERE CAST(subtopic AS BLOB) = ?"
                with contextlib.suppress(sqlite3.Error):
                    row = self._db.execute(f"SELECT {COLUMNS} FROM newest {where}", (topic,)).fetchone()
                    found.append(_record(row))
        return sorted(found, key=lambda record: record.seq)

    def one(self, seq: int) -> tuple[Record, bytes] | None:
        """One record with its hash, or None. Raises sqlite3.Error."""
        row = self._db.execute(f"SELECT {COLUMNS}, hash FROM record WHERE seq = ?", (seq,)).fetchone()
        return (_record(row[:-1]), row[-1]) if row else None

    def read(self, after: int, limit: int) -> list[Record]:
        """Up to `limit` records that follow `after`, in order."""
        rows = self._db.execute(
            f"SELECT {COLUMNS} FROM record WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
        ).fetchall()
        return [_record(row) for row in rows]

    def retained(self) -> list[Record]:
        """The newest record of every retained topic, in order."""
        rows = self._db.execute(f"SELECT {COLUMNS} FROM newest WHERE retained ORDER BY seq")
        return [_record(row) for row in rows]

    def last_round(self) -> Record | None:
        """The newest round record there ever was."""
        row = self._db.execute(
            f"SELECT {COLUMNS} FROM newest WHERE kind = 'round' ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        return _record(row) if row else None

    def records(self, after: int = 0, limit: int = -1) -> Iterator[tuple[Record, bytes]]:
        """Every record that follows `after` with its stored hash, in order."""
        for row in self._db.execute(
            f"SELECT {COLUMNS}, hash FROM record WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
        ):
            yield _record(row[:-1]), row[-1]

    def of_kind(self, kind: str, after: int = 0) -> Iterator[Record]:
        """Every record of a kind that follows `after`, in order."""
        for row in self._db.execute(
            f"SELECT {COLUMNS} FROM record WHERE kind = ? AND seq > ? ORDER BY seq", (kind, after)
        ):
            yield _record(row)

    def last_of_kind(self, kind: str) -> Record | None:
        """The newest record of a kind in the file."""
        row = self._db.execute(
            f"SELECT {COLUMNS} FROM record WHERE kind = ? ORDER BY seq DESC LIMIT 1", (kind,)
        ).fetchone()
        return _record(row) if row else None

    def times(self, after: int, up_to: int) -> Iterator[tuple[str, int]]:
        """Run and monotonic time (ns) of the records between, without reading what they say."""
        yield from self._db.execute(
            "SELECT boot, t_ns FROM record WHERE seq > ? AND seq <= ? ORDER BY seq", (after, up_to)
        )

    def newest_before(self, seq: int, kind: str) -> Record | None:
        """The newest record of a kind of one retained topic that stands before `seq`, as far as it is still known."""
        for table in ("newest", "record"):  # the newest of all needs no search, and is there when its record is pruned
            row = self._db.execute(
                f"SELECT {COLUMNS} FROM {table} WHERE kind = ? AND seq < ? ORDER BY seq DESC LIMIT 1", (kind, seq)
            ).fetchone()
            if row:
                return _record(row)
        return None

    def newest_of(self, subtopic: str, up_to: int) -> Record | None:
        """The newest retained record or round of a topic up to a sequence, as far as it is still in the file."""
        row = self._db.execute(
            f"SELECT {COLUMNS} FROM record WHERE subtopic = ? AND (retained OR kind = 'round') AND seq <= ? "
            "ORDER BY seq DESC LIMIT 1",
            (subtopic, up_to),
        ).fetchone()
        return _record(row) if row else None


def _record(row: tuple[int, str, int, int, int, str, str, int, str]) -> Record:
    """Raises sqlite3.DatabaseError for what was never written so: one bit of the file makes bytes of a text."""
    seq, boot, t_ns, wall_ns, synced, kind, subtopic, retained, body = row
    whole = type(seq) is type(t_ns) is type(wall_ns) is int
    if not whole or not type(boot) is type(kind) is type(subtopic) is type(body) is str:
        raise damage(f"record {seq!s:.20} is not as records are written")
    return Record(seq, boot, t_ns, wall_ns, bool(synced), kind, subtopic, bool(retained), body.encode())


def damage(what: str) -> sqlite3.DatabaseError:
    """An error as SQLite's own for a damaged file."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
