"""Creates an MQTT client from the settings of a table or subscriber. Sends nothing itself."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.publishing.envelope import Message

if TYPE_CHECKING:
    import ssl

    from pitwatch.daemon.publishing.telling_client import TellingClient

WINDOW = 100
"""Publications under way to the broker at a time."""

INCOMING = 100
"""Messages that may wait to be heard; the broker's library drops what comes beyond."""

KEEPALIVE = 15
"""Seconds; a dead connection is noticed after at most twice that."""

ANSWERED_WITHIN = 3.0
"""Seconds for the broker's word that the connection is there; a connection that ends before it is noticed no sooner."""


NO_REASON = "[code:128] Unspecified error"
"""The library's word for an end without a known reason."""


class Credentials(Protocol):
    """What a client shows and expects: paths of PEM files, a user name, the path of its password; empty: none."""

    @property
    def version(self) -> str: ...
    @property
    def ca(self) -> str: ...
    @property
    def cert(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def username(self) -> str: ...
    @property
    def password_file(self) -> str: ...


async def client(
    credentials: Credentials,
    address: BrokerAddress,
    identifier: str | None,
    will: Message | None = None,
    incoming: int = INCOMING,
    lasting: bool = False,
    qos: int = 1,
) -> TellingClient:
    """A fresh client, not yet connected. `lasting`: the broker shall keep its subscriptions, and what comes for them,
    while it is away. `incoming` 0 is no bound; `qos` is the will's. Raises ValueError or OSError for a file
    that cannot be used."""
    import aiomqtt

    from pitwatch.daemon.publishing.telling_client import TellingClient

    for path in (credentials.ca, credentials.cert, credentials.key):
        if path and not await asyncio.to_thread(os.access, path, os.R_OK):
            raise ValueError(f"{path} cannot be read")
    version_5 = credentials.version == "5"
    return TellingClient(
        address,
        bool(credentials.cert),
        identifier=identifier,
        username=credentials.username or None,
        password=await asyncio.to_thread(_password, credentials.password_file) if credentials.password_file else None,
        protocol=aiomqtt.ProtocolVersion.V5 if version_5 else aiomqtt.ProtocolVersion.V311,
        will=aiomqtt.Will(will.topic, will.payload, qos=qos, retain=will.retain) if will else None,
        clean_session=None if version_5 else not lasting,
        timeout=ANSWERED_WITHIN,
        keepalive=KEEPALIVE,
        tls_context=await asyncio.to_thread(_tls, credentials) if address.tls else None,
        max_inflight_messages=WINDOW,
        max_queued_incoming_messages=incoming,
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )


def _tls(credentials: Credentials) -> ssl.SSLContext:
    """TLS 1.2 or newer, the broker's certificate checked against its host name. Raises ValueError, OSError."""
    import ssl

    from pitwatch.daemon.common.tls import client_context

    try:
        context = client_context(credentials.ca)
        if credentials.cert:
            # A key with a pass phrase is refused rather than asked for: nobody is there to type it.
            context.load_cert_chain(credentials.cert, credentials.key, password=lambda: b"")
    except ssl.SSLError as error:
        files = ", ".join(path for path in (credentials.ca, credentials.cert, credentials.key) if path)
        raise ValueError(f"{files} cannot be used: {error.reason or 'no certificate and key in PEM form'}") from None
    return context


def _password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def reason(error: BaseException) -> str:
    """The reason a connection ended or could not be had, as far back as it is known."""
    told = str(error) or type(error).__name__
    cause = error.__cause__
    if NO_REASON in (told, str(cause)):
        return "the broker closed the connection, or it was lost"
    return f"{told} ({cause})" if cause is not None and str(cause) not in told else told
