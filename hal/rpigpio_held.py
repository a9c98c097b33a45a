"""Channels of the header, held by the RPi.GPIO API, and the calls that their edges make in the library's thread.

What those calls say of the lines is `hal.rpigpio_lines`. CPython, on the running loop.
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

from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.line import LineSpec

HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
HEADER_LINES = 28
MOST_WAITING = 1024  # calls that may wait for the loop before the oldest are lost

_MODULE = "RPi.GPIO"
_held: dict[int, "HeldLines"] = {}
_detecting: set[int] = set()  # channels of RPi.GPIO itself


class HeldLines:
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
