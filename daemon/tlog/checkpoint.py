"""Checkpoints (c2sp.org/tlog-checkpoint): the text that states which log, how large its tree is, and its root.

Signed as a note, by a key whose name is the log's origin.
"""

from __future__ import annotations

import re

import msgspec

from pitwatch.daemon.tlog.merkle import HASH_BYTES
from pitwatch.daemon.tlog.note import Key, Note, Sign, Verify, from_base64, parse, sign, to_base64, verified
from pitwatch.daemon.tlog.note import NoteError as NoteError

MOST_SIZE = (1 << 63) - 1
"""Leaves of a tree: what a signed number of 64 bits holds."""

_SIZE = re.compile(r"(0|[1-9][0-9]{0,18})\Z", re.ASCII)


class Checkpoint(msgspec.Struct, frozen=True):
    """`size`: how many leaves the tree of the log `origin` has. `extensions`: further lines, which this project does
    not write."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def format(self) -> str:
        """The text that is signed."""
        lines = (self.origin, str(self.size), to_base64(self.root), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Of the text of a note. Raises NoteError."""
        if not text.endswith("\n"):
            raise NoteError("the checkpoint does not end with a line end")
        lines = text[:-1].split("\n")
        if len(lines) < 3 or not all(lines):
            raise NoteError("the checkpoint has not three lines or more, or an empty one")
        origin, size, encoded = lines[:3]
        if not _SIZE.match(size) or int(size) > MOST_SIZE:
            raise NoteError(f"{size[:80]!a} is no size of a tree")
        try:
            root = from_base64(encoded, "the root")
        except NoteError:
            root = b""
        if len(root) != HASH_BYTES:
            raise NoteError(f"{encoded[:80]!a} is no root of a tree: 32 bytes in base64")
        return cls(origin, int(size), root, tuple(lines[3:]))


def origin(house: str, table: str) -> str:
    """The name of a table's log, and of the key that signs it. `table` is SITE/TABLE."""
    return f"{house}/pitwatch/{table}"


def signed(checkpoint: Checkpoint, der: str, by: Sign) -> Note:
    """The checkpoint signed by its log. `der`: the public key, base64 of its DER form. Raises NoteError, and what `by`
    raises."""
    text = checkpoint.format()
    return Note(text, (sign(text, Key.of_der(checkpoint.origin, der), by),))


def opened(raw: bytes | str, key: Key, by: Verify) -> tuple[Checkpoint, Note]:
    """The checkpoint in a note that the log's key signed: its name is the origin. Signatures of others are left as they
    are. Raises NoteError, and what `by` raises."""
    note = parse(raw)
    verified(note, [key], by)
    said = Checkpoint.parse(note.text)
    if said.origin != key.name:
        raise NoteError(f"the checkpoint is of the log {said.origin[:80]!a}, and not of {key.name[:80]!a}")
    return said, note
