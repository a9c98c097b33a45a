"""Simulated hardware behind the same interfaces as the real one: a clock, byte links and lines that a test or a bench
drives from the table's side. MicroPython subset. Must not know what device is being simulated.

Lines behave as Linux's GPIO character device does: kernel debounce, active-low, bias, per-line numbering, a full
buffer that loses edges, unplugging. Any `hal.clock.Clock` may drive them; with `SimClock` nothing waits.
"""

import heapq

from pitwatch.hal.address import Address, check_lines, parse
from pitwatch.hal.clock import Clock, Timer
from pitwatch.hal.edges import EdgeBook
from pitwatch.hal.errors import Busy, Missing
from pitwatch.hal.line import LineBank, LineSpec
from pitwatch.hal.link import ByteLink
from pitwatch.hal.reopening import Reopening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WALL_AT_START = 1_767_225_600 * 1_000_000_000  # 2026-01-01T00:00:00Z


class SimTimer(Timer):
    __slots__ = ("callback", "order", "t")

    def __init__(self, t: int, order: int, callback: "Callable[[], object]") -> None:
        self.t = t
        self.order = order
        self.callback: Callable[[], object] | None = callback

    def __lt__(self, other: "SimTimer") -> bool:
        return (self.t, self.order) < (other.t, other.order)

    def cancel(self) -> None:
        self.callback = None


