"""Deadlines of the devices and the rules in one time order, the same live and in a replay.

Call `run_until(t)` before feeding an event of time `t`, so that nothing is judged by later events.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.hal.clock import Clock, Timer

GRACE = 20_000_000
"""A live deadline is acted on this many ns late: an edge stamped before it but read after it still counts."""

FAR = 1 << 63


class Schedule:
    """`set` a deadline by name; `run_until` calls back, earliest first, with the deadline's own time.

    With a clock it also wakes by itself; without one (a replay) time moves only by `run_until`.
    """

    def __init__(self, clock: Clock | None = None):
        self._clock = clock
        self._due: dict[str, int] = {}
        self._callbacks: dict[str, Callable[[int], None]] = {}
        self._next = FAR  # no deadline is earlier than this
        self._timer: Timer | None = None
        self._armed = FAR

    def register(self, name: str, callback: Callable[[int], None]) -> None:
        """`callback(t_ns)` is called when the deadline of `name` falls due; it may set another."""
        self._callbacks[name] = callback

    def set(self, name: str, t: int | None) -> None:
        """Set or clear (None) the deadline of `name`, in ns."""
        if t is None:
            self._due.pop(name, None)
            return
        self._due[name] = t
        if t < self._next:
            self._next = t
            if self._clock is not None and t < self._armed:
                self._arm()

    def run_until(self, t: int) -> None:
        """Let every deadline up to and including `t` fall due."""
        while self._next <= t:
            name = min(self._due, key=self._due.__getitem__, default=None)
            due = self._due[name] if name is not None else FAR
            if name is None or due > t:
                self._next = due
                break
            del self._due[name]
            self._callbacks[name](due)
            if self._due.get(name, FAR) <= due:
                del self._due[name]  # a deadline that does not advance would be called without end
        if self._clock is not None and self._next < self._armed:
            self._arm()

    def stop(self) -> None:
        """Forget every deadline."""
        self._due.clear()
        self._next = FAR
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._armed = None, FAR

    def _arm(self) -> None:
        assert self._clock is not None
        if self._timer is not None:
            self._timer.cancel()
        self._armed = self._next
        self._timer = self._clock.call_at(self._next + GRACE, self._wake)

    def _wake(self) -> None:
        assert self._clock is not None
        self._timer, self._armed = None, FAR
        self.run_until(self._clock.now() - GRACE)
