"""The far side of each kind of link and bank: what a contract suite drives. See contract_link and contract_lines."""

import asyncio
import contextlib
import os
import termios
import time
from collections.abc import Callable
from pathlib import Path

import serial
import serial.rfc2217

from pitwatch.hal.address import parse
from pitwatch.hal.clock import Clock
from pitwatch.hal.line import LineSpec
from pitwatch.hal.link import ByteLink
from pitwatch.hal.rfc2217_link import Rfc2217Link
from pitwatch.hal.serial_link import SerialLink
from pitwatch.hal.sim import SimClock, SimFactory, SimLines, SimLink
from pitwatch.hal.system_clock import SystemClock
from pitwatch.hal.tcp_link import TcpLink


class RealTime:
    def __init__(self) -> None:
        self.clock: Clock = SystemClock()
        self.made: list[ByteLink] = []

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def until(self, condition: Callable[[], object], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"did not happen within {seconds:g} s"
            await asyncio.sleep(0.002)

    def stop_all(self) -> None:
        for link in self.made:
            link.stop()


class VirtualTime:
    def __init__(self) -> None:
        self.clock = SimClock(now=1_000_000_000)

    async def wait(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now() + round(seconds * 1e9))
        await asyncio.sleep(0)

    async def until(self, condition: Callable[[], object], seconds: float) -> None:
        deadline = self.clock.now() + round(seconds * 1e9)
        while not condition():
            assert self.clock.now() < deadline, f"did not happen within {seconds:g} s"
            await self.wait(0.001)


class PtyRig(RealTime):
    """A pseudo-terminal behind a path that stays the same, as udev's by-id links do."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.path = directory / "port"
        self.master = -1
        self.options = ""
        self._plug_in()

    def _plug_in(self) -> None:
        self.master, slave = os.openpty()
        os.set_blocking(self.master, False)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)

    def link(self) -> SerialLink:
        link = SerialLink(self.clock, parse(f"serial:{self.path}{self.options}"))
        self.made.append(link)
        return link

    async def write(self, data: bytes) -> None:
        """A device does not care whether anybody reads: what finds no room for 0.2 s falls on the floor."""
        patience = time.monotonic() + 0.2
        while data and time.monotonic() < patience:
            try:
                data = data[os.write(self.master, data) :]
                patience = time.monotonic() + 0.2
            except BlockingIOError:
                await asyncio.sleep(0.001)

    def unplug(self) -> None:
        if self.master >= 0:
            os.close(self.master)
            self.master = -1
            self.path.unlink()

    async def replug(self) -> None:
        self._plug_in()


class TcpRig(RealTime):
    """A box on the loopback that lets one client in after another."""

    def __init__(self) -> None:
        super().__init__()
        self.port = 0
        self._server: asyncio.Server | None = None
        self._clients: list[asyncio.StreamWriter] = []

    async def replug(self) -> None:
        self._server = await asyncio.start_server(
            lambda reader, writer: self._clients.append(writer), "127.0.0.1", self.port
        )
        self.port = self._server.sockets[0].getsockname()[1]

    def link(self) -> TcpLink:
        link = TcpLink(self.clock, "127.0.0.1", self.port)
        self.made.append(link)
        return link

    async def write(self, data: bytes) -> None:
        await self.until(lambda: self._clients, 1)
        writer = self._clients[-1]
        with contextlib.suppress(ConnectionError):
            writer.write(data)
            await writer.drain()

    def unplug(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._clients:
            writer.transport.abort()
        self._clients.clear()


class _PtyPort(serial.Serial):
    """A pseudo-terminal has no modem lines to ask for and refuses parity; the port keeps in mind what it was set to."""

    cts = dsr = ri = cd = False

    def _reconfigure_port(self, force_update: bool = False) -> None:
        with contextlib.suppress(termios.error):
            super()._reconfigure_port(force_update)


class Rfc2217Rig(RealTime):
    """A box that speaks RFC 2217: pyserial's server between the loopback and a pseudo-terminal."""

    def __init__(self, options: str = "?baud=9600") -> None:
        super().__init__()
        self.options = options
        self.port = 0
        self.said = bytearray()  # what came from the link, telnet and all
        self._server: asyncio.Server | None = None
        self._client: asyncio.StreamWriter | None = None
        self._manager: serial.rfc2217.PortManager | None = None
        self.master, slave = os.openpty()
        os.set_blocking(self.master, False)
        self.serial = _PtyPort(os.ttyname(slave), 1200, timeout=0)
        os.close(slave)

    async def replug(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        asyncio.get_running_loop().add_reader(self.serial.fileno(), self._from_device)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._client = writer
        self._manager = serial.rfc2217.PortManager(self.serial, writer)
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1000):
                self.said += data
                to_device = b"".join(self._manager.filter(data))
                os.write(self.serial.fileno(), to_device)
        writer.close()

    def _from_device(self) -> None:
        data = os.read(self.serial.fileno(), 4096)
        if self._client is not None and self._manager is not None and not self._client.is_closing():
            self._client.write(b"".join(self._manager.escape(data)))

    def link(self) -> Rfc2217Link:
        link = Rfc2217Link(self.clock, parse(f"rfc2217:127.0.0.1:{self.port}{self.options}"))
        self.made.append(link)
        return link

    async def write(self, data: bytes) -> None:
        """As the device would: what finds no room waits."""
        while data:
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self.master, data) :]
            await asyncio.sleep(0.0005)

    def unplug(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            asyncio.get_running_loop().remove_reader(self.serial.fileno())
        if self._client is not None:
            self._client.transport.abort()
            self._client = None

    def close(self) -> None:
        self.unplug()
        self.serial.close()
        os.close(self.master)


class SimLinkRig(VirtualTime):
    def __init__(self) -> None:
        super().__init__()
        self.factory = SimFactory(self.clock)
        self.ports: list[SimLink] = []
        self.plugged = True

    def link(self) -> SimLink:
        link = self.factory.link("serial:/dev/ttyUSB0", "wheel")
        link.plugged = self.plugged
        self.ports.append(link)
        return link

    async def write(self, data: bytes) -> None:
        for port in self.ports:
            port.inject(data)

    def unplug(self) -> None:
        self.plugged = False
        for port in self.ports:
            port.unplug()

    async def replug(self) -> None:
        self.plugged = True
        for port in self.ports:
            port.replug()


class SimLinesRig(VirtualTime):
    def __init__(self) -> None:
        super().__init__()
        self.factory = SimFactory(self.clock)
        self.banks: list[SimLines] = []
        self.raw: dict[str, int] = {}

    def bank(self, specs: list[LineSpec]) -> SimLines:
        bank = self.factory.lines("gpio:", specs, "dice")
        self.banks.append(bank)
        return bank

    def wire(self, name: str, raw: int) -> None:
        for bank in self.banks:
            bank.drive(name, raw)

    def overflow(self, name: str, edges: int) -> None:
        self.banks[-1].lose_edges(edges)
        raw = 1
        for _ in range(edges):
            self.wire(name, raw)
            raw ^= 1

    def unplug(self) -> None:
        for bank in self.banks:
            bank.unplug()

    def replug(self) -> None:
        for bank in self.banks:
            bank.replug()
