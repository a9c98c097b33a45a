"""The messages of C2SP tlog-witness: reads and writes them. Opens no connection."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import NamedTuple

from pitwatch.daemon.tlog.checkpoint import MOST_SIZE
from pitwatch.daemon.tlog.merkle import HASH_BYTES
from pitwatch.daemon.tlog.note import MOST_BYTES as MOST_NOTE
from pitwatch.daemon.tlog.note import NoteError, Signature, parse_signature

PATH = "/add-checkpoint"
SIZE_TYPE = "text/x.tlog.size"
MOST_PROOF = 63
MOST_BYTES = MOST_NOTE + 64 * 64
"""Of a request: a note, 63 lines of a proof and the old size."""

_SIZE = re.compile(r"(0|[1-9][0-9]{0,18})\Z", re.ASCII)


class AddCheckpoint(NamedTuple):
    """`note` is not parsed yet: whose it must be depends on its first line."""

    old: int
    proof: tuple[bytes, ...]
    note: str


def parse(body: bytes) -> AddCheckpoint:
    """Raises NoteError, in one line."""
    if len(body) > MOST_BYTES:
        raise NoteError(f"the request has {len(body)} bytes, and {MOST_BYTES} are accepted")
    try:
        head, gap, note = body.decode().partition("\n\n")
    except UnicodeDecodeError:
        raise NoteError("the request is not UTF-8 text") from None
    first, *lines = head.split("\n")
    word, _, size = first.partition(" ")
    if not gap or word != "old":
        raise NoteError("the request does not begin with `old SIZE`, the proof and an empty line")
    if len(lines) > MOST_PROOF:
        raise NoteError(f"the proof has {len(lines)} lines, and {MOST_PROOF} are accepted")
    return AddCheckpoint(parse_size(size), tuple(map(_hash, lines)), note)


def written(old: int, proof: Sequence[bytes], note: str) -> bytes:
    """A request as it is sent."""
    lines = [f"old {old}", *(base64.b64encode(each).decode() for each in proof), "", note]
    return "\n".join(lines).encode()


def parse_size(text: str) -> int:
    """Raises NoteError."""
    if not _SIZE.match(text) or int(text) > MOST_SIZE:
        raise NoteError(f"{text[:80]!a} is no size of a tree")
    return int(text)


def parse_conflict(body: bytes) -> int:
    """The size in an answer 409. Raises NoteError."""
    text = body[:100].decode("ascii", "replace")
    if not text.endswith("\n"):
        raise NoteError(f"{text[:80]!a} is no size of a tree")
    return parse_size(text[:-1])


def parse_cosignatures(body: bytes) -> list[Signature]:
    """The lines of an answer 200. Raises NoteError."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise NoteError("the answer is not UTF-8 text") from None
    if not text.endswith("\n"):
        raise NoteError("the answer does not end with a line end")
    return [parse_signature(line) for line in text[:-1].split("\n")]


def _hash(line: str) -> bytes:
    try:
        raw = base64.b64decode(line, validate=True)
    except ValueError:
        raw = b""
    if len(raw) != HASH_BYTES or base64.b64encode(raw).decode() != line:
        raise NoteError(f"{line[:80]!a} is no hash of a proof: 32 bytes in base64")
    return raw
