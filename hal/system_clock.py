"""The board's own clock. CPython on Linux; `hal.sim.SimClock` takes its place on the bench."""

import asyncio
import ctypes
import os
import time
from collections.abc import Callable

from pitwatch.hal.clock import Clock, Timer

_TIMEX_BYTES = 256  # struct timex of adjtimex(2) has 208 on 64-bit Linux, fewer on 32-bit
_TIME_ERROR = 5
_TIMESYNCD_MARK = "/run/systemd/timesync/synchronized"  # written after each successful synchronization

_adjtimex = ctypes.PyDLL(None).adjtimex  # keeps the interpreter's lock, which costs more to get back than the call
_timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # modes = 0: only read


def kernel_clock_is_set() -> bool:
    """Whether a time source keeps the kernel's clock, by adjtimex(2): systemd-timesyncd, ntpd, chrony with `rtcsync`.

    Where a systemd unit's ProtectClock= hides this, systemd-timesyncd's own mark counts.
    """
    state = int(_adjtimex(_timex))
    if state < 0:
        return os.path.exists(_TIMESYNCD_MARK)
    return state < _TIME_ERROR


class SystemTimer(Timer):
    def __init__(self, handle: asyncio.TimerHandle) -> None:
        self._handle = handle

    def cancel(self) -> None:
        self._handle.cancel()


class SystemClock(Clock):
    """CLOCK_MONOTONIC, the clock that the kernel stamps edges with, and timers of the running asyncio loop."""

    def now(self) -> int:
        return time.monotonic_ns()

    def wall(self) -> tuple[int, bool]:
        return time.time_ns(), kernel_clock_is_set()

    def call_at(self, t: int, callback: Callable[[], object]) -> Timer:
        """Raises RuntimeError outside a running event loop."""
        # The loop counts in floating seconds and may fire a rounding error early; a microsecond more never does.
        delay = max(0, t - time.monotonic_ns()) / 1e9 + 1e-6
        return SystemTimer(asyncio.get_running_loop().call_later(delay, callback))
