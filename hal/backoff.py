"""When to try again to open what could not be opened or was lost. MicroPython subset. Must not know what is opened."""

from hal.clock import Clock, Timer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_NS = 500_000_000
LONGEST_NS = 30_000_000_000


class Backoff:
    """Waits 0.5 s, then twice as long each time up to 30 s.

    What stays open for longer than the wait before it starts at 0.5 s again; what flaps does not.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wait = FIRST_NS
        self._last_wait = 0
        self._opened_at: int | None = None
        self._timer: Timer | None = None

    def opened(self) -> None:
        """It is open now."""
        self._opened_at = self._clock.now()

    def failed(self, retry: "Callable[[], object]") -> None:
        """It could not be opened, or was lost: call `retry()` when the wait is over."""
        now = self._clock.now()
        if self._opened_at is not None and now - self._opened_at >= self._last_wait:
            self._wait = FIRST_NS
        self._opened_at = None
        self._last_wait = self._wait
        self._wait = min(self._wait * 2, LONGEST_NS)
        self._cancel_timer()
        self._timer = self._clock.call_at(now + self._last_wait, retry)

    def cancel(self) -> None:
        """Nothing is to be opened any more; the next failure waits 0.5 s again."""
        self._cancel_timer()
        self._opened_at = None
        self._wait = FIRST_NS
        self._last_wait = 0

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
