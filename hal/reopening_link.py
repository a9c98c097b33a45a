"""A byte link on the running asyncio loop that reopens itself: the common part of tty, socket and HID links. CPython.

Must not know what is opened.
"""

import asyncio
from collections.abc import Callable

from pitwatch.hal.clock import Clock
from pitwatch.hal.link import ByteLink
from pitwatch.hal.reopening import Reopening


class ReopeningLink(Reopening, ByteLink):
    """A back end gives what `Reopening` wants, and calls `_on_bytes` while there is one."""

    def __init__(self, clock: Clock) -> None:
        Reopening.__init__(self, clock)
        self._on_bytes: Callable[[bytes, int], object] | None = None

    def start(self, on_bytes: Callable[[bytes, int], object], on_state: Callable[[bool, str], object]) -> None:
        """As `ByteLink.start`. Raises RuntimeError outside a running event loop or if started already."""
        asyncio.get_running_loop()
        self._on_bytes = on_bytes
        self._begin(on_state)

    def stop(self) -> None:
        self._on_bytes = None
        self._end()
