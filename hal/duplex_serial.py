"""A tty for reading and writing: the port of a sensor node or of key-card readers. CPython on Linux (asyncio)."""

import asyncio
import os

from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import Missing
from pitwatch.hal.link import DuplexLink
from pitwatch.hal.serial_link import SerialLink

_MOST_WAITING = 16_384  # bytes kept for a port that is slow to take them; the node's wire sends again what is dropped


class DuplexSerialLink(SerialLink, DuplexLink):
    """As `SerialLink`, with `write`."""

    def __init__(self, clock: Clock, address: Address) -> None:
        super().__init__(clock, address)
        self._waiting = bytearray()

    def write(self, data: bytes) -> None:
        """As `DuplexLink.write`."""
        if self._port is None or len(self._waiting) + len(data) > _MOST_WAITING:
            return
        idle = not self._waiting
        self._waiting += data
        if idle:
            self._writable()

    def _writable(self) -> None:
        """Write what is taken at once; the loop calls again when there is room."""
        port = self._port
        if port is None:
            return
        loop = asyncio.get_running_loop()
        try:
            del self._waiting[: os.write(port.fileno(), self._waiting)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._fail(Missing(self._address.path, "unplugged (%s)" % error.strerror, "plug it in again"))
            return
        if self._waiting:
            loop.add_writer(port.fileno(), self._writable)
        else:
            loop.remove_writer(port.fileno())

    def _close(self) -> None:
        self._waiting.clear()
        if self._port is not None:
            asyncio.get_running_loop().remove_writer(self._port.fileno())
        super()._close()
