"""A time-stamp authority of the test's own: openssl behind a small HTTP server, honest or not. For tests only."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/tsa.crt
signer_key = {folder}/tsa.key
certs = {folder}/ca.crt
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


def openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout


class Authority:
    """`url` and `ca` are for a FLOOR.toml. `lie`: HTTP status and answer, of a query and the honest answer."""

    def __init__(self, folder: Path, name: str = "authority"):
        self.folder = folder
        folder.mkdir()
        self.ca = folder / "ca.crt"
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl(
            "req",
            "-x509",
            *new,
            "-keyout",
            f"{folder}/ca.key",
            "-out",
            str(self.ca),
            "-subj",
            f"/CN={name}",
            "-days",
            "30",
        )
        openssl("req", *new, "-keyout", f"{folder}/tsa.key", "-out", f"{folder}/tsa.csr", "-subj", f"/CN={name} stamps")
        (folder / "usage").write_text("extendedKeyUsage = critical,timeStamping\n")
        openssl(
            "x509", "-req", "-in", f"{folder}/tsa.csr", "-CA", str(self.ca), "-CAkey", f"{folder}/ca.key",
            "-CAcreateserial", "-out", f"{folder}/tsa.crt", "-days", "20", "-extfile", f"{folder}/usage",
        )  # fmt: skip
        (folder / "serial").write_text("01\n")
        (folder / "config").write_text(CONFIG.format(folder=folder))
        self.asked: list[bytes] = []
        self.lie: Callable[[bytes, bytes], tuple[int, bytes]] | None = None
        self.kind = "application/timestamp-reply"
        self._lock = threading.Lock()
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = self.rfile.read(int(self.headers["Content-Length"]))
                status, reply = authority.answer(asked)
                self.send_response(status)
                self.send_header("Content-Type", authority.kind)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/tsr"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, asked: bytes) -> tuple[int, bytes]:
        with self._lock:
            self.asked.append(asked)
            reply = self.stamp(asked)
        return self.lie(asked, reply) if self.lie is not None else (200, reply)

    def stamp(self, asked: bytes) -> bytes:
        (self.folder / "query").write_bytes(asked)
        return openssl("ts", "-reply", "-queryfile", f"{self.folder}/query", "-config", f"{self.folder}/config")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
