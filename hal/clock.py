"""The clock interface. MicroPython subset.

Monotonic nanoseconds order everything; wall time is only a label. Back ends: `hal.system_clock`, `hal.sim`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Timer:
    """A pending call; `cancel()` may be called any number of times, also after the call."""

    def cancel(self) -> None:
        raise NotImplementedError


class Clock:
    def now(self) -> int:
        """Monotonic nanoseconds; never goes back, unaffected by steps of the wall clock."""
        raise NotImplementedError

    def wall(self) -> "tuple[int, bool]":
        """(nanoseconds since 1970 UTC, whether a time source has set the clock)."""
        raise NotImplementedError

    def call_at(self, t: int, callback: "Callable[[], object]") -> Timer:
        """Call `callback()` on the event loop once `now()` is at or past `t`, never from inside this call."""
        raise NotImplementedError
