"""Listens, with uvicorn. Connections that send or read nothing end; a client certificate is handed to the pages."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import ssl
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.web.config import WebSection

FIRST_REQUEST_S = 15.0
"""Seconds for a connection to send a whole head of a request."""
UNREAD_MS = 30_000
"""Milliseconds after which the kernel ends a connection whose other end takes nothing."""
CERTIFICATE = "pitwatch.certificate"
"""In the scope's `extensions`: the common name of the client's certificate."""


class Protocol(H11Protocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unasked = self.loop.call_later(FIRST_REQUEST_S, self._end_unasked)
        name = _common_name(transport.get_extra_info("ssl_object"))
        inner = self.app

        async def with_certificate(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("extensions", {})[CERTIFICATE] = name
            await inner(scope, receive, send)

        self.app = with_certificate

    def connection_lost(self, exc: Exception | None) -> None:
        self._unasked.cancel()
        super().connection_lost(exc)

    def _end_unasked(self) -> None:
        if self.cycle is None:
            self.transport.abort()


def _common_name(tls: ssl.SSLObject | None) -> str:
    certificate: Any = tls.getpeercert() if tls is not None else None
    names = [value for part in (certificate or {}).get("subject", ()) for key, value in part if key == "commonName"]
    return str(names[0]) if len(names) == 1 else ""


def listening(host: str, port: int) -> socket.socket:
    """Raises UsageError, in one line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # what is accepted has it too
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise UsageError(f"{host}:{port}: cannot listen there: {error.strerror or error}") from None
    return listener


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """They are the command's."""
        yield


async def serve(app: Any, web: WebSection, listener: socket.socket) -> None:
    """Until cancelled. Raises UsageError for a certificate that cannot be used."""
    with contextlib.suppress(ValueError, OSError):  # each open page is one connection
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    context = _tls(web) if web.tls else None
    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=16_384,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=1,
        ssl_context_factory=None if context is None else lambda *_: context,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving


def _tls(web: WebSection) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(web.cert, web.key)
        if web.client_ca:
            context.load_verify_locations(web.client_ca)
            context.verify_mode = ssl.CERT_OPTIONAL
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"[web] {web.cert}, {web.key}: cannot be used for TLS: {error}") from None
    return context
