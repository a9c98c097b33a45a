"""A bank of GPIO lines by libgpiod v2 (Linux's GPIO character device). CPython, on the running asyncio loop.

Facts about the kernel that this relies on, measured on 6.1 and 6.12: it stamps edges with CLOCK_MONOTONIC in the
interrupt; when its buffer is full it drops the oldest edges, and only a jump in the line's numbering shows it; when a
chip is removed the descriptor turns readable and every call fails with ENODEV, but 6.1 does not wake a poll that waits.
"""

import asyncio
import contextlib
import errno
import glob
import os
from datetime import timedelta

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiod.line import Clock as EventClock

from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.device_files import configured_path, device_file, device_folder
from pitwatch.hal.edges import EdgeBook
from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.line import LineSpec
from pitwatch.hal.reopening_lines import ReopeningLines

BUFFER_EDGES = 1024  # the most that the kernel keeps for a request
_READS_A_WAKE = 8  # of 64 edges each; then others get their turn
_PROBE_NS = 500_000_000  # how often to look whether the chip is still there

_BIAS = {
    "as-is": Bias.AS_IS,
    "pull-up": Bias.PULL_UP,
    "pull-down": Bias.PULL_DOWN,
    "disabled": Bias.DISABLED,
}


class GpiodLines(ReopeningLines):
    """Requests the lines of every chip that the specs name, all or none."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str) -> None:
        super().__init__(clock, specs, consumer)
        self._requests: list[_ChipRequest] = []
        self._book: EdgeBook | None = None
        self._probe: Timer | None = None

    def levels(self) -> dict[str, int]:
        if not self._requests:
            raise self._not_held()
        levels: dict[str, int] = {}
        for request in self._requests:
            levels.update(request.levels())
        return levels

    def _open(self) -> None:
        if self._report is None:
            return
        by_chip: dict[str, list[LineSpec]] = {}
        for spec in self._specs:
            by_chip.setdefault(spec.chip, []).append(spec)
        for chip, specs in by_chip.items():
            self._requests.append(_ChipRequest(chip, specs, self._consumer))
        self._book = EdgeBook(self.levels(), *self._report)
        loop = asyncio.get_running_loop()
        for request in self._requests:
            loop.add_reader(request.fd, self._readable, request)
        self._probe = self._clock.call_at(self._clock.now() + _PROBE_NS, self._look)
        self._is_open()

    def _readable(self, request: "_ChipRequest") -> None:
        book = self._book
        if book is None or book.closed:
            return
        before = self._clock.now()
        try:
            for _ in range(_READS_A_WAKE):
                for name, seqno, level, t in request.read():
                    book.edge(name, seqno, level, t)
                if book.closed:
                    return
                if not request.waiting():
                    # Only now is a level that was read back newer than every edge that was reported.
                    if book.doubtful:
                        book.correct(request.levels(), before)
                    return
        except HalError as error:
            self._fail(error)

    def _look(self) -> None:
        self._probe = None
        try:
            self.levels()
        except HalError as error:
            self._fail(error)
        else:
            self._probe = self._clock.call_at(self._clock.now() + _PROBE_NS, self._look)

    def _close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            self._probe = None
        if self._book is not None:
            self._book.closed = True
            self._book = None
        requests, self._requests = self._requests, []
        for request in requests:
            asyncio.get_running_loop().remove_reader(request.fd)
            request.release()


class _ChipRequest:
    """The lines of a bank that are on one chip."""

    def __init__(self, chip: str, specs: list[LineSpec], consumer: str) -> None:
        """Raises HalError with the chip and line at fault."""
        self._names = {spec.line: spec.name for spec in specs}
        self._chip = chip
        path = find_chip(chip)
        try:
            with gpiod.Chip(path) as opened:
                _check(chip, opened, specs)
                self._request = opened.request_lines(
                    {spec.line: settings(spec) for spec in specs}, consumer, BUFFER_EDGES
                )
        except (OSError, ValueError, NotImplementedError) as error:
            raise explain(chip, error) from error
        self.fd = self._request.fd

    def waiting(self) -> bool:
        return self._request.wait_edge_events(0)

    def read(self) -> list[tuple[str, int, int, int]]:
        """(name, number, level, stamp) of up to 64 edges; only when some wait. Raises HalError if the chip is gone."""
        try:
            events = self._request.read_edge_events()
        except OSError as error:
            raise explain(self._chip, error) from error
        rising = gpiod.EdgeEvent.Type.RISING_EDGE
        return [(self._names[e.line_offset], e.line_seqno, int(e.event_type is rising), e.timestamp_ns) for e in events]

    def levels(self) -> dict[str, int]:
        try:
            values = self._request.get_values(list(self._names))
        except OSError as error:
            raise explain(self._chip, error) from error
        return {name: int(value is Value.ACTIVE) for name, value in zip(self._names.values(), values, strict=True)}

    def release(self) -> None:
        with contextlib.suppress(OSError):
            self._request.release()


def settings(spec: LineSpec) -> gpiod.LineSettings:
    """What libgpiod is asked for: an input with both edges, stamped with the monotonic clock."""
    return gpiod.LineSettings(
        direction=Direction.INPUT,
        edge_detection=Edge.BOTH,
        bias=_BIAS[spec.bias],
        active_low=spec.active_low,
        debounce_period=timedelta(microseconds=spec.debounce_us),
        event_clock=EventClock.MONOTONIC,
    )


def find_chip(chip: str) -> str:
    """The device file of a chip given by label (which survives renumbering), by name ("gpiochip0") or by path.

    Raises Missing with the labels that there are, Unusable if two chips bear the label, Forbidden if it may be one
    that the process cannot open.
    """
    if chip.startswith("/"):
        return device_file(chip)
    labels: dict[str, str] = {}
    closed = ""
    found: set[str] = set()
    # A compatibility name is a symbolic link to another chip: the same chip, not a second one.
    paths = {os.path.basename(path): os.path.realpath(path) for path in glob.glob(f"{device_folder()}/gpiochip*")}
    if chip in paths:
        return paths[chip]
    for path in sorted(set(paths.values())):
        try:
            if not gpiod.is_gpiochip_device(path):
                continue
            with gpiod.Chip(path) as opened:
                labels[path] = opened.get_info().label
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM):
                closed = path
            continue
        if labels[path] == chip:
            found.add(path)
    if len(found) > 1:
        both = " and ".join(sorted(configured_path(path) for path in found))
        raise Unusable(chip, "is the label of %s" % both, "name the one by its path")
    if found:
        return found.pop()
    if closed:
        raise _forbidden(configured_path(closed))
    there = ", ".join(sorted(set(labels.values())))
    raise Missing(
        chip,
        "no such GPIO chip among %s" % there if there else "no such GPIO chip, nor any other",
        "correct `chip`, or switch on the overlay that brings the chip (dtoverlay= in config.txt)",
    )


def _check(chip: str, opened: gpiod.Chip, specs: list[LineSpec]) -> None:
    lines = opened.get_info().num_lines
    for spec in specs:
        where = "%s line %d (%s)" % (chip, spec.line, spec.name)
        if spec.line >= lines:
            raise Missing(where, "no such line", "the chip has lines 0 to %d" % (lines - 1))
        info = opened.get_line_info(spec.line)
        if info.used:
            holder = info.consumer or "the kernel"
            raise Busy(where, "held by %r" % holder, "free it, or wire the device to another line")


def explain(chip: str, error: Exception) -> HalError:
    """libgpiod's exceptions as one of ours, by errno."""
    code = getattr(error, "errno", None)
    if code in (errno.EACCES, errno.EPERM):
        return _forbidden(chip)
    if code == errno.ENODEV:
        return Missing(chip, "the chip was taken away", "plug it in again")
    if code in (errno.ENOENT, errno.ENOTTY):
        return Missing(chip, "no such GPIO chip", "correct `chip`; `gpiodetect` lists them")
    if code == errno.EBUSY:
        return Busy(chip, "one of the lines is held by another program", "`gpioinfo` names it")
    if code == errno.ENXIO:
        return Unusable(chip, "a line has no interrupt, so its edges cannot be seen", "wire the device to another line")
    return Unusable(chip, "refused the request (%s)" % error, "ask for a bias and debounce that the chip can do")


def _forbidden(chip: str) -> Forbidden:
    return Forbidden(chip, "no permission to open it", "add the daemon's user to the group gpio")
