"""The library's client, extended to report why the broker refused it, and to log no raw bytes.

The library drops the cause of a broken handshake: under TLS 1.3 a broker refuses a certificate only after the
handshake, and the library reports this in its log alone, then waits for its timeout. Independent of tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Awaitable
from math import inf
from typing import Any, Self, TypeVar

import aiomqtt

from pitwatch.daemon.config.broker_url import BrokerAddress

PROBED_WITHIN = 2.0
"""Seconds for an answer to a handshake of TLS."""

WANTS = "the broker wants a client certificate: cert and key"
REFUSES = "the broker does not accept this certificate"
SPEAKS_TLS = "the broker speaks TLS here: mqtts://"

ALERTS = {
    "CERTIFICATE_REQUIRED": WANTS,
    "UNKNOWN_CA": f"{REFUSES}: it is of another house",
    "DECRYPT_ERROR": f"{REFUSES}: it is of another house",
    "CERTIFICATE_EXPIRED": f"{REFUSES}: it has expired",
    "CERTIFICATE_REVOKED": f"{REFUSES}: it has been revoked",
    "BAD_CERTIFICATE": REFUSES,
    "UNSUPPORTED_CERTIFICATE": REFUSES,
    "CERTIFICATE_UNKNOWN": REFUSES,
    "ACCESS_DENIED": REFUSES,
}
"""What a broker says by TLS's alerts, after `TLSV1_ALERT_` or the like, as OpenSSL names them. Authorities
of two houses bear one name: there the signature is found wrong, which is the DECRYPT_ERROR."""

ACCESS_LIST = "its access list must have this name with these topics, and be reloaded (pitwatch provision)"

BROKE_OFF = ("the broker broke off", "the broker ended the connection without an answer")

NOT_ANSWERED = "Operation timed out"
"""The library's word where a connection was had, but no answer on it."""

log = logging.getLogger("pitwatch.mqtt")

Awaited = TypeVar("Awaited")


