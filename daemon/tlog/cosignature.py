"""Cosignatures of witnesses (c2sp.org/tlog-cosignature, version 1 with Ed25519).

A witness signs a time and the text of a checkpoint. That states that the tree begins with all that the witness cosigned
of this log before.
"""

from __future__ import annotations

from pitwatch.daemon.tlog.note import COSIGNATURE, SIGNATURE_BYTES, Key, Note, NoteError, Sign, Signature, Verify

TIME_BYTES = 8

MOST_TIME = (1 << 63) - 1
"""The latest time that a cosignature may have, in seconds since 1970."""


def message(text: str, at: int) -> bytes:
    """What a witness signs. `text` of the note, `at` in seconds since 1970."""
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def cosign(text: str, key: Key, at: int, by: Sign) -> Signature:
    """The cosignature of a witness. Raises NoteError for a key or a time that none can have, and what `by` raises."""
    if key.type != COSIGNATURE:
        raise NoteError(f"a key of type {key.type} does not cosign")
    if not 0 <= at <= MOST_TIME:
        raise NoteError(f"{at} is no time of a cosignature")
    return Signature(key.name, key.id, at.to_bytes(TIME_BYTES, "big") + by(message(text, at)))


def verified(text: str, signature: Signature, key: Key, by: Verify) -> int:
    """When the witness that has this key cosigned the text, in seconds since 1970. Raises NoteError unless it did, and
    what `by` raises."""
    if key.type != COSIGNATURE or (signature.name, signature.key_id) != (key.name, key.id):
        raise NoteError(f"the cosignature is not by the key of {key.name[:80]!a}")
    data = signature.data
    if len(data) != TIME_BYTES + SIGNATURE_BYTES:
        raise NoteError(f"the cosignature of {key.name[:80]!a} has {len(data)} bytes")
    at = int.from_bytes(data[:TIME_BYTES], "big")
    if at > MOST_TIME or not by(key.public, message(text, at), data[TIME_BYTES:]):
        raise NoteError(f"the cosignature of {key.name[:80]!a} is not genuine")
    return at


def with_cosignature(note: Note, signature: Signature) -> Note:
    """The note with one signature more, instead of another by the same key."""
    others = tuple(each for each in note.signatures if (each.name, each.key_id) != (signature.name, signature.key_id))
    return Note(note.text, (*others, signature))
