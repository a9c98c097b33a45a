"""Key-card readers on an OSDP bus, played by libosdp's peripheral devices on a pseudo-terminal. For tests only."""

from __future__ import annotations

import asyncio
import os
import tty
from typing import Any

import osdp

from pitwatch.daemon.wiring.nodes import Hardware
from pitwatch.devices.osdp_reader import OsdpReader
from pitwatch.devices.protocols import osdp as wire
from pitwatch.devices.protocols import wiegand
from pitwatch.hal.system_clock import SystemClock
from tests.hal.rigs import RealTime


class Mouth(osdp.Channel):
    """Where a libosdp device reads and writes."""

    def __init__(self, bus: Bus):
        super().__init__()
        self.bus = bus
        self.heard = bytearray()

    def read(self, max_bytes: int) -> bytes:
        data = bytes(self.heard[:max_bytes])
        del self.heard[:max_bytes]
        return data

    def write(self, buf: bytes) -> int:
        self.bus.from_reader(bytes(buf))
        return len(buf)

    def flush(self) -> None:
        pass


class Bus(RealTime):
    """Two wires: what the panel says every reader hears. `spoil` may change what a reader says on its way."""

    def __init__(self) -> None:
        super().__init__()
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(slave)
        self.slave = slave
        self.readers: dict[int, Any] = {}
        self.mouths: dict[int, Mouth] = {}
        self.powered: set[int] = set()
        self.said = bytearray()
        self.spoil = lambda data: data
        self.hardware = Hardware(SystemClock())
        self.links: list[Any] = []
        self._task = asyncio.get_running_loop().create_task(self._run())

    def add(self, address: int, key: bytes | None = None, serial: int = 0xDEADBEAF) -> None:
        """A reader at this address, in the place of the one that was there."""
        mouth = self.mouths[address] = Mouth(self)
        capabilities = osdp.PDCapabilities(
            [(osdp.Capability.CommunicationSecurity, 1, 1), (osdp.Capability.CardDataFormat, 1, 1)]
        )
        self.readers[address] = osdp.PeripheralDevice(
            osdp.PDInfo(
                address,
                mouth,
                scbk=key,
                flags=[osdp.LibFlag.EnforceSecure] if key else [],
                id=osdp.PdId(1, 1, 0xCAFEBABE, serial, 0xDEADDEAD),
            ),
            capabilities,
            log_level=osdp.LogLevel.Emergency,
        )
        self.powered.add(address)

    def from_reader(self, data: bytes) -> None:
        self.said += data
        os.write(self.master, self.spoil(data))

    async def _run(self) -> None:
        while True:
            try:
                data = os.read(self.master, 4096)
            except BlockingIOError:
                data = b""
            for address in self.powered:
                self.mouths[address].heard += data
                self.readers[address].ctx.refresh()
            await asyncio.sleep(0.001)

    def listen(self, address: int, key_file: object = "", options: str = "baud=115200") -> Listener:
        query = f"?{options}&address={address}" + (f"&key_file={key_file}" if key_file else "")
        link = self.hardware.link(f"osdp:serial:{self.path}{query}", f"keys-{address}")
        self.links.append(link)
        return Listener(link, address)

    def present(self, address: int, facility: int, card: int, length: int) -> None:
        data = wire.raw_data(wiegand.bits(facility, card, length))[4:]
        event = {"event": osdp.Event.CardRead, "reader_no": 0, "direction": 0, "format": osdp.CardFormat.Wiegand}
        assert self.readers[address].ctx.submit_event({**event, "length": length, "data": data})

    async def close(self) -> None:
        for link in self.links:
            link.stop()
        self._task.cancel()
        await self.wait(0.01)
        os.close(self.master)
        os.close(self.slave)


class Listener:
    """A table's key reader: what it sees and when it is on line."""

    def __init__(self, link: Any, address: int):
        self.link = link
        self.states: list[tuple[bool, str]] = []
        self.seen: list[Any] = []
        self.device = OsdpReader(f"keys-{address}")

    def start(self) -> Listener:
        self.link.start(
            lambda data, t: self.seen.extend(self.device.feed(data, t)),
            lambda online, reason: self.states.append((online, reason)),
        )
        return self

    @property
    def online(self) -> bool:
        return bool(self.states) and self.states[-1][0]

    @property
    def cards(self) -> list[str]:
        return [each.data["credential"] for each in self.seen if each.event == "credential_presented"]
