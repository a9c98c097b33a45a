"""Heads of a table that witnesses have cosigned, all cosignatures of one head together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from pitwatch.daemon.tlog.cosignature import with_cosignature
from pitwatch.daemon.tlog.note import Note, NoteError, parse
from pitwatch.floor.archive.store import Store

COSIGNED = """
    SELECT origin, size, root, note FROM cosignatures WHERE key = :key AND size > :above ORDER BY size, root, witness
"""

Size = tuple[int, str]
"""Records of a tree, and its root in base64."""


async def cosigned(store: Store, table: str, key: str, above: int) -> dict[Size, Note]:
    """Of a table (SITE/TABLE) whose heads this key signs; those of more records than `above`. Raises StoreError."""
    found: dict[Size, Note] = {}
    for row in await store.ask(COSIGNED, key=key, above=above):
        if not row["origin"].endswith(f"/pitwatch/{table}"):
            continue
        with contextlib.suppress(NoteError):
            note = parse(row["note"])
            size = row["size"], row["root"]
            found[size] = merged(found[size], [note]) if size in found else note
    return found


def merged(note: Note, others: Iterable[Note]) -> Note:
    """The note with the signatures of others of the same text."""
    for other in others:
        for each in other.signatures if other.text == note.text else ():
            if each not in note.signatures:
                note = with_cosignature(note, each)
    return note
