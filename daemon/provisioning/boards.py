"""The boards of a house: which key signs the journal of which table, in the order in which they were announced.

The list is signed by the house's authority, so that surveillance can tell a replaced board from another one.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.config.sections import is_table
from pitwatch.daemon.provisioning.authority import Authority
from pitwatch.daemon.tlog.note import Key, NoteError

HEAD = "pitwatch-boards-v1"
MARK = b"signature "
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z", re.ASCII)


class Board(NamedTuple):
    """`key` as `status` has it, `since` when it was announced: UTC, RFC 3339."""

    table: str
    key: str
    since: str


def read_board(text: str) -> Board:
    """SITE/TABLE=KEY, of now. Raises UsageError."""
    table, _, key = text.partition("=")
    if not is_table(table):
        raise UsageError(f'--board "{text[:80]}" names no table; SITE/TABLE=KEY is right')
    try:
        Key.of_der("board", key)
    except NoteError:
        raise UsageError(
            f'--board {table}: "{key[:80]}" is no public key; `key` of the table\'s `status` is right, 60 characters'
        ) from None
    return Board(table, key, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def signed_part(raw: bytes) -> tuple[bytes, bytes]:
    """What is signed of a file, and the signature. Raises ValueError."""
    text, mark, last = raw.rpartition(MARK)
    if not mark or not last.endswith(b"\n"):
        raise ValueError("it does not end with a signature")
    return text, base64.b64decode(last, validate=False)


def parse(text: str) -> list[Board]:
    """What is signed, the oldest board first. Raises ValueError with the line that is wrong."""
    lines = text.split("\n")
    if lines[0] != HEAD or lines[-1]:
        raise ValueError("it is no list of boards")
    found = []
    for number, line in enumerate(lines[1:-1], 2):
        parts = line.split(" ")
        if len(parts) != 3 or not is_table(parts[0]) or not TIME.match(parts[2]):
            raise ValueError(f"line {number} is not SITE/TABLE KEY TIME")
        try:
            Key.of_der("board", parts[1])
        except NoteError as error:
            raise ValueError(f"line {number}: {error}") from None
        found.append(Board(*parts))
    return found


class Boards:
    """The list in a folder, `boards.txt`: a line each, and the authority's signature of these lines (ECDSA with
    SHA-256, base64) in the last one."""

    def __init__(self, folder: Path, authority: Authority):
        self.path = folder / "boards.txt"
        self._authority = authority

    def announce(self, boards: Iterable[Board], tables: Iterable[str]) -> list[Path]:
        """Add boards to the list; returns what was written. Raises UsageError."""
        known, tables = self._known(), list(tables)
        added: list[Board] = []
        for board in boards:
            if board.table not in tables:
                raise UsageError(f"--board {board.table}: the house has no such table; name it with --table first")
            for other in (*known, *added):
                if other.key == board.key and other.table != board.table:
                    raise UsageError(f"--board {board.table}: this is the key of {other.table}; a key is of one board")
            of_table = [each.key for each in (*known, *added) if each.table == board.table]
            if board.key in of_table[:-1]:
                raise UsageError(f"--board {board.table}: this key was replaced by another; a new board has a new key")
            if board.key not in of_table:
                added.append(board)
        if not added:
            return []
        text = "".join(f"{line}\n" for line in (HEAD, *(" ".join(each) for each in (*known, *added)))).encode()
        signature = base64.b64encode(self._authority.sign(text))
        write_beside(self.path, text + MARK + signature + b"\n", 0o644).rename(self.path)
        return [self.path]

    def _known(self) -> list[Board]:
        if not self.path.exists():
            return []
        try:
            text, signature = signed_part(self.path.read_bytes())
            if not self._authority.has_signed(text, signature):
                raise ValueError("its signature is not genuine")
            return parse(text.decode())
        except ValueError as error:
            raise UsageError(f"{self.path}: {error}; put the list back as it was written") from None
