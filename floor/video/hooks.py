"""The two outputs of a bookmark: a program, or a POST. Each blocks until it is done or its time is up;
`floor.bookmarks` calls them from a thread of their own.
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
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import urlsplit

import msgspec

from pitwatch.daemon.common.tls import client_context
from pitwatch.floor.video.bookmark import Bookmark, in_argument, in_json, in_url
from pitwatch.floor.video.config import FloorVideo, read_headers

NOT_NOW = (401, 408, 425, 429, 502, 503, 504)
"""Answers that do not reject the bookmark: the video system may accept it later."""


class HookError(Exception):
    """Why a bookmark was refused. `lasting`: the receiver cannot be reached or accepts nothing now, whatever it is
    sent; otherwise it has something against this bookmark."""

    def __init__(self, why: str, lasting: bool):
        super().__init__(why)
        self.lasting = lasting


class Hook(Protocol):
    def emit(self, bookmark: Bookmark) -> None:
        """Raises HookError."""

    def abort(self) -> None:
        """Ends an `emit` that is under way in another thread."""


def hook(video: FloorVideo, timeout_s: float) -> Hook:
    """What the configuration says; `timeout_s` is for one attempt."""
    return Command(video.command, timeout_s) if video.command else Post(video, timeout_s)


class Command:
    """Runs a program with the bookmark as JSON on standard input. No shell: an argument stays one argument."""

    def __init__(self, command: list[str], timeout_s: float):
        self._command = command
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    def emit(self, bookmark: Bookmark) -> None:
        values = msgspec.structs.asdict(bookmark)
        program = Path(self._command[0]).name
        try:
            arguments = [self._command[0], *(in_argument(each, values) for each in self._command[1:])]
        except ValueError as error:
            raise HookError(f"{program}: {error}", lasting=False) from None
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
                raise HookError(f"{program}: {error.strerror}", lasting=True) from None
            try:
                self._process.communicate(msgspec.json.encode(bookmark) + b"\n", self._timeout_s)
            except subprocess.TimeoutExpired:
                self.abort()
                self._process.communicate()
                raise HookError(f"{program}: not done in {self._timeout_s:g} s", lasting=False) from None
            if self._process.returncode:
                raise HookError(f"{program}: exit {self._process.returncode}{_last_line(complaints)}", lasting=False)

    def abort(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Post:
    """Sends the filled template, or the bookmark as it is. Follows no redirection, which would take the headers along
    to somebody else, and asks no proxy: a house's video system is on its own network."""

    def __init__(self, video: FloorVideo, timeout_s: float):
        self._video = video
        self._timeout_s = timeout_s
        self._parts = urlsplit(video.url)
        self._connection: HTTPConnection | None = None

    def emit(self, bookmark: Bookmark) -> None:
        values = msgspec.structs.asdict(bookmark)
        host = self._parts.netloc
        template = self._video.template
        body = in_json(template, values).encode() if template else msgspec.json.encode(bookmark)
        target = in_url(self._parts.path or "/", values)
        if self._parts.query:
            target += "?" + in_url(self._parts.query, values)
        # http.client's time limit is for each read: one who answers a byte at a time would never end.
        deadline = threading.Timer(self._timeout_s, self.abort)
        deadline.daemon = True
        try:
            headers = {"Content-Type": "application/json", "Connection": "close"}
            if self._video.headers_file:
                headers |= read_headers(Path(self._video.headers_file))
            self._connection = connection = self._connect()
            deadline.start()
            connection.request("POST", target, body, headers)
            status = connection.getresponse().status
        except (OSError, HTTPException, ValueError) as error:
            raise HookError(f"{host}: {_told(error)}", lasting=True) from None
        finally:
            deadline.cancel()
            if self._connection is not None:
                self._connection.close()
        if not 200 <= status < 300:
            raise HookError(f"{host}: answers {status}", lasting=status in NOT_NOW)

    def abort(self) -> None:
        connected = self._connection.sock if self._connection is not None else None
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

    def _connect(self) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return HTTPConnection(host, port, timeout=self._timeout_s)
        context = client_context(self._video.ca)
        return HTTPSConnection(host, port, timeout=self._timeout_s, context=context)


def _told(error: Exception) -> str:
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
