"""A byte link over a serial port on the network by RFC 2217: like raw TCP, but this side sets the box's port. CPython.

The link is on line when the box has confirmed speed, bits, parity and stop bits. Bytes go to the box only, which keeps
them for itself; there is no path to the device.
"""

from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.errors import Missing, Unusable
from pitwatch.hal.rfc2217 import Session
from pitwatch.hal.tcp_link import TcpLink, _Receiver

ANSWER_NS = 5_000_000_000
"""Time (ns) in which a box must have confirmed everything."""


class Rfc2217Link(TcpLink):
    """As `TcpLink`, with a port to set up first."""

    def __init__(self, clock: Clock, address: Address) -> None:
        super().__init__(clock, address.host, address.port)
        self._where = self._where.replace("tcp:", "rfc2217:", 1)
        self._address = address
        self._session: Session | None = None
        self._patience: Timer | None = None

    def _connected(self, receiver: _Receiver) -> None:
        if receiver is not self._receiver:
            return
        self._connecting = None
        self._session = Session(self._address)
        self._patience = self._clock.call_at(self._clock.now() + ANSWER_NS, self._no_answer)
        self._answer(receiver)

    def _received(self, receiver: _Receiver, data: bytes) -> None:
        session = self._session
        if receiver is not self._receiver or session is None:
            return
        was_ready = session.ready
        plain = session.feed(data)
        self._answer(receiver)
        if session.trouble:
            fix = "correct the settings in `link`, or the box's; for a box in raw mode write tcp:"
            self._fail(Unusable(self._where, session.trouble, fix))
            return
        if session.ready and not was_ready:
            self._end_patience()
            self._is_open()
        # What came before the port was set may have been read at another speed.
        if was_ready and plain and self._on_bytes is not None:
            self._on_bytes(plain, self._clock.now())

    def _answer(self, receiver: _Receiver) -> None:
        if self._session is not None and self._session.out and receiver.transport is not None:
            receiver.transport.write(bytes(self._session.out))
            self._session.out.clear()

    def _no_answer(self) -> None:
        self._patience = None
        what = "the box does not answer as RFC 2217 wants"
        self._fail(Missing(self._where, what, "switch it to RFC 2217 (telnet) mode, or write tcp: for raw mode"))

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _close(self) -> None:
        self._end_patience()
        self._session = None
        super()._close()
