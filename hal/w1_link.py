"""A byte link over the kernel's 1-Wire folder: a line for each button that comes or goes. CPython on Linux.

The kernel's driver searches the bus and makes a folder for each button it finds; this link lists the folder. Nothing is
ever written, so the kernel's own interval decides how soon a button is seen.
"""

import os

from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.errors import Forbidden, HalError, Missing, Unusable
from pitwatch.hal.reopening_link import ReopeningLink

EVERY_NS = 100_000_000
"""Between two looks at the folder."""

MASTER = "w1_bus_master"
MOST = 64  # buttons at one time; a bus that shows more is at fault


class W1Link(ReopeningLink):
    """Lists /sys/bus/w1/devices. Lines: `+NAME NUMBER` came, `-NAME` went, `=NAME NUMBER` was there at the start;
    NUMBER is the eight bytes of the button in hexadecimal, left out where the kernel does not give them."""

    def __init__(self, clock: Clock, path: str) -> None:
        super().__init__(clock)
        self._path = path
        self._there: set[str] = set()
        self._timer: Timer | None = None

    def _open(self) -> None:
        self._there = self._look()
        self._is_open()
        self._say([self._line("=", name) for name in sorted(self._there)])
        self._plan()

    def _plan(self) -> None:
        if self._on_bytes is not None:
            self._timer = self._clock.call_at(self._clock.now() + EVERY_NS, self._again)

    def _again(self) -> None:
        self._timer = None
        try:
            now = self._look()
        except HalError as error:
            self._fail(error)
            return
        came, went = sorted(now - self._there), sorted(self._there - now)
        self._there = now
        self._say([self._line("-", name) for name in went] + [self._line("+", name) for name in came])
        self._plan()

    def _look(self) -> set[str]:
        try:
            names = os.listdir(self._path)
        except PermissionError as error:
            raise Forbidden(self._path, "may not be read", "let the daemon's user read it") from error
        except OSError as error:
            what = "no such folder (%s)" % error.strerror
            raise Missing(self._path, what, "load the kernel's 1-Wire driver: modprobe w1-gpio or ds2490") from error
        if not any(name.startswith(MASTER) for name in names):
            raise Missing(self._path, "no 1-Wire bus", "load the driver of the bus, w1-gpio or ds2490, and plug it in")
        buttons = {name for name in names if len(name) == 15 and name[2] == "-"}
        if len(buttons) > MOST:
            raise Unusable(self._path, "%d devices on the bus" % len(buttons), "use a bus with the key probe alone")
        return buttons

    def _line(self, sign: str, name: str) -> bytes:
        number = "" if sign == "-" else self._number(name)
        return (sign + name + (" " + number if number else "") + "\n").encode("ascii", "replace")

    def _number(self, name: str) -> str:
        try:
            with open(os.path.join(self._path, name, "id"), "rb") as file:
                number = file.read(8)
        except OSError:  # taken away already
            return ""
        return number.hex() if len(number) == 8 else ""

    def _say(self, lines: list[bytes]) -> None:
        if lines and self._on_bytes is not None:
            self._on_bytes(b"".join(lines), self._clock.now())

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
