"""A journal's file in the hands of somebody who knows how it is made. For tests only."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from pitwatch.daemon.journal.store import SCHEMA


def unguarded(path: Path) -> sqlite3.Connection:
    """The file as somebody opens it who knows how: its guards are removed, and put back by `closed`."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    return db


def altered(path: Path, statement: str) -> None:
    """One statement, past the guards."""
    db = unguarded(path)
    db.execute(statement)
    closed(db)


def closed(db: sqlite3.Connection) -> None:
    db.executescript(SCHEMA)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
