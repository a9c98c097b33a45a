"""Detects whether a byte device is there: by decoded messages or a lasting connection, not by an open port alone.

A serial-to-TCP box that serves another client accepts and hangs up, a loose adapter comes and goes: neither is the
device.
Reads no clock; times in monotonic ns.
"""

from __future__ import annotations

from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.hal.backoff import STEADY_NS

STEADY = STEADY_NS

TRIED = 64 * 1024
"""Bytes of one connection in which something is looked for that can be understood; in more there is nothing."""

HELD = 4096
"""Bytes of a connection on trial that are kept: more than any message has."""

REASONS, REASON_EVERY = 6, 60_000_000_000
"""Changes of the reason for an absence that are reported at once, and the ns after which one more may be."""


class Presence:
    """`opened`, `heard`, `stood`, `closed` report what happens; `told` is whether the device counts as on line.

    The first connection counts at once. After one that ended within STEADY without anything understood, the next is on
    trial: it counts when something is understood, or when it has stood for STEADY. A quiet device is so on line as long
    as its connection stands.
    """

    def __init__(self, device: DeviceConfig):
        self._device = device
        self._sure_at_once = device.by_lines or device.cls.POLLED  # what opens there has answered, or the kernel has it
        self._trusted = True
        self._trial = None if self._sure_at_once else device.cls(device.id, device.settings)
        self._tried = 0
        self._open = False
        self._reason: str | None = None  # reported last
        self._room = REASONS
        self._room_at = 0
        self.held = b""
        self.told = False
        self.proved = False
        self.away_since: int | None = None
        """When the absence began that no connection has ended by being `proved`; None while there is none."""

    def opened(self, t: int) -> bool:
        """The connection is there; returns whether the device counts as on line by that."""
        self._open = True
        self.held, self._tried = b"", 0
        if not self._sure_at_once:
            self._trial = self._device.cls(self._device.id, self._device.settings)
        if self._sure_at_once:
            self.stood()
        elif self._trusted:
            self.told = True
        return self.told

    def heard(self, data: bytes, t: int) -> bool:
        """Bytes came while nothing was `proved`; returns whether something was understood with them."""
        if not self.told:
            self.held = (self.held + data)[-HELD:]
        if self._trial is None or self._tried > TRIED:
            return False
        self._tried += len(data)
        try:
            self._trial.feed(data, t)
        except Exception:  # the device's own decoder raises it too, and it is reported there
            self._trial = None
            return False
        if not self._trial.understood:
            return False
        self.stood()
        return True

    def stood(self) -> None:
        """The connection has stood for STEADY, or something was understood: the device is there."""
        self.proved = self.told = self._trusted = True
        self.away_since = self._trial = None

    def closed(self, reason: str, t: int) -> bool:
        """The connection ended or could not be had; returns whether to report that."""
        if self.proved or self.away_since is None:
            self.away_since = t
        if self._open and not self.proved:
            self._trusted = False
        was_told, self.told = self.told, False
        self.proved = self._open = False
        self.held = b""
        if was_told:
            self._reason = reason
        return was_told or self._is_news(reason, t)

    def _is_news(self, reason: str, t: int) -> bool:
        """Whether the reason is another than was reported last; reasons that take turns are not reported without
        end."""
        if reason == self._reason:
            return False
        more = (t - self._room_at) // REASON_EVERY
        if more:
            self._room, self._room_at = min(REASONS, self._room + more), t
        if not self._room:
            return False
        self._room -= 1
        self._reason = reason
        return True
