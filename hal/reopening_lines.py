"""A bank of lines on the running asyncio loop that reopens itself: the common part of both GPIO back ends. CPython.

Must not know how lines are obtained.
"""

import asyncio
from collections.abc import Callable

from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import Missing
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.reopening import Reopening


class ReopeningLines(Reopening, LineBank):
    """A back end gives what `Reopening` wants, and calls `_report`, (on_edge, on_lost), while there is one."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str) -> None:
        Reopening.__init__(self, clock)
        self._specs = specs
        self._consumer = consumer
        self._report: tuple[Callable[[str, int, int], object], Callable[[int, int], object]] | None = None

    def start(
        self,
        on_edge: Callable[[str, int, int], object],
        on_lost: Callable[[int, int], object],
        on_state: Callable[[bool, str], object],
    ) -> None:
        """As `LineBank.start`. Raises RuntimeError outside a running event loop or if started already."""
        asyncio.get_running_loop()
        self._report = (on_edge, on_lost)
        self._begin(on_state)

    def _is_open(self) -> None:
        super()._is_open()
        self.understood()  # lines that the kernel gives are there

    def stop(self) -> None:
        self._end()
        self._report = None

    def _not_held(self) -> Missing:
        """What `levels` raises while off line."""
        return Missing(self._consumer, "lines are not held", "wait until the bank is on line")
