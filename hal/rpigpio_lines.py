"""A bank of GPIO lines by the RPi.GPIO API, as RPi.GPIO itself or rpi-lgpio offers it. CPython, on the running loop.

For boards that have nothing else: `hal.gpiod_lines` knows more. What the API lacks and what is made of it here:
- It calls back in a thread of its own, with the channel and nothing more: calls are handed to the event loop, stamped
  where they are made (late by the thread's delay), and each counts as one change of level.
- Nothing shows that the kernel lost an edge: a level that stays at odds with the edges seen is one lost edge (an even
  number of them goes unnoticed); what overflows here, between thread and loop, is counted exactly.
- Its bouncetime means "deaf after an edge" in RPi.GPIO and "only if stable" in rpi-lgpio: it is not used; a debounced
  line is read once it has been quiet for its time, as the kernel does it.
- One process may set up a channel twice: `hal.rpigpio_held` keeps those held. It knows one chip, the header's.
- RPi.GPIO's thread falls over (a segmentation fault, 0.7.1) if edge detection ends while an edge comes: once begun, it
  goes on until the process ends. rpi-lgpio holds its lines exclusively and lets go of them.
- "as-is" is no bias that it knows: such a line gets none.
"""

from collections.abc import Callable

from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.edges import EdgeBook
from pitwatch.hal.errors import HalError
from pitwatch.hal.line import LineSpec
from pitwatch.hal.reopening_lines import ReopeningLines
from pitwatch.hal.rpigpio_held import HeldLines

_AT_A_TIME = 256  # then others get their turn
_SETTLING_NS = 50_000_000  # between the steps of an opening, and before it is relied upon
_CHECK_NS = 100_000_000  # how long a level may be at odds with the edges: the thread is never so late
_PROBE_NS = 500_000_000  # how often to look whether all is well
_REFUSED = "bad event request"  # lgpio's message if the kernel refuses edges; seen only for a moment, at an opening
_TRIES = 5  # openings in a row that may be refused so before the bank is reported as unusable


class RpiGpioLines(ReopeningLines):
    """Sets up all lines or none."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str) -> None:
        super().__init__(clock, specs, consumer)
        self._request: HeldLines | None = None
        self._listening: _Listening | None = None
        self._settling: Timer | None = None
        self._refused = 0

    def levels(self) -> dict[str, int]:
        if self._listening is None:
            raise self._not_held()
        return self._listening.levels()

    def _open(self) -> None:
        self._request = HeldLines(self._specs, self._consumer)
        if self._request.is_lgpio:
            # Its thread (0.2.2), about to sleep because it has no line, sleeps through a call for edges that comes at
            # that moment: its wait has no condition.
            self._once_settled(self._detect)
        else:
            self._detect(self._request)

    def _once_settled(self, step: Callable[[HeldLines], object]) -> None:
        def settled() -> None:
            self._settling = None
            if self._request is None:
                return
            try:
                step(self._request)
            except HalError as error:
                self._fail(error)

        self._settling = self._clock.call_at(self._clock.now() + _SETTLING_NS, settled)

    def _detect(self, request: HeldLines) -> None:
        try:
            request.detect()
        except HalError as error:
            self._refused += 1
            if _REFUSED not in str(error) or self._refused >= _TRIES:
                self._refused = 0
                raise
            request.release()
            self._request = None
            self._settling = self._clock.call_at(self._clock.now() + _SETTLING_NS, self._open_again)
            return
        self._refused = 0
        self._once_settled(self._listen)

    def _open_again(self) -> None:
        self._settling = None
        try:
            self._open()
        except HalError as error:
            self._fail(error)

    def _listen(self, request: HeldLines) -> None:
        if self._report is not None:
            self._listening = _Listening(self._clock, request, self._report, self._fail)
            self._is_open()

    def _close(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        if self._request is not None:
            self._request.release()
            self._request = None


class _Line:
    """What is known of one line. `parity` is the level at an even number of edges."""

    __slots__ = ("level", "parity", "quiet", "seen", "spec", "suspect")

    def __init__(self, spec: LineSpec, level: int) -> None:
        self.spec = spec
        self.level = level
        self.parity = level
        self.seen = 0
        self.suspect: int | None = None
        self.quiet: Timer | None = None


class _Listening:
    """Makes levels of calls: by counting, and by reading where a line is debounced or the count is at odds."""

    def __init__(
        self,
        clock: Clock,
        request: HeldLines,
        report: tuple[Callable[[str, int, int], object], Callable[[int, int], object]],
        failed: Callable[[HalError], object],
    ) -> None:
        self._clock = clock
        self._request = request
        self._failed = failed
        request.listen(self._drain)
        self._lines = {channel: _Line(spec, request.read(channel)) for channel, spec in request.specs.items()}
        self._on_lost = report[1]
        self._book = EdgeBook({line.spec.name: line.level for line in self._lines.values()}, *report)
        self._probe = clock.call_at(clock.now() + _PROBE_NS, self._look)
        self._check: Timer | None = None

    def close(self) -> None:
        self._book.closed = True
        self._probe.cancel()
        if self._check is not None:
            self._check.cancel()
        for line in self._lines.values():
            if line.quiet is not None:
                line.quiet.cancel()

    def levels(self) -> dict[str, int]:
        return {
            line.spec.name: line.level if line.spec.debounce_us else self._request.read(channel)
            for channel, line in self._lines.items()
        }

    def _drain(self) -> None:
        for _ in range(_AT_A_TIME):
            taken = self._request.take()
            if taken is None:
                self._check_later()
                return
            channel, number, t = taken
            line = self._lines[channel]
            if line.spec.debounce_us:
                self._settle(channel, line, t)
            else:
                line.seen, line.level = number, line.parity ^ (number & 1)
                self._book.edge(line.spec.name, number, line.level, t)
            if self._book.closed:
                return
        self._request.again()

    def _settle(self, channel: int, line: _Line, t: int) -> None:
        """As the kernel does it: each edge puts off the look at the line by the whole period."""
        if line.quiet is not None:
            line.quiet.cancel()
        due = t + line.spec.debounce_us * 1000

        def look() -> None:
            line.quiet = None
            try:
                level = self._request.read(channel)
            except HalError as error:
                self._failed(error)
                return
            if level != line.level:
                line.level = level
                line.seen += 1
                self._book.edge(line.spec.name, line.seen, level, due)

        line.quiet = self._clock.call_at(due, look)

    def _check_later(self) -> None:
        if self._check is not None:
            self._check.cancel()
        self._check = self._clock.call_at(self._clock.now() + _CHECK_NS, self._compare)

    def _look(self) -> None:
        self._probe = self._clock.call_at(self._clock.now() + _PROBE_NS, self._look)
        self._compare()

    def _compare(self) -> None:
        """Read every line; one at odds with its edges, twice with no edge between, has lost one."""
        self._check = None
        again = False
        t = self._clock.now()
        try:
            for channel, line in self._lines.items():
                level = self._request.read(channel)
                if level == line.level or line.quiet is not None:
                    line.suspect = None
                elif line.suspect != line.seen:
                    line.suspect, again = line.seen, True
                elif line.spec.debounce_us:
                    line.suspect = None
                    self._settle(channel, line, t)
                else:
                    line.suspect = None
                    line.parity ^= 1
                    line.level = level
                    self._on_lost(1, t)
                    self._book.correct({line.spec.name: level}, t)
                if self._book.closed:
                    return
        except HalError as error:
            self._failed(error)
            return
        if again:
            self._check_later()
