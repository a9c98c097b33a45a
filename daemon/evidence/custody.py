"""The chain of custody: who made a package of which irregularity, when, where and by which command.

On a board it is a file beside the journal, one JSON line an entry, each with the SHA-256 of the line before, so that an
entry cannot be taken out unseen. It is written before the package is.
"""

from __future__ import annotations

import fcntl
import getpass
import os
import platform
import re
import shlex
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from pitwatch.daemon import __version__
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode

PASSWORD = re.compile(r"(\w+://[^:/@\s]*):[^/\s]*@")
"""In the address of a database; a package is handed to others."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`at` is UTC by the clock of `host`. `by`: who, as he calls himself; `user`: the account. `manifest`: SHA-256 of
    the package's MANIFEST, which the package itself cannot hold. `before`: SHA-256 of the line before in the log."""

    at: str
    table: str
    sequence: int
    by: str
    user: str
    host: str
    command: str
    version: str
    manifest: str = ""
    before: str = ""


def entry(table: str, sequence: int, by: str | None, command: Sequence[str], now: datetime) -> Entry:
    """Of a package that is made now. `by` None: the account's name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return Entry(
        at=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        table=table,
        sequence=sequence,
        by=by or user,
        user=user,
        host=platform.node(),
        command=PASSWORD.sub(r"\1:...@", shlex.join(command)),
        version=__version__,
    )


def log_of(journal: Path) -> Path:
    """The log beside a journal."""
    return Path(f"{journal}.custody")


def earlier(log: Path, table: str, sequence: int) -> list[Entry]:
    """Entries of the same irregularity. Raises UsageError for a log that was altered."""
    try:
        lines = log.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{log}: cannot be read: {error.strerror}") from None
    return [each for each in _checked(log, lines) if (each.table, each.sequence) == (table, sequence)]


def append(log: Path, made: Entry) -> None:
    """Add an entry, on disk before this returns. Raises UsageError."""
    try:
        with log.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            lines = file.read().splitlines()
            _checked(log, lines)
            before = sha256(lines[-1]).hexdigest() if lines else ""
            file.write(encode(msgspec.structs.replace(made, before=before)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UsageError(
            f"{log}: the chain of custody cannot be recorded: {error.strerror}; name another file with --custody"
        ) from None


def _checked(log: Path, lines: list[bytes]) -> list[Entry]:
    found = []
    before = ""
    for number, line in enumerate(lines, 1):
        try:
            made = msgspec.json.decode(line, type=Entry)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise UsageError(
                f"{log}:{number}: is no entry of a chain of custody; keep the file, and find out why"
            ) from None
        if made.before != before:
            raise UsageError(f"{log}:{number}: the entry before it was altered or removed; keep the file, find out why")
        before = sha256(line).hexdigest()
        found.append(made)
    return found