class SimClock(Clock):
    """Time that passes only in `advance_to`."""

    def __init__(self, now: int = 0, wall: int = WALL_AT_START, synced: bool = True) -> None:
        self._now = now
        self._wall_offset = wall - now
        self._synced = synced
        self._timers: list[SimTimer] = []
        self._order = 0
        self._advancing = False

    def now(self) -> int:
        return self._now

    def wall(self) -> "tuple[int, bool]":
        return self._now + self._wall_offset, self._synced

    def set_wall(self, wall: int, synced: bool = True) -> None:
        """The wall clock shows `wall` (ns since 1970) from now on; monotonic time is not touched."""
        self._wall_offset = wall - self._now
        self._synced = synced

    def step_wall(self, by: int) -> None:
        """The wall clock jumps by `by` nanoseconds, forwards or back."""
        self._wall_offset += by

    def call_at(self, t: int, callback: "Callable[[], object]") -> SimTimer:
        self._order += 1
        timer = SimTimer(t, self._order, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def next_timer(self) -> "int | None":
        """When the earliest pending timer is due (it may be in the past), or None."""
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        return self._timers[0].t if self._timers else None

    def advance_to(self, t: int) -> None:
        """Let time pass until `t`: every timer due by then fires in order of time (then of setting), at its own time.

        Raises ValueError for a `t` in the past, RuntimeError if called from a timer.
        """
        if t < self._now:
            raise ValueError("time cannot go back from %d to %d" % (self._now, t))
        if self._advancing:
            raise RuntimeError("advance_to called from a timer")
        self._advancing = True
        try:
            due = self.next_timer()
            while due is not None and due <= t:
                callback = heapq.heappop(self._timers).callback
                self._now = max(self._now, due)
                if callback is not None:
                    callback()
                due = self.next_timer()
            self._now = t
        finally:
            self._advancing = False


class _Plug(Reopening):
    """What a simulated link and a simulated bank share: a plug, and places that only one may hold."""

    def __init__(self, clock: Clock, name: str, places: "list[str]", held: "set[str] | None") -> None:
        Reopening.__init__(self, clock)
        self.plugged = True
        self._name = name
        self._places = places
        self._held = set() if held is None else held
        self._holding = False

    def unplug(self) -> None:
        """Pull the plug: listeners are notified at once."""
        self.plugged = False
        if self._holding:
            self._fail(Missing(self._name, "unplugged", "plug it in again"))

    def replug(self) -> None:
        """Plug it in again: it is found at the next try (0.5 s to 30 s, as with real hardware)."""
        self.plugged = True

    def _open(self) -> None:
        if not self.plugged:
            raise Missing(self._name, "not plugged in", "plug it in")
        for place in self._places:
            if place in self._held:
                raise Busy(place, "held by another device", "give each device its own")
        self._held.update(self._places)
        self._holding = True
        self._is_open()

    def _close(self) -> None:
        if self._holding:
            self._holding = False
            self._held.difference_update(self._places)


class SimLink(_Plug, ByteLink):
    """A byte link; `inject`, `unplug` and `replug` are the device's side of it."""

    def __init__(self, clock: Clock, name: str = "sim", place: str = "", held: "set[str] | None" = None) -> None:
        """held: places in use, shared by all that could claim the same port."""
        _Plug.__init__(self, clock, name, [place] if place else [], held)
        self._on_bytes: Callable[[bytes, int], object] | None = None

    def start(self, on_bytes: "Callable[[bytes, int], object]", on_state: "Callable[[bool, str], object]") -> None:
        self._on_bytes = on_bytes
        self._begin(on_state)

    def stop(self) -> None:
        self._on_bytes = None
        self._end()

    def inject(self, data: bytes, t: "int | None" = None) -> None:
        """The device sends `data` at `t` (default: now). Nobody hears it while the link is not open."""
        if t is not None and t > self._clock.now():
            self._clock.call_at(t, lambda: self.inject(data))
        elif self._holding and self._on_bytes is not None and data:
            self._on_bytes(bytes(data), self._clock.now())


class _Wire:
    """One line: what the wire does (raw) and what the kernel makes of it (logical)."""

    __slots__ = ("level", "raw", "seqno", "settling", "spec")

    def __init__(self, spec: LineSpec) -> None:
        self.spec = spec
        self.raw = 1 if spec.bias == "pull-up" else 0  # nothing drives it yet
        self.level = 0
        self.seqno = 0
        self.settling: Timer | None = None

    def logical(self) -> int:
        return self.raw ^ 1 if self.spec.active_low else self.raw


class SimLines(_Plug, LineBank):
    """A bank of lines; `drive`, `bounce`, `glitch`, `lose_edges`, `unplug`, `replug` are the table's side of it.

    Raw levels are what the wire does: 1 is high. A wire that nothing has driven yet is high if pulled up, else low.
    """

    def __init__(
        self, clock: Clock, specs: "list[LineSpec]", name: str = "sim", held: "set[str] | None" = None
    ) -> None:
        _Plug.__init__(self, clock, name, ["%s line %d" % (spec.chip, spec.line) for spec in specs], held)
        self._wires = {spec.name: _Wire(spec) for spec in specs}
        self._book: EdgeBook | None = None
        self._report: tuple[Callable[[str, int, int], object], Callable[[int, int], object]] | None = None
        self._to_lose = 0

    def start(
        self,
        on_edge: "Callable[[str, int, int], object]",
        on_lost: "Callable[[int, int], object]",
        on_state: "Callable[[bool, str], object]",
    ) -> None:
        self._report = (on_edge, on_lost)
        self._begin(on_state)

    def stop(self) -> None:
        self._end()
        self._report = None

    def levels(self) -> "dict[str, int]":
        if not self._holding:
            raise Missing(self._name, "lines are not held", "wait until the bank is on line")
        return {name: wire.level for name, wire in self._wires.items()}

    def drive(self, name: str, raw: int, t: "int | None" = None) -> None:
        """The wire goes to `raw` at `t` (default: now). A `t` in the past is an edge that the kernel stamped then and
        that is read only now. Raises KeyError for a line that the bank has not."""
        wire = self._wires[name]
        now = self._clock.now()
        if t is not None and t > now:
            self._clock.call_at(t, lambda: self.drive(name, raw))
            return
        if raw == wire.raw:
            return
        wire.raw = raw
        if self._holding:
            self._interrupt(wire, now if t is None else t)

    def bounce(self, name: str, raw: int, times: "list[int]") -> None:
        """The contact chatters: the wire moves at each of `times` (ns) and with the last comes to rest at `raw`."""
        for i, t in enumerate(times):
            self.drive(name, raw if (len(times) - i) % 2 else raw ^ 1, t)

    def glitch(self, name: str, width: int, t: "int | None" = None) -> None:
        """The wire goes to the other level at `t` (default: now) and back after `width` ns."""
        if t is None:
            t = self._clock.now()
        rest = self._wires[name].raw
        self.drive(name, rest ^ 1, t)
        self.drive(name, rest, t + width)

    def lose_edges(self, count: int) -> None:
        """The buffer is full: the next `count` edges of the bank are lost; the number of the one after shows it."""
        self._to_lose += count

    def _open(self) -> None:
        for wire in self._wires.values():
            wire.level = wire.logical()
            wire.seqno = 0
        self._to_lose = 0
        if self._report is not None:
            self._book = EdgeBook({name: wire.level for name, wire in self._wires.items()}, *self._report)
        _Plug._open(self)

    def _close(self) -> None:
        _Plug._close(self)
        if self._book is not None:
            self._book.closed = True
            self._book = None
        for wire in self._wires.values():
            if wire.settling is not None:
                wire.settling.cancel()
                wire.settling = None

    def _interrupt(self, wire: _Wire, t: int) -> None:
        if not wire.spec.debounce_us:
            self._event(wire, t)
            return
        # As the kernel does it: each edge puts off the look at the line by the whole period.
        if wire.settling is not None:
            wire.settling.cancel()
        settled = t + wire.spec.debounce_us * 1000
        wire.settling = self._clock.call_at(settled, lambda: self._settled(wire, settled))

    def _settled(self, wire: _Wire, t: int) -> None:
        wire.settling = None
        if wire.logical() != wire.level:
            self._event(wire, t)

    def _event(self, wire: _Wire, t: int) -> None:
        wire.level = wire.logical()
        wire.seqno = (wire.seqno + 1) & 0xFFFFFFFF
        if self._to_lose:
            self._to_lose -= 1
            return
        book = self._book
        if book is None:
            return
        book.edge(wire.spec.name, wire.seqno, wire.level, t)
        if book.doubtful and not book.closed:
            book.correct(self.levels(), t)


class SimFactory:
    """Opens by the same URLs as `hal.factory.Factory` and answers with simulated back ends.

    `links` and `banks` hold what was opened, by device id, for whoever plays the table.
    """

    def __init__(self, clock: Clock) -> None:
        self.links: dict[str, SimLink] = {}
        self.banks: dict[str, SimLines] = {}
        self._clock = clock
        self._held: set[str] = set()

    def link(self, url: str, name: str, serial: "tuple[int, str]" = (9600, "8N1")) -> SimLink:
        """Raises ValueError as `hal.factory.Factory.link` does."""
        address = parse(url, serial)
        if address.is_lines:
            what = "carries lines, not bytes; use serial:, tcp:, rfc2217:, hid:, w1: or mqtt:"
            raise ValueError("%s: %s %s" % (name, url, what))
        self.links[name] = SimLink(self._clock, name, _place(address), self._held)
        return self.links[name]

    def lines(self, url: str, specs: "list[LineSpec]", name: str) -> SimLines:
        """Raises ValueError as `hal.factory.Factory.lines` does."""
        address = parse(url)
        if not address.is_lines and address.scheme not in ("sim", "none"):
            raise ValueError("%s: %s carries bytes, not lines; use gpio:, wiegand:, modbus: or onvif:" % (name, url))
        check_lines(specs)
        self.banks[name] = SimLines(self._clock, specs, name, self._held)
        return self.banks[name]


def _place(address: Address) -> str:
    """What only one may hold. A bare sim: or none: is a port of its own."""
    if address.scheme in ("serial", "hid", "w1"):
        return address.path
    return ""
