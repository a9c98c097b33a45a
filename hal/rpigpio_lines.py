"""A bank of GPIO lines by the RPi.GPIO API, as RPi.GPIO itself or rpi-lgpio offers it. CPython, on the running loop.

For boards that have nothing else: `hal.gpiod_lines` knows more. What the API lacks and what is made of it here:
- It calls back in a thread of its own, with the channel and nothing more: calls are handed to the event loop, stamped
  where they are made (late by the thread's delay), and each counts as one change of level.
- Nothing tells that the kernel lost an edge: a level that stays at odds with the edges seen is one lost edge (an even
  number of them goes unnoticed); what overflows here, between thread and loop, is counted exactly.
- Its bouncetime means "deaf after an edge" in RPi.GPIO and "only if stable" in rpi-lgpio: it is not used; a debounced
  line is read once it has been quiet for its time, as the kernel does it.
- One process may set up a channel twice: held channels are kept here. It knows one chip, the header's.
- RPi.GPIO's thread falls over (a segmentation fault, 0.7.1) if edge detection ends while an edge comes: once begun, it
  goes on until the process ends. rpi-lgpio holds its lines exclusively and lets go of them.
- "as-is" is no bias that it knows: such a line gets none.
"""

import asyncio
import contextlib
import glob
import importlib
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.edges import EdgeBook
from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.line import LineSpec
from pitwatch.hal.reopening_lines import ReopeningLines

HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
HEADER_LINES = 28
MOST_WAITING = 1024  # calls that may wait for the loop before the oldest are lost
_AT_A_TIME = 256  # then others get their turn
_SETTLING_NS = 50_000_000  # between the steps of an opening, and before it is relied upon
_CHECK_NS = 100_000_000  # how long a level may be at odds with the edges: the thread is never so late
_PROBE_NS = 500_000_000  # how often to look whether all is well

_MODULE = "RPi.GPIO"
_held: dict[int, "_Request"] = {}
_detecting: set[int] = set()  # channels of RPi.GPIO itself


class RpiGpioLines(ReopeningLines):
    """Sets up all lines or none."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str) -> None:
        super().__init__(clock, specs, consumer)
        self._request: _Request | None = None
        self._listening: _Listening | None = None
        self._settling: Timer | None = None

    def levels(self) -> dict[str, int]:
        if self._listening is None:
            raise self._not_held()
        return self._listening.levels()

    def _open(self) -> None:
        self._request = _Request(self._specs, self._consumer)
        if self._request.is_lgpio:
            # Its thread (0.2.2), about to sleep because it has no line, sleeps through a call for edges that comes at
            # that moment: its wait has no condition.
            self._once_settled(self._detect)
        else:
            self._detect(self._request)

    def _once_settled(self, step: "Callable[[_Request], object]") -> None:
        def settled() -> None:
            self._settling = None
            if self._request is None:
                return
            try:
                step(self._request)
            except HalError as error:
                self._fail(error)

        self._settling = self._clock.call_at(self._clock.now() + _SETTLING_NS, settled)

    def _detect(self, request: "_Request") -> None:
        request.detect()
        self._once_settled(self._listen)

    def _listen(self, request: "_Request") -> None:
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


class _Request:
    """The channels of a bank, set up, and the calls that their edges make in the library's thread."""

    def __init__(self, specs: list[LineSpec], consumer: str) -> None:
        """Raises HalError with the line at fault; then nothing is held."""
        self.specs = {spec.line: spec for spec in specs}
        self.consumer = consumer
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[int, int, int]] = deque(maxlen=MOST_WAITING)
        self._count = dict.fromkeys(self.specs, 0)
        self._woken = False
        self._ready: Callable[[], object] | None = None
        for spec in specs:
            _check(spec)
        self._gpio = _library()
        self.is_lgpio = hasattr(self._gpio, "lgpio")
        try:
            for spec in specs:
                self._set_up(spec)
        except BaseException:
            self.release()
            raise

    def _set_up(self, spec: LineSpec) -> None:
        gpio = self._gpio
        pull = {"pull-up": gpio.PUD_UP, "pull-down": gpio.PUD_DOWN}.get(spec.bias, gpio.PUD_OFF)
        try:
            gpio.setmode(gpio.BCM)
            gpio.setup(spec.line, gpio.IN, pull_up_down=pull)
            _held[spec.line] = self
        except Exception as error:
            raise _explain(_where(spec), error) from error

    def detect(self) -> None:
        """Call for edges from now on. Raises HalError."""
        for spec in self.specs.values():
            if spec.line in _detecting:
                continue
            try:
                self._gpio.add_event_detect(spec.line, self._gpio.BOTH, callback=_called)
            except Exception as error:
                raise _explain(_where(spec), error) from error
            if not self.is_lgpio:
                _detecting.add(spec.line)

    def listen(self, ready: Callable[[], object]) -> None:
        """From now on call `ready()` on the loop when `take` has something. What came before does not count."""
        self._waiting.clear()
        self._count = dict.fromkeys(self.specs, 0)
        self._woken = False
        self._ready = ready

    def heard(self, channel: int) -> None:
        """In the library's thread, one call after another."""
        number = self._count[channel] = self._count[channel] + 1
        self._waiting.append((channel, number, time.monotonic_ns()))
        if not self._woken:
            self._woken = True
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._awake)

    def _awake(self) -> None:
        self._woken = False
        if self._ready is not None:
            self._ready()

    def again(self) -> None:
        """Call `ready()` once more after others had their turn."""
        self._loop.call_soon(self._awake)

    def take(self) -> tuple[int, int, int] | None:
        """(channel, number of its edge from 1, stamp) of the oldest call that waits."""
        return self._waiting.popleft() if self._waiting else None

    def read(self, channel: int) -> int:
        """The logical level now. Raises HalError."""
        try:
            raw = self._gpio.input(channel)
        except Exception as error:
            raise _explain(_where(self.specs[channel]), error) from error
        return int(bool(raw) ^ self.specs[channel].active_low)

    def release(self) -> None:
        self._ready = None
        mine = [channel for channel in self.specs if _held.get(channel) is self]
        for channel in mine:
            del _held[channel]
        if not self.is_lgpio:
            return
        for channel in mine:
            for let_go in (self._gpio.remove_event_detect, self._gpio.cleanup):
                with contextlib.suppress(Exception):
                    let_go(channel)
        if _held or not mine:
            return
        try:
            self._gpio.cleanup()
        except Exception:
            # rpi-lgpio cannot close a chip that is gone; a fresh copy of it opens the one that comes instead.
            sys.modules.pop(_MODULE, None)


