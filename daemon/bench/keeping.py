"""Keeps what the simulated hardware hands to the daemon as a capture, stamped as the daemon hears it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pitwatch.daemon.wiring import Opener
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink


class Notes(Protocol):
    """Who writes down what the daemon hears: `daemon.captures.capture.Writer`, or one that shows it too."""

    def received(self, device: str, data: bytes, t_ns: int) -> None: ...
    def edge(self, device: str, line: str, level: int, t_ns: int) -> None: ...
    def levels(self, device: str, levels: dict[str, int], t_ns: int) -> None: ...
    def observation(self, device: str, event: str, data: dict[str, Any], t_ns: int) -> None: ...


class _State:
    """Writes down that a device is off line, and that it is back."""

    def __init__(self, device: str, writer: Notes, now: Callable[[], int]):
        self._device, self._writer, self._now = device, writer, now
        self._away = False

    def note(self, online: bool, reason: str) -> None:
        if online and self._away:
            self._writer.observation(self._device, "device_online", {}, self._now())
        elif not online:
            self._writer.observation(self._device, "device_offline", {"reason": reason}, self._now())
        self._away = not online


class _KeptLink(ByteLink):
    def __init__(self, link: ByteLink, device: str, writer: Notes, now: Callable[[], int]):
        self._link, self._device, self._writer, self._now = link, device, writer, now

    def start(self, on_bytes: Callable[[bytes, int], object], on_state: Callable[[bool, str], object]) -> None:
        def keep(data: bytes, t: int) -> None:
            self._writer.received(self._device, data, t)
            on_bytes(data, t)

        away = _State(self._device, self._writer, self._now)

        def state(online: bool, reason: str) -> None:
            away.note(online, reason)
            on_state(online, reason)

        self._link.start(keep, state)

    def understood(self) -> None:
        self._link.understood()

    def stop(self) -> None:
        self._link.stop()


class _KeptLines(LineBank):
    def __init__(self, bank: LineBank, device: str, writer: Notes, now: Callable[[], int]):
        self._bank, self._device, self._writer, self._now = bank, device, writer, now

    def start(
        self,
        on_edge: Callable[[str, int, int], object],
        on_lost: Callable[[int, int], object],
        on_state: Callable[[bool, str], object],
    ) -> None:
        def keep(line: str, level: int, t: int) -> None:
            self._writer.edge(self._device, line, level, t)
            on_edge(line, level, t)

        away = _State(self._device, self._writer, self._now)

        def opened(online: bool, reason: str) -> None:
            away.note(online, reason)
            if online:
                self._writer.levels(self._device, self._bank.levels(), self._now())
            on_state(online, reason)

        self._bank.start(keep, on_lost, opened)

    def levels(self) -> dict[str, int]:
        return self._bank.levels()

    def stop(self) -> None:
        self._bank.stop()


class Keeping:
    """An opener that opens what `opener` does. Of a line that is debounced the capture has the settled edges, as the
    capture of a real table has them; the simulated wire moved earlier. `now`: monotonic ns."""

    def __init__(self, opener: Opener, writer: Notes, now: Callable[[], int]):
        self._opener, self._writer, self._now = opener, writer, now

    def link(self, url: str, name: str, serial: tuple[int, str] = (9600, "8N1")) -> ByteLink:
        return _KeptLink(self._opener.link(url, name, serial), name, self._writer, self._now)

    def lines(self, url: str, specs: list[LineSpec], name: str) -> LineBank:
        return _KeptLines(self._opener.lines(url, specs, name), name, self._writer, self._now)
