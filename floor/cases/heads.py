"""Signs the record of cases: a Merkle tree (RFC 6962) whose leaves are the hashes of its entries, its root as a C2SP
tlog-checkpoint.

The newest head is also kept in a file beside the key. So whoever changes the database alone, and removes the heads with
the entries, is found out by the machine that signs: it signs nothing that does not continue what it signed before.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.journal.signing import Signer, SigningError
from pitwatch.daemon.tlog.checkpoint import Checkpoint, signed
from pitwatch.daemon.tlog.merkle import Tree, leaf_hash
from pitwatch.daemon.tlog.note import NoteError, parse
from pitwatch.floor.archive.row import iso
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases.change import START, link

PAGE = 5_000
ROWS = f"SELECT * FROM case_changes WHERE number > :after ORDER BY number LIMIT {PAGE}"
PUT = "INSERT INTO case_heads VALUES (:size, :key, :note, :at) ON CONFLICT DO NOTHING"
HEADS = "SELECT size, key, note FROM case_heads ORDER BY size, key"

log = logging.getLogger("pitwatch.archive")


class RewrittenError(Exception):
    """The record does not continue what was signed; one line."""


class Head(NamedTuple):
    """As it was signed."""

    said: Checkpoint
    note: str


def memory_of(key: Path) -> Path:
    """The file with the newest head, beside the key."""
    return key.with_suffix(".head")


def remembered(path: Path) -> Head | None:
    """The head in a file; None if there is none. Raises SigningError."""
    try:
        text = path.read_text(encoding="utf-8")
        return Head(Checkpoint.parse(parse(text).text), text)
    except FileNotFoundError:
        return None
    except (OSError, NoteError, UnicodeDecodeError) as error:
        raise SigningError(f"{path}: is no signed head of the cases: {error}; put back the right file") from None


async def rows_after(store: Store, number: int) -> AsyncIterator[dict[str, Any]]:
    """The entries as stored, in order. Raises StoreError."""
    while page := await store.ask(ROWS, after=number):
        for row in page:
            yield row
        number = page[-1]["number"]


class HeadSigner:
    """`name` of the record as a log. `sign` as often as liked; it knows what it has read."""

    def __init__(self, store: Store, name: str, key: Path):
        self._store = store
        self._name = name
        self._signer = Signer(key)
        self._memory = memory_of(key)
        self._tree = Tree()
        self._hash = START
        self._rewritten: RewrittenError | None = None

    async def sign(self) -> bool:
        """Sign what is new; False if nothing is. Raises RewrittenError, from then on each time; SigningError,
        StoreError."""
        if self._rewritten is not None:
            raise self._rewritten
        try:
            return await self._sign()
        except RewrittenError as error:
            self._rewritten = error
            raise

    async def _sign(self) -> bool:
        before = await asyncio.to_thread(remembered, self._memory)
        await self._look_back()
        async for row in rows_after(self._store, self._tree.size):
            self._read(row)
            if before is not None and self._tree.size == before.said.size and self._tree.root() != before.said.root:
                raise RewrittenError(f"the first {before.said.size} entries are others than those that were signed")
        if before is not None and self._tree.size < before.said.size:
            raise RewrittenError(
                f"{before.said.size} entries were signed, and the database has {self._tree.size}: entries were removed"
            )
        if before is not None and before.said.size == self._tree.size:
            await self._put(before)  # perhaps it was killed before it could
            return False
        if not self._tree.size:
            return False
        await self._put(await asyncio.to_thread(self._signed))
        return True

    async def _look_back(self) -> None:
        """What was read last must still be there."""
        at = self._tree.size
        rows = await self._store.ask("SELECT hash FROM case_changes WHERE number = :at", at=at)
        if at and [row["hash"] for row in rows] != [self._hash.hex()]:
            raise RewrittenError(f"entry {at} was altered or removed after it was read")

    def _read(self, row: dict[str, Any]) -> None:
        hash_ = link(self._hash, row["body"])
        if row["number"] != self._tree.size + 1 or row["hash"] != hash_.hex():
            raise RewrittenError(f"entry {self._tree.size + 1} was altered or removed")
        self._hash = hash_
        self._tree.append(leaf_hash(hash_))

    def _signed(self) -> Head:
        key = self._signer.prepare()
        said = Checkpoint(self._name, self._tree.size, self._tree.root())
        try:
            note = signed(said, key, self._signer.sign).format()
            os.replace(write_beside(self._memory, note.encode(), 0o644), self._memory)
        except (NoteError, OSError) as error:
            raise SigningError(f"{self._memory}: the cases cannot be signed: {error}") from None
        return Head(said, note)

    async def _put(self, head: Head) -> None:
        key = self._signer.public or ""
        await self._store.change(PUT, size=head.said.size, key=key, note=head.note, at=iso(datetime.now(UTC)))