class _Ear(logging.Handler):
    """Keeps what broke the connection; passes on, to the program's own log, what is something else."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        told = record.args if isinstance(record.args, tuple) else ()
        broken = next((each for each in told if isinstance(each, OSError)), None)
        if broken is not None:
            self.heard = broken
        else:
            log.handle(record)


class BrokeOffError(aiomqtt.MqttError):
    """A broker that was reached ended the connection without an answer or a reason."""


class TellingClient(aiomqtt.Client):
    """`certificate`: whether it shows one. What is said of entering is in MqttError's text."""

    def __init__(self, address: BrokerAddress, certificate: bool, **settings: Any):
        self._address = address
        self._certificate = certificate
        self._context: ssl.SSLContext | None = settings.get("tls_context")
        self.refused: str | None = None
        """That a publication was acknowledged and not taken, which only MQTT 5 shows: the library does not report
        it."""
        self.announced: Any = None
        """Properties of the broker's answer to the connection, which only MQTT 5 has."""
        self._ear = _Ear()
        logger = logging.Logger("mqtt", logging.WARNING)  # of no other's: nothing comes to it, nothing goes further
        logger.addHandler(self._ear)
        super().__init__(address.host, address.port, logger=logger, **settings)

    def _on_connect(self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any = None) -> None:
        self.announced = properties
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: Any, properties: Any) -> None:
        if reason_code.is_failure:
            self.refused = f"the broker refuses the table's messages: {reason_code}; {ACCESS_LIST}"
        super()._on_publish(client, userdata, mid, reason_code, properties)

    async def _wait_for(self, fut: Awaitable[Awaited], timeout: float | None) -> Awaited:  # noqa: ASYNC109  as it has it
        """As the library's, but a task that is cancelled just as the answer comes stays cancelled: asyncio.wait_for in
        Python 3.11 forgets it, and who waits for him to end waits for ever."""
        seconds = self.timeout if timeout is None else timeout
        if seconds == inf:
            return await fut
        try:
            async with asyncio.timeout(seconds):
                return await fut
        except TimeoutError:
            raise aiomqtt.MqttError(NOT_ANSWERED) from None

    async def before_end(self, work: Awaitable[Awaited]) -> Awaited:
        """What `work` gives. Raises MqttError if the connection ends before it, for which the library would wait on."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._disconnected), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            if not task.done():
                task.cancel()
        ended = self._disconnected.exception()
        raise aiomqtt.MqttCodeError(getattr(ended, "rc", None), "the connection ended") from ended

    @property
    def broker_ends(self) -> str | None:
        """When the broker's certificate ends, as OpenSSL writes it; None without encryption."""
        stream = self._client.socket()
        return str((stream.getpeercert() or {})["notAfter"]) if isinstance(stream, ssl.SSLSocket) else None

    async def __aenter__(self) -> Self:
        self._ear.heard = None
        try:
            return await self._entered()
        except BaseException:
            self._let_go()
            raise
        finally:
            self._disconnected.add_done_callback(_read)

    async def _entered(self) -> Self:
        try:
            return await super().__aenter__()
        except aiomqtt.MqttCodeError:
            raise  # the broker's own word
        except aiomqtt.MqttError as error:
            told = await self._why(error)
            if told is None:
                raise
        raise (BrokeOffError if told.startswith(BROKE_OFF) else aiomqtt.MqttError)(told)

    def _let_go(self) -> None:
        """The library keeps a connection that it waits for no longer: a broker that answers late would have two
        clients of one name, and the first for as long as the process lives."""
        self._connected = asyncio.get_running_loop().create_future()  # which it asks for its error, cancelled or not
        stream: Any = self._client.socket()
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)

    async def _why(self, error: aiomqtt.MqttError) -> str | None:
        """None if the error itself says it, or nobody can know more."""
        connected = str(error) == NOT_ANSWERED
        cause = self._ear.heard if connected else error.__context__
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the broker's certificate is not accepted here: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
            return self._refused(cause.reason or "")
        if not connected:
            broken_off = self._address.tls and isinstance(cause, ssl.SSLEOFError | ConnectionResetError)
            return "the broker broke the handshake off; it may speak no TLS here: mqtt://" if broken_off else None
        if self._client.socket() is not None:
            return None  # it keeps silent
        if self._address.tls:
            # Its answer may be lost with the connection: ask again over one that only listens.
            if told := self._refused(await _alert(self._address, self._context)):
                return told
            return f"{BROKE_OFF[0]}; {'it may not accept this certificate' if self._certificate else WANTS}"
        if await _speaks_tls(self._address):
            return SPEAKS_TLS
        return BROKE_OFF[1]

    def _refused(self, alert: str) -> str | None:
        for name, told in ALERTS.items():
            if alert.endswith(name):
                return told
        if alert == "WRONG_VERSION_NUMBER":
            return "the broker speaks no TLS here: mqtt://"
        if alert.endswith("HANDSHAKE_FAILURE") and not self._certificate:
            return WANTS
        return None


def _read(disconnected: asyncio.Future[None]) -> None:
    """Retrieve the reason why a connection ended, or asyncio prints it raw on stderr."""
    if not disconnected.cancelled():
        disconnected.exception()


async def _alert(address: BrokerAddress, context: ssl.SSLContext | None) -> str:
    """Why the broker ends a connection on which nothing is sent, as OpenSSL names it; empty if it does not say."""
    return await _handshake(address, context, listening=True) or ""


async def _speaks_tls(address: BrokerAddress) -> bool:
    """Whether the server answers a TLS handshake. Sends no certificate and verifies none."""
    # Without the machine's authorities: the loop would read them for 30 ms, on a small board for longer.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    failed = await _handshake(address, context, listening=False)
    return failed is not None and (not failed or "_ALERT_" in failed)


async def _handshake(address: BrokerAddress, context: ssl.SSLContext | None, listening: bool) -> str | None:
    """How a TLS handshake fails, as OpenSSL names it: empty if it succeeds, None if there is no answer. `listening`:
    wait for the first byte after it too, because TLS 1.3 refuses a certificate only then."""
    writer = None
    try:
        async with asyncio.timeout(PROBED_WITHIN):
            reader, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
            if listening:
                await reader.read(1)
    except ssl.SSLError as error:
        return error.reason or "UNKNOWN"
    except (OSError, TimeoutError):
        return None
    finally:
        if writer is not None:
            writer.transport.abort()
    return ""
