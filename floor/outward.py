"""What is handed to programs and servers of others: a POST, or bytes on a program's standard input. Each call blocks
until it is done or its time is up, and can be ended from another thread.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from pitwatch.daemon.common.tls import client_context

NOT_NOW = (401, 408, 425, 429, 502, 503, 504)
"""Answers that do not reject what was sent: the server may accept it later."""


class OutwardError(Exception):
    """Why something was refused. `lasting`: the receiver cannot be reached or accepts nothing now, whatever it is sent;
    otherwise it has something against this one."""

    def __init__(self, why: str, lasting: bool):
        super().__init__(why)
        self.lasting = lasting


class Program:
    """Runs a program with bytes on standard input. No shell: an argument stays one argument."""

    def __init__(self, timeout_s: float):
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, arguments: Sequence[str], said: bytes) -> None:
        """Raises OutwardError unless it exits 0 in time."""
        program = Path(arguments[0]).name
        # A file, not a pipe: a child of the program that outlives it would hold a pipe open.
        with tempfile.TemporaryFile() as complaints:
            try:
                self._process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=complaints,
                    start_new_session=True,
                )
            except OSError as error:
                raise OutwardError(f"{program}: {error.strerror}", lasting=True) from None
            try:
                self._process.communicate(said, self._timeout_s)
            except subprocess.TimeoutExpired:
                self.abort()
                self._process.communicate()
                raise OutwardError(f"{program}: not done in {self._timeout_s:g} s", lasting=False) from None
            if self._process.returncode:
                raise OutwardError(f"{program}: exit {self._process.returncode}{_last_line(complaints)}", lasting=False)

    def abort(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Poster:
    """Follows no redirection, which would take the headers along to somebody else, and asks no proxy: the receivers are
    on the house's own network. `ca`: a PEM file; empty: the usual authorities."""

    def __init__(self, url: str, ca: str, timeout_s: float):
        self._parts = urlsplit(url)
        self._ca = ca
        self._timeout_s = timeout_s
        self._connection: HTTPConnection | None = None

    def post(self, target: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Raises OutwardError unless the answer is 2xx. Never says what was sent."""
        host = self._parts.netloc
        # http.client's time limit is for each read: one who answers a byte at a time would never end.
        deadline = threading.Timer(self._timeout_s, self.abort)
        deadline.daemon = True
        try:
            self._connection = connection = self._connect()
            deadline.start()
            always = {"Content-Type": "application/json", "Connection": "close"}
            connection.request("POST", target, body, always | dict(headers))
            status = connection.getresponse().status
        except (OSError, HTTPException, ValueError) as error:
            raise OutwardError(f"{host}: {in_words(error)}", lasting=True) from None
        finally:
            deadline.cancel()
            if self._connection is not None:
                self._connection.close()
        if not 200 <= status < 300:
            raise OutwardError(f"{host}: answers {status}", lasting=status in NOT_NOW)

    def abort(self) -> None:
        connected = self._connection.sock if self._connection is not None else None
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

    def _connect(self) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return HTTPConnection(host, port, timeout=self._timeout_s)
        return HTTPSConnection(host, port, timeout=self._timeout_s, context=client_context(self._ca))


def in_words(error: Exception) -> str:
    """In one line. Never what was sent: errors of http.client may have a header's value in them."""
    if isinstance(error, TimeoutError):
        return "does not answer"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate not trusted: {error.verify_message}"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, HTTPException):
        return f"no HTTP answer ({type(error).__name__})"
    return str(error)


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0, os.SEEK_END)
    complaints.seek(max(complaints.tell() - 1000, 0))
    lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
    said = "".join(each for each in lines[-1] if each.isprintable())[-200:] if lines else ""
    return f": {said}" if said else ""
