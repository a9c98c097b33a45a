"""The messages of an enrolment, one line of JSON each, and what proves them. Used by both sides; sends nothing.

A proof (HMAC with SHA-256, by a key that follows from the code) covers the certificate of the TLS connection too. So
whoever stands between, with a connection to each side, can pass on neither message, and without the code can make none.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

import msgspec

from pitwatch.daemon.enrolment.code import Keys
from pitwatch.daemon.tlog.note import NoteError, from_base64, to_base64

PORT = 8486
MOST_BYTES = 65536
"""Of one message."""
VERSION = 1
DONE = b'{"done":true}\n'
"""What the board says when all of it is on its disk."""


class ExchangeError(Exception):
    """A message is not genuine or not readable; one line."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """What the board asks: a certificate for its key, PKCS #10 in PEM; `journal` is the key that signs its journal."""

    csr: str
    journal: str


class Grant(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """What the house gives: `ca`, `certificate` and `mqtt` are files, `file` the table's own file or ""."""

    table: str
    ca: str
    certificate: str
    mqtt: str
    file: str = ""


class Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=False, omit_defaults=True):
    """A message on the wire. `refused` is a reason that nothing proves; then there is nothing else."""

    v: int = VERSION
    code: str = ""
    body: str = ""
    proof: str = ""
    refused: str = ""


class Channel(NamedTuple):
    """The connection that a message is bound to: the house's certificate of it, in DER."""

    certificate: bytes

    def proof(self, key: bytes, side: bytes, *parts: bytes) -> bytes:
        mac = hmac.new(key, b"pitwatch enrolment 1 " + side, hashlib.sha256)
        for part in (self.certificate, *parts):
            mac.update(hashlib.sha256(part).digest())
        return mac.digest()

    def request(self, keys: Keys, body: bytes) -> bytes:
        """The board's line."""
        return _line(
            Sealed(code=keys.name, body=to_base64(body), proof=to_base64(self.proof(keys.board, b"board", body)))
        )

    def asked(self, keys: Keys, sealed: Sealed) -> bytes:
        """The body of a request that the board with this code has made on this connection. Raises ExchangeError."""
        body = _bytes(sealed.body)
        if not hmac.compare_digest(self.proof(keys.board, b"board", body), _bytes(sealed.proof)):
            raise ExchangeError("the request is not genuine")
        return body

    def answer(self, keys: Keys, request: bytes, body: bytes) -> bytes:
        """The house's line; `request` is the body that it answers."""
        return _line(Sealed(body=to_base64(body), proof=to_base64(self.proof(keys.house, b"house", request, body))))

    def granted(self, keys: Keys, request: bytes, sealed: Sealed) -> bytes:
        """The body of the house's answer to this request. Raises ExchangeError."""
        body = _bytes(sealed.body)
        if not hmac.compare_digest(self.proof(keys.house, b"house", request, body), _bytes(sealed.proof)):
            raise ExchangeError("the answer is not the house's")
        return body


def refusal(reason: str) -> bytes:
    return _line(Sealed(refused=reason))


def read(line: bytes) -> Sealed:
    """A message from the wire. Raises ExchangeError."""
    try:
        sealed = msgspec.json.decode(line, type=Sealed)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ExchangeError("what came is no message of an enrolment") from None
    if sealed.v != VERSION:
        raise ExchangeError("the other side has another version of Pitwatch; update the older one")
    return sealed


def _line(sealed: Sealed) -> bytes:
    return msgspec.json.encode(sealed) + b"\n"


def _bytes(text: str) -> bytes:
    try:
        return from_base64(text, "a part of the message")
    except NoteError as error:
        raise ExchangeError(f"what came is no message of an enrolment: {error}") from None
