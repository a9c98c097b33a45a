"""Decides when to retry an open that failed or was lost. MicroPython subset. Must not know what is opened."""

from pitwatch.hal.clock import Clock, Timer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_NS = 500_000_000
LONGEST_NS = 30_000_000_000

STEADY_NS = 60_000_000_000
"""What stood open for so long (ns) has stood; what ends sooner may have been no more than a port that opens."""

CREDIT = 20
CREDIT_NS = 600_000_000_000
"""So many times, and once more in so many ns, what proved itself is tried again soon though it ended soon."""


class Backoff:
    """Waits 0.5 s, then twice as long each time up to 30 s.

    It starts at 0.5 s again after what stood for a minute, and within CREDIT after what was `proved`. What flaps does
    not: in an hour without end of flapping it is opened about 180 times at most.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wait = FIRST_NS
        self._opened_at: int | None = None
        self.is_proved = False
        self._credit = CREDIT
        self._credited_at = 0  # when the credit last grew, or began to be less than all
        self._timer: Timer | None = None

    def opened(self) -> None:
        """It is open now."""
        self._opened_at = self._clock.now()
        self.is_proved = False

    def proved(self) -> None:
        """The device behind it was heard, so that it is more than a port."""
        self.is_proved = True

    def failed(self, retry: "Callable[[], object]") -> None:
        """It could not be opened, or was lost: call `retry()` when the wait is over."""
        now = self._clock.now()
        if self._opened_at is not None:
            steady = now - self._opened_at >= STEADY_NS
            if steady or (self.is_proved and self._wait > FIRST_NS and self._spend(now)):
                self._wait = FIRST_NS
        self._opened_at = None
        self.is_proved = False
        wait = self._wait
        self._wait = min(self._wait * 2, LONGEST_NS)
        self._cancel_timer()
        self._timer = self._clock.call_at(now + wait, retry)

    def _spend(self, now: int) -> bool:
        if self._credit == CREDIT:
            self._credited_at = now
        more = (now - self._credited_at) // CREDIT_NS
        if more:
            self._credit = min(CREDIT, self._credit + more)
            self._credited_at += more * CREDIT_NS
        if not self._credit:
            return False
        self._credit -= 1
        return True

    def cancel(self) -> None:
        """Nothing is to be opened any more; the next failure waits 0.5 s again."""
        self._cancel_timer()
        self._opened_at = None
        self._wait = FIRST_NS

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