def _called(channel: int) -> None:
    """In the library's thread."""
    request = _held.get(channel)
    if request is not None:
        request.heard(channel)


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
        request: _Request,
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


def _where(spec: LineSpec) -> str:
    return "%s line %d (%s)" % (spec.chip, spec.line, spec.name)


def _check(spec: LineSpec) -> None:
    if spec.chip not in HEADER_CHIPS:
        raise Unusable(
            _where(spec),
            "RPi.GPIO reaches the header's lines only, the chip %s" % " or ".join(HEADER_CHIPS),
            'wire the device to the header, or write link = "gpio:"',
        )
    if spec.line >= HEADER_LINES:
        raise Missing(_where(spec), "no such line", "the header has GPIO 0 to %d" % (HEADER_LINES - 1))
    if spec.line in _held:
        raise Busy(
            _where(spec), "held by %r" % _held[spec.line].consumer, "free it, or wire the device to another line"
        )


def _library() -> Any:
    """The module, whichever package it is from. Raises Unusable."""
    try:
        gpio = importlib.import_module(_MODULE)
        gpio.setwarnings(False)
    except ImportError as error:
        raise Unusable(
            _MODULE, "is not installed (%s)" % error, 'write link = "gpio:", or install it: pip install rpi-lgpio'
        ) from error
    except FileNotFoundError as error:
        raise Unusable(
            _MODULE, "lgpio could not make its pipe", "start in a folder that the daemon's user may write"
        ) from error
    except Exception as error:
        raise Unusable(
            _MODULE, "refuses this board (%s)" % error, 'write link = "gpio:", which uses libgpiod'
        ) from error
    return gpio


def _explain(where: str, error: Exception) -> HalError:
    """What the library said, by its words: RPi.GPIO raises RuntimeError, rpi-lgpio lgpio.error as well."""
    said = str(error).strip("'\"")
    if "edge detection" in said:
        return Unusable(
            where,
            "RPi.GPIO cannot detect edges on this kernel or board (from Linux 6.6 on, and on a Pi 5, it never can)",
            'write link = "gpio:", which uses libgpiod',
        )
    if "busy" in said.lower():
        return Busy(where, "held by another program", "`gpioinfo` names it")
    if "/dev/mem" in said or ("can not open" in said and _barred()):
        return Forbidden(where, "no permission to use it", "add the daemon's user to the group gpio")
    if "can not open gpiochip" in said or "IOCTL" in said or "unexpected error" in said:
        return Missing(where, "the header's chip cannot be reached (%s)" % said, "see that /dev/gpiochip* is there")
    return Unusable(where, "RPi.GPIO refuses it (%s)" % said, 'write link = "gpio:"')


def _barred() -> bool:
    """Whether there is a chip that the process may not open; lgpio does not say why it could not."""
    return any(not os.access(path, os.R_OK | os.W_OK) for path in glob.glob("/dev/gpiochip*"))
