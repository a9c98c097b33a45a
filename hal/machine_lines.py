"""Input pins of a microcontroller under MicroPython: `machine.Pin`, stamped in the interrupt. MicroPython subset.

The interrupt only writes a tick and a level into preallocated arrays: it may run during garbage collection, so it must
not allocate memory. `poll` returns the edges to the main loop. If the port has hard interrupts (Pico), the stamp is
that of the interrupt. An ESP32 calls back later, and its stamps are late by that delay.
"""

from array import array

from pitwatch.hal.errors import Busy, HalError, Unusable
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.tick_clock import TickClock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

RING = 1024  # edges between two calls of poll; a power of two

_held: "set[int]" = set()


class Ring:
    """Interrupts write at the head, `poll` reads at the tail. Made once and early: memory is in one piece then."""

    def __init__(self, ticks: "Callable[[], int]") -> None:
        self.ticks = ticks
        self.at = array("I", bytes(4 * RING))
        self.what = bytearray(RING)  # line * 2 + level of the pin
        self.head = 0
        self.tail = 0
        self.lost = 0  # since the start; only ever grows, so that it needs no lock


class _Tap:
    """One line: its pin, its interrupt, what is known of its level."""

    def __init__(self, ring: Ring, number: int, spec: LineSpec, pin: "Any") -> None:
        self.spec = spec
        self.pin = pin
        self.level = 0  # reported last
        self.raw = 0  # of the last edge
        self.settles: int | None = None  # µs at which a debounced level counts
        self._ring = ring
        self._what = number * 2
        self.handler = self.interrupt  # bound once: binding takes memory

    def interrupt(self, pin: "Any") -> None:
        ring = self._ring
        tick = ring.ticks()
        head = ring.head
        after = (head + 1) & 1023  # RING - 1, as a literal: looking up a global is slow
        if after == ring.tail:
            ring.lost += 1
            return
        ring.at[head] = tick
        ring.what[head] = self._what | pin.value()
        ring.head = after

    def logical(self, raw: int) -> int:
        return raw ^ 1 if self.spec.active_low else raw


class MachineLines(LineBank):
    """The chip of a line is not looked at. Debounce is as the kernel's: a level counts when it has held that long."""

    def __init__(self, clock: TickClock, specs: "list[LineSpec]", ring: "Ring | None" = None) -> None:
        self._clock = clock
        self._specs = specs
        self._ring = Ring(clock.ticks) if ring is None else ring
        self._taps: list[_Tap] = []
        self._on_edge: Callable[[str, int, int], object] | None = None
        self._on_lost: Callable[[int, int], object] | None = None
        self._lost = 0

    def start(
        self,
        on_edge: "Callable[[str, int, int], object]",
        on_lost: "Callable[[int, int], object]",
        on_state: "Callable[[bool, str], object]",
    ) -> None:
        """As `LineBank.start`, but edges come in `poll`, and pins that cannot be had are not tried again."""
        if self._on_edge is not None:
            raise RuntimeError("started twice")
        self._on_edge = on_edge
        self._on_lost = on_lost
        self._ring.tail = self._ring.head
        self._lost = self._ring.lost
        try:
            self._open()
        except HalError as error:
            self._close()
            on_state(False, str(error))
            return
        on_state(True, "")

    def levels(self) -> "dict[str, int]":
        """As `LineBank.levels`. Raises HalError if the pins are not held."""
        if not self._taps:
            raise Unusable("pins", "not held", "start the bank")
        return {
            tap.spec.name: tap.level if tap.spec.debounce_us else tap.logical(tap.pin.value()) for tap in self._taps
        }

    def stop(self) -> None:
        self._on_edge = None
        self._on_lost = None
        self._close()

    def poll(self, most: int = RING) -> int:
        """Hand over what the interrupts saw, at most so many edges; returns the µs up to which all has been
        reported."""
        now = self._clock.us()
        ring = self._ring
        for _ in range(most):
            if ring.tail == ring.head or self._on_edge is None:
                break
            t = self._clock.stamp(ring.at[ring.tail])
            what = ring.what[ring.tail]
            tap = self._taps[what >> 1]  # now: whoever hears of a settled level may stop the bank
            ring.tail = (ring.tail + 1) & (RING - 1)
            self._settle(t)
            self._edge(tap, what & 1, t)
            now = max(now, t)
        if ring.tail != ring.head:
            return self._clock.stamp(ring.at[ring.tail]) - 1
        if ring.lost != self._lost and self._on_lost is not None:
            lost, self._lost = ring.lost - self._lost, ring.lost
            self._on_lost(lost, now * 1000)
            for tap in self._taps:
                self._edge(tap, tap.pin.value(), now, True)
        self._settle(now)
        return now

    def _open(self) -> None:
        from machine import Pin  # type: ignore[import-not-found]  # MicroPython's

        pulls = {"pull-up": Pin.PULL_UP, "pull-down": Pin.PULL_DOWN}
        for number, spec in enumerate(self._specs):
            if spec.line in _held:
                raise Busy("line %d" % spec.line, "held by another", "give each line its own pin")
            try:
                pin = Pin(spec.line, Pin.IN, pulls.get(spec.bias))
            except (ValueError, TypeError) as error:
                raise Unusable("line %d" % spec.line, "no such input pin (%s)" % error, "choose a GPIO") from None
            _held.add(spec.line)
            tap = _Tap(self._ring, number, spec, pin)
            self._taps.append(tap)
            both = Pin.IRQ_RISING | Pin.IRQ_FALLING
            try:
                pin.irq(tap.handler, both, hard=True)
            except TypeError:  # an ESP32 has none
                pin.irq(tap.handler, both)
            tap.raw = tap.level = tap.logical(pin.value())

    def _close(self) -> None:
        for tap in self._taps:
            tap.pin.irq(None)
            _held.discard(tap.spec.line)
        self._taps = []

    def _edge(self, tap: _Tap, raw: int, t: int, read_back: bool = False) -> None:
        level = tap.logical(raw)
        if tap.spec.debounce_us:
            if level != tap.raw or not read_back:
                tap.raw = level
                tap.settles = t + tap.spec.debounce_us
        elif level != tap.level or not read_back:
            self._tell(tap, level, t)

    def _settle(self, t: int) -> None:
        """Levels that have held until `t`."""
        due = [tap for tap in self._taps if tap.settles is not None and tap.settles <= t]
        if not due:
            return
        for tap in sorted(due, key=lambda tap: tap.settles or 0):
            settled, tap.settles = tap.settles, None
            if tap.raw != tap.level and settled is not None:
                self._tell(tap, tap.raw, settled)

    def _tell(self, tap: _Tap, level: int, t: int) -> None:
        tap.level = level
        if self._on_edge is not None:
            self._on_edge(tap.spec.name, level, t * 1000)
