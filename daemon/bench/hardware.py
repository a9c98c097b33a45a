"""The bench's hardware: a pseudo-terminal for each byte device, simulated lines for the others, one simulated clock.

The serial back end reads the bytes from a terminal, as at a real table. A terminal stands behind a link of a folder, as
an adapter does in /dev: when its plug is pulled the terminal hangs up and the link is gone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import tty
from collections.abc import Callable, Mapping
from pathlib import Path

from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.hal.address import parse
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink
from pitwatch.hal.serial_link import SerialLink
from pitwatch.hal.sim import SimClock, SimFactory

PATIENCE = 2.0
"""Real seconds in which bytes that were written must have been read: the kernel's worker that carries them over waits
its turn on a busy machine, and what comes late would come out of order."""


class _Counted(ByteLink):
    """A link that knows how much it has delivered, so that the simulation's time waits for its bytes, and whether
    anybody listens."""

    def __init__(self, link: ByteLink):
        self._link = link
        self.received = 0
        self.open = False
        self._wanted = 0
        self._reached: asyncio.Future[None] | None = None

    def start(self, on_bytes: Callable[[bytes, int], object], on_state: Callable[[bool, str], object]) -> None:
        def count(data: bytes, t: int) -> None:
            self.received += len(data)
            on_bytes(data, t)
            if self._reached is not None and self.received >= self._wanted:
                self.give_up()

        def state(online: bool, reason: str) -> None:
            self.open = online
            on_state(online, reason)

        self._link.start(count, state)

    def understood(self) -> None:
        self._link.understood()

    def stop(self) -> None:
        self.open = False
        self._link.stop()

    async def reach(self, count: int, seconds: float) -> bool:
        """Wait until so many bytes have been delivered in all; False after so many seconds. The loop sleeps meanwhile:
        the kernel's worker may need this processor."""
        if self.received < count:
            loop = asyncio.get_running_loop()
            self._wanted, self._reached = count, loop.create_future()
            patience = loop.call_later(seconds, self.give_up)
            await self._reached
            patience.cancel()
        return self.received >= count

    def give_up(self) -> None:
        """Whoever waits in `reach` need not wait any more."""
        if self._reached is not None and not self._reached.done():
            self._reached.set_result(None)
        self._reached = None


class _Terminal:
    """One pseudo-terminal: the device writes at one end, the daemon reads at the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self.plug()

    def plug(self) -> None:
        self.device, self._daemon = os.openpty()
        tty.setraw(self._daemon)
        os.set_blocking(self.device, False)
        self.path.symlink_to(os.ttyname(self._daemon))
        self.plugged = True

    def unplug(self) -> None:
        """Whoever has it open is hung up on."""
        if self.plugged:
            self.plugged = False
            self.path.unlink()
            os.close(self.device)
            os.close(self._daemon)


class BenchHardware:
    """Opens what a table's configuration names `sim:`, and plays what happens on the wires. An Opener of the daemon."""

    def __init__(self, clock: SimClock, devices: tuple[DeviceConfig, ...]):
        self.clock = clock
        self._lines = SimFactory(clock)
        self._inverted = {d.id: {spec.name: spec.active_low for spec in d.lines} for d in devices}
        self._terminals: dict[str, _Terminal] = {}
        self._links: dict[str, _Counted] = {}
        self._folder: Path | None = None

    def link(self, url: str, name: str, serial: tuple[int, str] = (9600, "8N1")) -> ByteLink:
        """A serial link on a pseudo-terminal."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pitwatch-wires-"))
        terminal = self._terminals[name] = _Terminal(self._folder / f"tty-{len(self._terminals)}")
        address = parse(f"serial:{terminal.path}", serial)
        link = self._links[name] = _Counted(SerialLink(self.clock, address))
        return link

    def lines(self, url: str, specs: list[LineSpec], name: str) -> LineBank:
        """Simulated lines, all at rest."""
        bank = self._lines.lines("sim:", specs, name)
        for spec in specs:
            bank.drive(spec.name, int(spec.active_low))
        return bank

    def level(self, device: str, line: str, level: int) -> None:
        """A line goes to a logical level now."""
        self._lines.banks[device].drive(line, level ^ int(self._inverted[device][line]))

    async def send(self, device: str, data: bytes) -> None:
        """A device sends bytes now; returns when the daemon has read them."""
        terminal, link = self._terminals[device], self._links[device]
        while data and terminal.plugged and link.open:
            try:
                sent = os.write(terminal.device, data)
            except BlockingIOError:
                sent = 0
            data = data[sent:]
            terminal.written += sent
            if not await link.reach(terminal.written, PATIENCE):
                terminal.written = link.received  # nobody listens; what was sent is lost, as on a real wire

    def close(self) -> None:
        for terminal in self._terminals.values():
            terminal.unplug()
        self._terminals.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def unplug(self, device: str) -> None:
        """The plug of a device is pulled. Raises KeyError for a device without a wire."""
        if device in self._terminals:
            self._terminals[device].unplug()
            self._links[device].give_up()
        else:
            self._lines.banks[device].unplug()

    def plug(self, device: str) -> None:
        """It is plugged in again; the daemon finds it at its next try. Raises as `unplug`."""
        if device not in self._terminals:
            self._lines.banks[device].replug()
        elif not self.plugged(device):
            terminal = self._terminals[device]
            terminal.plug()
            terminal.written = self._links[device].received

    def plugged(self, device: str) -> bool:
        """Whether the device's plug is in. Raises as `unplug`."""
        if device in self._terminals:
            return self._terminals[device].plugged
        return self._lines.banks[device].plugged

    @property
    def ports(self) -> Mapping[str, str]:
        """Device id to the path of the terminal that the daemon reads."""
        return {name: str(terminal.path) for name, terminal in self._terminals.items()}
