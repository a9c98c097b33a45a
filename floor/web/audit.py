"""The log of changes: who did what, when, from where. Entries are only added; each is hashed with the one before."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from pitwatch.floor.web.books import Books

FIRST = "0" * 64
COLUMNS = "number, at, who, address, act, subject, detail, digest"


class Entry(NamedTuple):
    """`who`: the account, empty before somebody has signed in. `act`: what was done, `subject` to what."""

    number: int
    at: str
    who: str
    address: str
    act: str
    subject: str
    detail: str
    digest: str


class Audit:
    def __init__(self, books: Books):
        self._books = books

    def note(self, who: str, address: str, act: str, subject: str = "", **detail: Any) -> None:
        """Add an entry. It is on disk, or this raises sqlite3.Error and what it is about must not be done."""
        with self._books.together() as connection:
            last = connection.execute("SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1").fetchone()
            number, before = (last[0] + 1, last[1]) if last else (1, FIRST)
            text = msgspec.json.encode(detail, order="sorted").decode()
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            values = (number, at, who, address, act, subject, text)
            connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*values, _digest(before, values)))

    def newest(self, most: int, before: int | None = None) -> list[Entry]:
        """Entries, the newest first, those below the number `before`."""
        rows = self._books.ask(
            f"SELECT {COLUMNS} FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?", before or 2**62, most
        )
        return [Entry(*row) for row in rows]

    def first_wrong(self) -> int | None:
        """The number of the first entry that was altered, or stands where one was removed; None if there is none."""
        before, expected = FIRST, 1
        for row in self._books.ask(f"SELECT {COLUMNS} FROM audit ORDER BY number"):
            entry = Entry(*row)
            if entry.number != expected or entry.digest != _digest(before, entry[:7]):
                return expected
            before, expected = entry.digest, expected + 1
        return None


def _digest(before: str, values: tuple[Any, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode([before, *values])).hexdigest()
