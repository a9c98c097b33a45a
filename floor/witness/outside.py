"""The client of a witness outside the house (C2SP tlog-witness). Blocking calls; independent of tables."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from pitwatch.daemon.tlog.cosignature import verified
from pitwatch.daemon.tlog.note import Key, Note, NoteError, Signature
from pitwatch.floor.witness.cosigner import genuine
from pitwatch.floor.witness.protocol import PATH, SIZE_TYPE, parse_conflict, parse_cosignatures, written

PATIENCE = 20.0
"""Seconds for one request."""
MOST_ANSWER = 65_536
MOST_APART = 86_400.0
"""Seconds that its clock may differ from this one."""


class OutsideError(Exception):
    """The witness does not cosign; one line. `passing`: it may when it is asked again."""

    def __init__(self, why: str, passing: bool = True):
        super().__init__(why)
        self.passing = passing


class ElsewhereError(OutsideError):
    """The newest head that the witness has cosigned is of another size."""

    def __init__(self, why: str, size: int):
        super().__init__(why)
        self.size = size


class ContradictsError(OutsideError):
    """What it has cosigned of this log is not part of what it was sent."""


class Outside(NamedTuple):
    """`url`: what stands before `/add-checkpoint`. `key` of the witness. `ca`: who signed its certificate, empty for
    the usual ones."""

    url: str
    key: Key
    ca: str = ""

    @property
    def name(self) -> str:
        return self.key.name

    def add_checkpoint(self, old: int, proof: Sequence[bytes], note: Note, size: int) -> tuple[Signature, int]:
        """Its cosignature, and when it was made (seconds since 1970). `note` as the log has signed it, of `size`
        records. Raises OutsideError."""
        status, kind, body = self._post(written(old, proof, note.format()))
        if status == 200:
            return self._cosignature(note, body)
        said = body[:200].decode("utf-8", "replace").strip()
        if status == 409 and kind == SIZE_TYPE:
            return self._conflict(old, size, body)
        if status == 404:
            raise OutsideError("it does not know this log; its operator must add it", False)
        if status == 403:
            raise OutsideError("it does not trust the table's key; its operator must add it", False)
        if status == 422:
            raise ContradictsError(f"the proof from {old} to {size} records does not prove what it has cosigned")
        raise OutsideError(f"it answers {status} {said!a}", status != 400)

    def _cosignature(self, note: Note, body: bytes) -> tuple[Signature, int]:
        try:
            for each in parse_cosignatures(body):
                if (each.name, each.key_id) == (self.key.name, self.key.id):
                    at = verified(note.text, each, self.key, genuine)
                    if abs(at - time.time()) > MOST_APART:
                        raise OutsideError("its clock and this one differ by more than a day; set the wrong one")
                    return each, at
        except NoteError as error:
            raise OutsideError(f"its answer is not usable: {error}") from None
        raise OutsideError("its answer has no cosignature by the key that FLOOR.toml names", False)

    def _conflict(self, old: int, size: int, body: bytes) -> tuple[Signature, int]:
        try:
            known = parse_conflict(body)
        except NoteError as error:
            raise OutsideError(f"its answer is not usable: {error}") from None
        if known == old == size:
            raise ContradictsError(f"it has cosigned another head of {size} records")
        raise ElsewhereError(f"it has cosigned {known} records", known)

    def _post(self, body: bytes) -> tuple[int, str, bytes]:
        """Follows no redirection and asks no proxy. Status, media type and body of the answer."""
        parts = urlsplit(self.url)
        connection = self._connection(parts.scheme, parts.hostname or "", parts.port)
        # The time limit of http.client is for each read: one who answers a byte at a time would never end.
        deadline = threading.Timer(PATIENCE, lambda: _cut(connection))
        deadline.daemon = True
        deadline.start()
        try:
            headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "pitwatch", "Connection": "close"}
            connection.request("POST", parts.path.rstrip("/") + PATH, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers.get_content_type(), answer.read(MOST_ANSWER)
        except (OSError, HTTPException, ValueError) as error:
            raise OutsideError(f"{parts.netloc} cannot be used: {_told(error)}") from None
        finally:
            deadline.cancel()
            connection.close()

    def _connection(self, scheme: str, host: str, port: int | None) -> HTTPConnection:
        if scheme == "http":
            return HTTPConnection(host, port, timeout=PATIENCE)
        context = ssl.create_default_context(cafile=self.ca or None)
        return HTTPSConnection(host, port, timeout=PATIENCE, context=context)


def _cut(connection: HTTPConnection) -> None:
    with contextlib.suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    return str(error) or type(error).__name__
