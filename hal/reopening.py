"""Keeps one thing open: opens it, reports once that it is there or gone, retries with back-off. MicroPython subset.

Shared by every back end; must not know what is opened.
"""

from pitwatch.hal.backoff import Backoff
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import HalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Reopening:
    """A back end gives `_open`, which calls `_is_open` when it has succeeded or raises HalError, and `_close`.

    While off line a failure is reported again only if it is of another kind (missing, busy, forbidden, unusable): a
    port that comes back with the wrong permissions needs another fix, the fortieth "no such port" does not.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._backoff = Backoff(clock)
        self._on_state: Callable[[bool, str], object] | None = None
        self._online = False
        self._kind: type | None = None

    def _open(self) -> None:
        raise NotImplementedError

    def _close(self) -> None:
        """Let go of everything; called whether it was open or not. Must not raise."""
        raise NotImplementedError

    def _begin(self, on_state: "Callable[[bool, str], object]") -> None:
        if self._on_state is not None:
            raise RuntimeError("started twice")
        self._on_state = on_state
        self._attempt()

    def _attempt(self) -> None:
        try:
            self._open()
        except HalError as error:
            self._fail(error)

    def _is_open(self) -> None:
        self._backoff.opened()
        if self._on_state is not None and not self._online:
            self._online = True
            self._kind = None
            self._on_state(True, "")

    def understood(self) -> None:
        """What is behind it was heard: it is there, and no port alone."""
        self._backoff.proved()

    def _fail(self, error: HalError) -> None:
        """It could not be opened or was taken away."""
        self._close()
        if self._on_state is None:
            return
        self._backoff.failed(self._attempt)
        if self._online or type(error) is not self._kind:
            self._online = False
            self._kind = type(error)
            self._on_state(False, str(error))

    def _end(self) -> None:
        self._close()
        self._backoff.cancel()
        self._on_state = None
        self._online = False
        self._kind = None
