"""Signed notes (c2sp.org/signed-note): a text and the signatures of its keys, and the keys as one line of text.

Parsing refuses whatever is not exactly in this form: notes come from the network. Signing and verifying Ed25519 itself
is done by functions that the caller hands in, so that a board can use openssl and a server a library.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec

ED25519 = 0x01
"""Type of a key that signs the text as it is."""

COSIGNATURE = 0x04
"""Type of a witness's key, which signs a time with the text (c2sp.org/tlog-cosignature)."""

MOST_BYTES = 1 << 16
"""Of a note that is parsed: a signature may have 5 kB, and sixteen must be accepted."""

MOST_SIGNATURES = 100

KEY_BYTES, SIGNATURE_BYTES = 32, 64
"""Of Ed25519."""

DER = bytes.fromhex("302a300506032b6570032100")
"""What stands before an Ed25519 public key in DER form (RFC 8410)."""

_DASH = "\N{EM DASH} "

Sign = Callable[[bytes], bytes]
"""Gives the Ed25519 signature of bytes."""

Verify = Callable[[bytes, bytes, bytes], bool]
"""Whether a public key (32 bytes) signed bytes with this signature (64 bytes)."""


class NoteError(ValueError):
    """Not a note, or not signed as it must be; one line."""


class Signature(msgspec.Struct, frozen=True):
    """One line below a note. `data` is what follows the four bytes of the key's id."""

    name: str
    key_id: bytes
    data: bytes

    def line(self) -> str:
        """With its line end."""
        return f"{_DASH}{self.name} {to_base64(self.key_id + self.data)}\n"


class Note(msgspec.Struct, frozen=True):
    """`text` ends with a line end."""

    text: str
    signatures: tuple[Signature, ...]

    def format(self) -> str:
        """As it is stored and sent."""
        return self.text + "\n" + "".join(each.line() for each in self.signatures)

    def by(self, key: Key) -> list[Signature]:
        """The signatures that name this key. None of them is verified here."""
        return [each for each in self.signatures if each.name == key.name and each.key_id == key.id]


class Key(msgspec.Struct, frozen=True):
    """A key that verifies: its name, its type and the public key in the type's own form."""

    name: str
    public: bytes
    type: int = ED25519

    @property
    def id(self) -> bytes:
        """The four bytes by which a signature names the key."""
        return key_id(self.name, self.type, self.public)

    def format(self) -> str:
        """As one line, NAME+ID+KEY, without a line end."""
        return f"{self.name}+{self.id.hex()}+{to_base64(bytes([self.type]) + self.public)}"

    @classmethod
    def parse(cls, line: str) -> Key:
        """Raises NoteError."""
        name, _, rest = line.partition("+")
        id_, _, key = rest.partition("+")
        check_name(name)
        raw = from_base64(key, "the key")
        if not raw:
            raise NoteError("the key is empty")
        found = cls(name, raw[1:], raw[0])
        if found.type in (ED25519, COSIGNATURE) and len(found.public) != KEY_BYTES:
            raise NoteError(f"the key of {name} has {len(found.public)} bytes, and not {KEY_BYTES}")
        if id_ != found.id.hex():
            raise NoteError(f"the id in the key of {name} is not that of the key")
        return found

    @classmethod
    def of_der(cls, name: str, der: str, type: int = ED25519) -> Key:
        """Of an Ed25519 public key in base64 of its DER form, as `status` and checkpoints have it. Raises NoteError."""
        check_name(name)
        raw = from_base64(der, "the public key")
        if not raw.startswith(DER) or len(raw) != len(DER) + KEY_BYTES:
            raise NoteError("the public key is no Ed25519 key in DER form")
        return cls(name, raw[len(DER) :], type)

    @property
    def der(self) -> str:
        """Of an Ed25519 key: base64 of its DER form."""
        return to_base64(DER + self.public)


def key_id(name: str, type: int, public: bytes) -> bytes:
    """The first four bytes of SHA-256(name, line end, type, public key)."""
    return sha256(name.encode() + b"\n" + bytes([type]) + public).digest()[:4]


def check_name(name: str) -> None:
    """Raises NoteError unless a key may have this name."""
    if not name or "+" in name or any(each.isspace() or each < " " for each in name):
        raise NoteError(f"{name[:80]!a} is no name of a key: it is empty, or has a space, a control character or a +")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise NoteError(f"{name[:80]!a} is no name of a key: it is not UTF-8") from None


def parse(raw: bytes | str) -> Note:
    """Raises NoteError."""
    if len(raw) > MOST_BYTES:
        raise NoteError(f"the note has {len(raw)} bytes, and {MOST_BYTES} are accepted")
    try:
        whole = raw.decode() if isinstance(raw, bytes) else raw.encode().decode()
    except UnicodeError:
        raise NoteError("the note is not UTF-8 text") from None
    if any(each < " " and each != "\n" for each in whole):
        raise NoteError("the note has a control character")
    text, gap, below = whole.rpartition("\n\n")
    if not gap:
        raise NoteError("the note has no empty line between its text and its signatures")
    if not below.endswith("\n"):
        raise NoteError("the note has no signature, or does not end with a line end")
    lines = below[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise NoteError(f"the note has {len(lines)} signatures, and {MOST_SIGNATURES} are accepted")
    return Note(text + "\n", tuple(parse_signature(line) for line in lines))


def parse_signature(line: str) -> Signature:
    """A signature line without its line end. Raises NoteError."""
    if not line.startswith(_DASH):
        raise NoteError(f"{line[:80]!a} is no line of a signature")
    name, blank, encoded = line.removeprefix(_DASH).partition(" ")
    if not blank:
        raise NoteError(f"{line[:80]!a} is no line of a signature")
    check_name(name)
    raw = from_base64(encoded, f"the signature of {name[:80]!a}")
    if len(raw) < 5:
        raise NoteError(f"the signature of {name[:80]!a} is too short")
    return Signature(name, raw[:4], raw[4:])


def sign(text: str, key: Key, by: Sign) -> Signature:
    """The signature of a text by an Ed25519 key. Raises NoteError where no note can have this text or key, and what
    `by` raises."""
    if key.type != ED25519:
        raise NoteError(f"a key of type {key.type} does not sign a text as it is")
    if not text.endswith("\n") or any(each < " " and each != "\n" for each in text):
        raise NoteError("the text does not end with a line end, or has a control character")
    check_name(key.name)
    return Signature(key.name, key.id, by(text.encode()))


def verified(note: Note, keys: Sequence[Key], by: Verify) -> list[Key]:
    """Those of some Ed25519 keys that signed the note; signatures of others are ignored. Raises NoteError if none did,
    or if a signature that names one of them is not genuine, and what `by` raises."""
    found = []
    for key in keys:
        if key.type != ED25519:
            raise NoteError(f"a key of type {key.type} does not sign a text as it is")
        signatures = note.by(key)
        for each in signatures:
            if len(each.data) != SIGNATURE_BYTES or not by(key.public, note.text.encode(), each.data):
                raise NoteError(f"the signature of {key.name[:80]!a} is not genuine")
        if signatures:
            found.append(key)
    if not found:
        raise NoteError("the note is not signed by a key that is known here")
    return found


def to_base64(raw: bytes) -> str:
    """As notes, keys and proofs have it."""
    return base64.b64encode(raw).decode()


def from_base64(text: str, what: str) -> bytes:
    """Base64 as it is written, and in no other way that would decode to the same. Raises NoteError."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        raw = b""
    if not raw or to_base64(raw) != text:
        raise NoteError(f"{what} is not in base64")
    return raw
