"""The SQLite file of the web server: accounts, invitations, sessions, changes. Each has a module of its own.

Reads and writes are short and in the event loop's thread; only the hash of a password is computed elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError

VERSION = 1
TABLES = (
    """CREATE TABLE accounts (name TEXT PRIMARY KEY, roles TEXT NOT NULL, password TEXT NOT NULL DEFAULT '',
        totp TEXT NOT NULL DEFAULT '', totp_used INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0, locked_until REAL NOT NULL DEFAULT 0) STRICT""",
    """CREATE TABLE invites (digest TEXT PRIMARY KEY, name TEXT NOT NULL, roles TEXT NOT NULL, until REAL NOT NULL)
        STRICT""",
    """CREATE TABLE sessions (digest TEXT PRIMARY KEY, name TEXT NOT NULL, csrf TEXT NOT NULL, how TEXT NOT NULL,
        made REAL NOT NULL, seen REAL NOT NULL, address TEXT NOT NULL) STRICT""",
    """CREATE TABLE audit (number INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, address TEXT NOT NULL,
        act TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, digest TEXT NOT NULL) STRICT""",
    """CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'entries stay'); END""",
    """CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'entries stay'); END""",
)


class Books:
    """`path` of the file, which only its owner may read. Raises UsageError if it cannot be used."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        try:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._connection = sqlite3.connect(self.path, isolation_level=None, timeout=10.0)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise UsageError(f"{self.path}: cannot be used for accounts: {error}") from None

    def _prepare(self) -> None:
        with self.together() as connection:
            ((version,),) = connection.execute("PRAGMA user_version").fetchall()
            if version > VERSION:
                raise UsageError(f"{self.path}: is of a newer Pitwatch; update this one")
            if version == 0:
                ((others,),) = connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
                if others:
                    raise UsageError(f"{self.path}: is another database; name a file of its own as accounts in [web]")
                for statement in TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def together(self) -> Iterator[sqlite3.Connection]:
        """All of what is done within, or nothing of it. May stand within another."""
        if self._connection.in_transaction:
            yield self._connection
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def ask(self, sql: str, *values: object) -> list[sqlite3.Row]:
        return self._connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """How many rows it changed."""
        with self.together() as connection:
            return connection.execute(sql, values).rowcount

    def close(self) -> None:
        self._connection.close()
