"""Syslog: RFC 5424 over UDP (RFC 5426), TCP (RFC 6587, octets counted) or TLS (RFC 5425).

Syslog has no answer: over UDP nobody knows whether a message arrived, over TCP and TLS it is known to have been sent.
"""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import ssl
from urllib.parse import urlsplit

from pitwatch.daemon.common.tls import client_context
from pitwatch.floor.notify.config import Receiver
from pitwatch.floor.notify.notice import Notice, lines
from pitwatch.floor.outward import OutwardError, in_words

FACILITY = 13
"""Log audit."""
SEVERITIES = {"notice": 5, "warning": 4, "alert": 2, "critical": 1}
"""Syslog's own Alert (1) is above its Critical (2)."""
PORTS = {"udp": 514, "tcp": 601, "tls": 6514}
CLOSES_S = 5.0
"""Seconds that a receiver may take to close."""
MOST_BYTES = 2_048
"""Of a message: what every receiver takes (RFC 5424 section 6.1)."""
ENTERPRISE = "pitwatch@32473"
"""The number is that of examples (RFC 5612); the project has none of its own."""


class Syslog:
    def __init__(self, to: Receiver, timeout_s: float):
        parts = urlsplit(to.url)
        self._scheme, self._host = parts.scheme, parts.hostname or ""
        self._port = parts.port or PORTS[parts.scheme]
        self._ca = to.ca
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None

    def send(self, notice: Notice) -> None:
        """Raises OutwardError."""
        said = message(notice)
        try:
            if self._scheme == "udp":
                family, kind, protocol, _, address = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)[
                    0
                ]
                with socket.socket(family, kind, protocol) as self._socket:
                    self._socket.sendto(said, address)
                return
            with self._connected() as self._socket:
                self._socket.sendall(b"%d %s" % (len(said), said))
                self._finish(self._socket)
        except (OSError, ValueError) as error:
            raise OutwardError(f"{self._host}: {in_words(error)}", lasting=True) from None

    def abort(self) -> None:
        connected = self._socket
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> socket.socket:
        plain = socket.create_connection((self._host, self._port), self._timeout_s)
        if self._scheme == "tcp":
            return plain
        try:
            return client_context(self._ca).wrap_socket(plain, server_hostname=self._host)
        except BaseException:
            plain.close()
            raise

    def _finish(self, connected: socket.socket) -> None:
        """Wait until the other side closes too: if it ends the connection instead, it has not read all of it."""
        connected.settimeout(min(self._timeout_s, CLOSES_S))
        if isinstance(connected, ssl.SSLSocket):
            with contextlib.suppress(TimeoutError, ssl.SSLError):
                connected.unwrap()
            return
        connected.shutdown(socket.SHUT_WR)
        with contextlib.suppress(TimeoutError):  # it keeps its half open
            while connected.recv(4_096):
                pass


def message(notice: Notice) -> bytes:
    """As RFC 5424 has it, cut to what every receiver takes."""
    priority = FACILITY * 8 + SEVERITIES.get(notice.severity, 1)
    fields = {"id": notice.id, "reason": notice.reason, "case": str(notice.case), "kind": notice.kind}
    fields |= {"severity": notice.severity, "table": notice.table, "happened": notice.happened}
    data = "".join(f' {name}="{_escaped(value)}"' for name, value in fields.items() if value)
    head = f"<{priority}>1 {notice.at} {_word(platform.node())} pitwatch {os.getpid()} case [{ENTERPRISE}{data}] "
    text = "; ".join(lines(notice))
    whole = head.encode() + b"\xef\xbb\xbf" + text.encode()
    return whole if len(whole) <= MOST_BYTES else whole[:MOST_BYTES].decode("utf-8", "ignore").encode()


def _escaped(value: str) -> str:
    """Of a parameter: RFC 5424 section 6.3.3, and no line ends."""
    plain = "".join(each if each.isprintable() else "?" for each in value[:200])
    return plain.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")


def _word(text: str) -> str:
    return "".join(each for each in text if "!" <= each <= "~")[:255] or "-"
