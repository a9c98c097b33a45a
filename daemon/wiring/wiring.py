"""From a table's configuration to open links: which device reads which port or lines. Decodes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.daemon.wiring.nodes import NodeBank
from pitwatch.daemon.wiring.osdp_bus import ReaderLink
from pitwatch.daemon.wiring.presence import STEADY, Presence
from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink


class Opener(Protocol):
    """What opens hardware: `daemon.wiring.nodes.Hardware`, or its simulated twin."""

    def link(self, url: str, name: str, serial: tuple[int, str] = ...) -> ByteLink: ...
    def lines(self, url: str, specs: list[LineSpec], name: str) -> LineBank: ...


class Listener(Protocol):
    """Who hears a device: `daemon.wiring.channel.Channel`, or what writes a capture. Times in monotonic ns."""

    def opened(self, t: int, identity: dict[str, Any]) -> None: ...
    def initial(self, levels: dict[str, int], t: int) -> None: ...
    def received(self, data: bytes, t: int) -> None: ...
    def edge(self, line: str, level: int, t: int) -> None: ...
    def lost(self, count: int, t: int) -> None: ...
    def passed(self, t: int) -> None: ...
    def closed(self, reason: str, t: int) -> None: ...


NOT_WIRED = 'link = "none": nothing is connected'


class Wire:
    """The wire of one device. `start` listens; a port that is not there is a closed device that is tried again."""

    def __init__(self, device: DeviceConfig, opener: Opener, clock: Clock, listener: Listener):
        self.device = device
        self._clock = clock
        self._listener = listener
        self._link: ByteLink | None = None
        self._bank: LineBank | None = None
        self._standing: Timer | None = None
        self.presence = Presence(device)
        self._screen = device.cls.screen()
        if device.scheme == "none":
            return
        if device.by_lines:
            self._bank = opener.lines(device.link, list(device.lines), device.id)
        else:
            self._link = opener.link(device.link, device.id, device.cls.SERIAL or (9600, "8N1"))

    def start(self) -> None:
        """Begin listening; to be called on the event loop."""
        if self._bank is not None:
            if isinstance(self._bank, NodeBank):
                self._bank.on_passed = self._listener.passed
            self._bank.start(self._listener.edge, self._listener.lost, self._state)
        elif self._link is not None:
            self._link.start(self._received, self._state)
        else:
            self._state(False, NOT_WIRED)

    def stop(self) -> None:
        self._end_standing()
        if self._bank is not None:
            self._bank.stop()
        if self._link is not None:
            self._link.stop()

    def _state(self, online: bool, reason: str) -> None:
        t = self._clock.now()
        self._end_standing()
        if self._screen is not None:
            self._screen.interrupt()
        if not online:
            self._gone(reason, t)
            return
        if self.presence.opened(t):
            self._here(t)
        if not self.presence.proved:
            self._standing = self._clock.call_at(t + STEADY, self._stood)

    def _received(self, data: bytes, t: int) -> None:
        if self._screen is not None:
            data = self._screen.feed(data)
            if not data:
                return
        presence = self.presence
        if presence.proved:
            self._listener.received(data, t)
            return
        was_told = presence.told
        if presence.heard(data, t):
            self._end_standing()
            if self._link is not None:
                self._link.understood()
        if was_told:
            self._listener.received(data, t)
        elif presence.told:
            self._here(t)

    def _stood(self) -> None:
        self._standing = None
        was_told = self.presence.told
        self.presence.stood()
        if not was_told:
            self._here(self._clock.now())

    def _end_standing(self) -> None:
        if self._standing is not None:
            self._standing.cancel()
            self._standing = None

    def _gone(self, reason: str, t: int) -> None:
        if self.presence.closed(reason, t):
            self._listener.closed(reason, t)

    def _here(self, t: int) -> None:
        """The device is on line; what it said while its connection was on trial is handed over."""
        levels: dict[str, int] = {}
        if self._bank is not None:
            try:
                levels = self._bank.levels()
            except HalError as error:
                self._gone(str(error), t)
                return
        self._listener.opened(t, self._identity())
        if levels:
            self._listener.initial(levels, t)
        held, self.presence.held = self.presence.held, b""
        if held:
            self._listener.received(held, t)

    def _identity(self) -> dict[str, Any]:
        """What the far end says of itself, where it says anything."""
        if isinstance(self._bank, NodeBank):
            return {"node": self._bank.identity}
        if isinstance(self._link, ReaderLink):
            return {"reader": self._link.identity}
        return {}


def wire_table(
    devices: tuple[DeviceConfig, ...], opener: Opener, clock: Clock, listeners: Mapping[str, Listener]
) -> list[Wire]:
    """A wire for every device, not yet started. Raises ValueError in one line for a link that cannot be."""
    return [Wire(device, opener, clock, listeners[device.id]) for device in devices]
