"""The board's own clock. CPython on Linux; `hal.sim.SimClock` takes its place on the bench."""

import asyncio
import ctypes
import os
import struct
import time
from collections.abc import Callable

from hal.clock import Clock, Timer

# struct timex of adjtimex(2). Its status comes after five fields of which the first, `modes`, is padded to a long.
_TIMEX_BYTES = 256  # 208 on 64-bit Linux; the kernel writes no more than that
_STATUS_OFFSET = 5 * struct.calcsize("l")
_STA_UNSYNC = 0x0040
_TIME_ERROR = 5

_TIMESYNCD_MARK = "/run/systemd/timesync/synchronized"  # written after each successful synchronization

_adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex


def kernel_clock_is_set() -> bool:
    """Whether a time source (chrony, systemd-timesyncd, ntpd, a GPS) keeps the kernel's clock, by adjtimex(2).

    Where a systemd unit's ProtectClock= keeps the kernel from telling, systemd-timesyncd's own mark counts.
    """
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # modes = 0: only read
    state = _adjtimex(timex)
    if state < 0:
        return os.path.exists(_TIMESYNCD_MARK)
    (status,) = struct.unpack_from("i", timex, _STATUS_OFFSET)
    return 0 <= state < _TIME_ERROR and not status & _STA_UNSYNC


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
