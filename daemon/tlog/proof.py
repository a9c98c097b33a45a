"""Proofs that are verified without the log (c2sp.org/tlog-proof): index, inclusion path and checkpoint in one text.

Whoever reads one decides which keys he trusts; nothing is verified here but the form.
"""

from __future__ import annotations

import re

import msgspec

from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.merkle import HASH_BYTES, verify_inclusion
from pitwatch.daemon.tlog.note import MOST_BYTES, Note, NoteError, from_base64, parse, to_base64

FIRST = "c2sp.org/tlog-proof@v1"
MOST_PATH = 63
"""Hashes of a path: the depth of the largest tree."""

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})\Z", re.ASCII)


class Proof(msgspec.Struct, frozen=True):
    """`index` of the leaf, `path` from its sibling upwards. `extra`: bytes that are needed to make the leaf again, and
    that nobody signed. `note` is the checkpoint as the log signed it, with its cosignatures."""

    index: int
    path: tuple[bytes, ...]
    note: Note
    extra: bytes = b""

    def format(self) -> str:
        """As it is stored, in a file `.tlog-proof`."""
        lines = [FIRST]
        if self.extra:
            lines.append(f"extra {to_base64(self.extra)}")
        lines += [f"index {self.index}", *map(to_base64, self.path), "", self.note.format()]
        return "\n".join(lines)

    @property
    def checkpoint(self) -> Checkpoint:
        """Raises NoteError."""
        return Checkpoint.parse(self.note.text)

    def verify(self, leaf: bytes) -> None:
        """That the leaf of this hash is in the tree of the checkpoint. Raises ProofError, NoteError."""
        said = self.checkpoint
        verify_inclusion(self.index, said.size, leaf, self.path, said.root)


def parse_proof(raw: bytes | str) -> Proof:
    """Raises NoteError."""
    if len(raw) > 2 * MOST_BYTES:
        raise NoteError(f"the proof has {len(raw)} bytes, and {2 * MOST_BYTES} are accepted")
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
    except UnicodeDecodeError:
        raise NoteError("the proof is not UTF-8 text") from None
    above, gap, note = text.partition("\n\n")
    lines = above.split("\n")
    if not gap or lines.pop(0) != FIRST:
        raise NoteError(f"the proof does not begin with {FIRST}")
    extra = b""
    if lines and lines[0].startswith("extra "):
        extra = from_base64(lines.pop(0).removeprefix("extra "), "what the proof has as extra")
    found = _INDEX.match(lines.pop(0)) if lines else None
    if found is None:
        raise NoteError("the proof has no index")
    if len(lines) > MOST_PATH:
        raise NoteError(f"the proof has {len(lines)} hashes, and {MOST_PATH} are accepted")
    path = tuple(from_base64(line, "a hash of the proof") for line in lines)
    if any(len(each) != HASH_BYTES for each in path):
        raise NoteError("a hash of the proof does not have 32 bytes")
    return Proof(int(found[1]), path, parse(note), extra)
