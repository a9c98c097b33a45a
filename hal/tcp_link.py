"""A byte link over a raw TCP socket, for serial-to-Ethernet boxes. CPython, on the running asyncio loop.

Nothing is sent except TCP's own keepalive probes, which detect a box without power within half a minute.
"""

import asyncio
import socket
from typing import cast

from pitwatch.hal.backoff import STEADY_NS
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import HalError, Missing, Unusable
from pitwatch.hal.reopening_link import ReopeningLink

CONNECT_S = 10.0
HUNG_UP_FIX = (
    "another client may hold the port: most boxes serve one and hang up on the next; stop that client; "
    "if there is none, see to the box's power and to its time-out for idle connections"
)
_KEEPALIVE = ((socket.TCP_KEEPIDLE, 10), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3))  # seconds, seconds, probes


class TcpLink(ReopeningLink):
    """Connects to host:port. Whether a second client is let in is the box's business."""

    def __init__(self, clock: Clock, host: str, port: int) -> None:
        super().__init__(clock)
        self._host = host
        self._port = port
        self._where = "tcp:%s:%d" % ("[%s]" % host if ":" in host else host, port)
        self._connecting: asyncio.Task[None] | None = None
        self._receiver: _Receiver | None = None

    def _open(self) -> None:
        self._receiver = _Receiver(self)
        self._connecting = asyncio.get_running_loop().create_task(self._connect(self._receiver))

    async def _connect(self, receiver: "_Receiver") -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                await asyncio.get_running_loop().create_connection(lambda: receiver, self._host, self._port)
        except (OSError, UnicodeError) as error:  # a time-out is an OSError; a host name may be no name at all
            if receiver is self._receiver:
                self._connecting = None
                self._fail(self._explain(error))

    def _explain(self, error: Exception) -> HalError:
        if isinstance(error, UnicodeError):
            return Unusable(self._where, "is no host name", "correct `link`")
        if isinstance(error, socket.gaierror):
            what = "host is not known (%s)" % error.strerror
            return Missing(self._where, what, "correct `link`, or repair the name service")
        if isinstance(error, ConnectionRefusedError):
            return Missing(self._where, "connection refused", "switch the box to raw TCP server mode on this port")
        if isinstance(error, ConnectionResetError):  # a box that accepts, and resets before we have the connection
            return self._hung_up()
        if isinstance(error, TimeoutError):
            return Missing(self._where, "no answer in %d s" % CONNECT_S, "check the box's power, cable and address")
        return Missing(self._where, "cannot connect (%s)" % error, "check the box's power, cable and address")

    def _hung_up(self) -> HalError:
        return Missing(self._where, "the box accepted the connection and hung up", HUNG_UP_FIX)

    def _close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        receiver, self._receiver = self._receiver, None
        if receiver is not None and receiver.transport is not None:
            receiver.transport.abort()

    def _connected(self, receiver: "_Receiver") -> None:
        if receiver is self._receiver:
            self._connecting = None
            self._is_open()

    def _received(self, receiver: "_Receiver", data: bytes) -> None:
        if receiver is self._receiver and self._on_bytes is not None:
            self._on_bytes(data, self._clock.now())

    def _lost(self, receiver: "_Receiver", error: Exception | None) -> None:
        if receiver is not self._receiver:
            return
        short = self._clock.now() - receiver.since < STEADY_NS and not self._backoff.is_proved
        if short and (error is None or isinstance(error, ConnectionError)):
            self._fail(self._hung_up())
            return
        what = "connection lost (%s)" % error if error else "closed by the other end"
        self._fail(Missing(self._where, what, "check the box's power and cable"))


class _Receiver(asyncio.Protocol):
    """One connection."""

    def __init__(self, link: TcpLink) -> None:
        self._link = link
        self.since = 0  # when it was made, ns
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.since = self._link._clock.now()
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)
        self._link._connected(self)

    def data_received(self, data: bytes) -> None:
        self._link._received(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._link._lost(self, exc)
