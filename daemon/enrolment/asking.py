"""The board's side of the connection: shows the request, takes what the house grants. Writes no file."""

from __future__ import annotations

import contextlib
import socket
import ssl

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.house_names import check_table
from pitwatch.daemon.enrolment.code import Keys
from pitwatch.daemon.enrolment.exchange import DONE, MOST_BYTES, PORT, Channel, ExchangeError, Grant, read

PATIENCE_S = 30.0


class UnreachableError(Exception):
    """The house does not answer; one line."""


class RefusedError(Exception):
    """What answers in the house's place refuses; one line that nothing proves."""


class Asking:
    """One connection. `ask`, then `done` when all is on the disk, then `close`."""

    def __init__(self, host: str, port: int = PORT):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        # The board knows no authority yet. The proofs cover this certificate, so only the house's own is good.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        try:
            self._socket = context.wrap_socket(socket.create_connection((host, port), PATIENCE_S))
        except OSError as error:
            reason = error.strerror or error
            raise UnreachableError(f"the house at {host}, port {port}, does not answer: {reason}") from None
        self._channel = Channel(self._socket.getpeercert(binary_form=True) or b"")
        self._lines = self._socket.makefile("rb")

    def ask(self, keys: Keys, body: bytes) -> Grant:
        """What the house with this code grants. Raises UnreachableError, RefusedError, ExchangeError."""
        try:
            self._socket.sendall(self._channel.request(keys, body))
            line = self._lines.readline(MOST_BYTES * 2)
        except OSError as error:
            raise UnreachableError(f"the house ended the connection: {error.strerror or error}") from None
        if not line:
            raise UnreachableError("the house ended the connection without an answer")
        sealed = read(line)
        if sealed.refused:
            raise RefusedError("".join(each if each.isprintable() else "?" for each in sealed.refused[:300]))
        try:
            grant = msgspec.json.decode(self._channel.granted(keys, body, sealed), type=Grant)
            check_table(grant.table)
        except (msgspec.DecodeError, UsageError) as error:
            raise ExchangeError(f"the house's answer is not usable: {error}") from None
        return grant

    def done(self) -> None:
        """Let the house know. If it does not hear that, it only waits."""
        with contextlib.suppress(OSError):
            self._socket.sendall(DONE)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._lines.close()
            self._socket.close()
