"""Real servers on this machine that keep what they received. For tests only."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

ENOUGH = 60.0


def until(condition: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + ENOUGH
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Web:
    """An HTTP server. `answers`: status codes to give, one for each request; 200 after them. `stuck`: never answers."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: list[int] = []
        self.stuck = False
        self.ended = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append(Request(self.path, dict(self.headers.items()), body))
                if outer.stuck:
                    outer.ended.wait(ENOUGH)
                    return
                self.send_response(outer.answers.pop(0) if outer.answers else 200)
                self.end_headers()

            def log_message(self, *args: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


class Lines:
    """A syslog receiver: `udp`, `tcp`, or `tls` with a certificate."""

    def __init__(self, kind: str, context: ssl.SSLContext | None = None):
        self.kind = kind
        self.received: list[bytes] = []
        self._context = context
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        if kind != "udp":
            self._socket.listen()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self.kind}://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._socket.close()

    def _run(self) -> None:
        while True:
            try:
                if self.kind == "udp":
                    self.received.append(self._socket.recv(65_536))
                    continue
                connection, _ = self._socket.accept()
            except OSError:
                return
            try:
                if self._context is not None:
                    connection = self._context.wrap_socket(connection, server_side=True)
                with connection:
                    whole = b""
                    while more := connection.recv(65_536):
                        whole += more
                    self.received.append(whole)
            except OSError:
                continue


def certificate(folder: Path) -> tuple[Path, Path]:
    """Certificate and key of 127.0.0.1, signed by itself."""
    cert, key = folder / "server.crt", folder / "server.key"
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", *name]
    subprocess.run([*command, "-days", "9", "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key


def server_context(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """For a server, and what its clients trust."""
    cert, key = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert
