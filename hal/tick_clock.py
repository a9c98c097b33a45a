"""Microseconds that do not wrap, derived from a microcontroller's ticks, which do. MicroPython subset.

`time.ticks_us()` wraps after 2**30 µs, about 18 minutes. An interrupt may read it, because it is a small integer, which
takes no memory. Read the clock at least every eight minutes.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class TickClock:
    """`ticks` and `diff` are `time.ticks_us` and `time.ticks_diff`, or what stands for them."""

    def __init__(self, ticks: "Callable[[], int]", diff: "Callable[[int, int], int]") -> None:
        self.ticks = ticks
        self._diff = diff
        self._last = ticks()
        self._us = 0

    def us(self) -> int:
        """Microseconds since this clock was made."""
        tick = self.ticks()
        self._us += self._diff(tick, self._last)
        self._last = tick
        return self._us

    def stamp(self, tick: int) -> int:
        """The microseconds at a tick that an interrupt read, at most eight minutes from the last `us()`."""
        return self._us + self._diff(tick, self._last)
