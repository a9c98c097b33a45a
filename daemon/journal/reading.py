"""A journal's file for those who only read it: whether it is one, whether all of it is seen, a connection that writes
nothing.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

TRACES = (b"CREATE TABLE record", b"CREATE TRIGGER keep_newest", b"CREATE TRIGGER no_gap")
BEGINNING = 1 << 16
"""Bytes of a journal's file in which some of these traces are, also where it is damaged."""

NO_WRITING = frozenset((sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY))
"""SQLite would read, but for the files that it needs beside the journal and may not make."""

UNREADABLE = "may not be read by this user; its owner and root may"


def has_traces(path: Path) -> bool:
    """Whether a file, or its write-ahead file, begins as a journal does, however damaged it is. Raises OSError."""
    for file in (path, Path(f"{path}-wal")):
        with contextlib.suppress(FileNotFoundError), file.open("rb") as opened:
            beginning = opened.read(BEGINNING)
            if any(trace in beginning for trace in TRACES):
                return True
    return False


def hides_records(path: Path) -> bool:
    """Whether the write-ahead file of a journal would be passed over in reading: SQLite needs a third file beside the
    two for it, and can make none here."""
    wal, shm = f"{path}-wal", f"{path}-shm"
    there = os.path.isfile(wal) and os.path.getsize(wal) > 0
    return there and not os.access(shm, os.R_OK) and not os.access(path.parent, os.W_OK)


def for_reading(path: Path, text: Callable[[bytes], object] = str) -> sqlite3.Connection:
    """`text` is what texts come as. On a disk or in a folder that takes no writing the file is
    read as it lies there: whoever writes it has a write-ahead file. Raises sqlite3.Error."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        db = sqlite3.connect(
            f"file:{_quoted(path)}?{mode}", uri=True, isolation_level=None, timeout=5, check_same_thread=False
        )
        db.text_factory = text
        try:
            db.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError as error:
            db.close()
            if error.sqlite_errorcode & 0xFF not in NO_WRITING or "immutable" in mode:
                raise
        except BaseException:
            db.close()
            raise
        else:
            break
    return db


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))
