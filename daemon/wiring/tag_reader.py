"""A PN532 at a port of its own, which must be asked: its answers as the bytes of a link. Handles no card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.daemon.wiring.answering import Answering, told
from pitwatch.devices.pn532_host import Heard, Pn532Host
from pitwatch.hal.clock import Clock
from pitwatch.hal.link import ByteLink, DuplexLink


class TagReaderLink(ByteLink, Heard):
    """Gives a whole answer whenever other tags lie there than before."""

    def __init__(self, link: DuplexLink, clock: Clock, where: str):
        self._link = link
        self._where = where
        self._answering = Answering(link, clock)
        self._on_bytes: Callable[[bytes, int], object] | None = None
        self._on_state: Callable[[bool, str], object] | None = None
        self._reason: str | None = None
        self.identity: dict[str, Any] = {}

    def start(self, on_bytes: Callable[[bytes, int], object], on_state: Callable[[bool, str], object]) -> None:
        if self._on_bytes is not None:
            raise RuntimeError("started twice")
        self._on_bytes, self._on_state, self._reason = on_bytes, on_state, None
        self._answering.start(Pn532Host(self))

    def stop(self) -> None:
        if self._on_bytes is not None:
            self._on_bytes = self._on_state = None
            self._answering.stop()

    def reader_up(self, firmware: str, t: int) -> None:
        self.identity = {"vendor": "NXP PN532", "serial": "none", "firmware": firmware}
        self._reason = ""
        self._link.understood()
        if self._on_state is not None:
            self._on_state(True, "")

    def reader_said(self, answer: bytes, t: int) -> None:
        if self._on_bytes is not None:
            self._on_bytes(answer, t)

    def reader_down(self, reason: str, fix: str, t: int) -> None:
        why = told(self._where, reason, fix)
        if why != self._reason and self._on_state is not None:
            self._reason = why
            self._on_state(False, why)
