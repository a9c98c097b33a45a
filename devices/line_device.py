"""The common part of devices on lines: bounce, stuck and chattering lines, named timers. MicroPython subset.

Must not know what a line means: a subclass names its inputs and receives clean pulses and steady levels.

There are two kinds of input. A *pulse* (a card at an optic, a die in a beam) is reported at its first edge; further
edges within its hold time are bounce. A *level* (a lamp, a door, a key) is reported when it has been steady for its
hold time, so a spike is ignored. Both end at the level that the wire really has, however short the last change was. The
line's own `debounce_us` handles spikes on pulse inputs.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.faults import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

MS = 1_000_000
SECOND = 1_000_000_000


class Input:
    """One line as the device understands it.

    pulse: a passing thing rather than a state; hold_ms: see the module; stuck_s: active for longer than this is a
    fault (0: may stay active for ever); edges_per_s: more raw edges in one second are a fault (0: the usual limit).
    """

    __slots__ = (
        "name", "pulse", "hold", "stuck", "edges_per_s", "raw", "level", "since", "held", "window", "edges", "bad"
    )  # fmt: skip

    def __init__(self, name: str, pulse: bool = False, hold_ms: int = 20, stuck_s: float = 0, edges_per_s: int = 0):
        self.name = name
        self.pulse = pulse
        self.hold = hold_ms * MS
        self.stuck = int(stuck_s * SECOND)
        self.edges_per_s = edges_per_s or (500 if pulse else 200)  # a fast deal with bounce reaches 330
        self.raw: int | None = None  # the wire's level, None until it is known
        self.level: int | None = None  # the level that was reported
        self.since = 0  # when `level` was reported
        self.held = 0  # pulse: edges before this are bounce
        self.window = 0  # start of the second in which `edges` are counted
        self.edges = 0
        self.bad = False  # chattering: says nothing until it is quiet


class LineDevice(Device):
    """Base of devices read from lines. A subclass gives `input_for` and the `on_…` methods it needs.

    Times never go back: an edge stamped before what was already reported counts as of then.
    """

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.now = 0
        self.reading = False  # levels are being read, so what changes now did so unseen
        self._inputs: dict[str, Input] = {}
        self._unknown: set[str] = set()
        self._timers: dict[str, int] = {}
        self.faults = Faults(self)

    # --- for subclasses -------------------------------------------------------------------------------------------

    def input_for(self, line: str) -> "Input | None":
        """The input of this name, or None if the device has no such line. Asked once a line."""
        raise NotImplementedError

    def on_pulse(self, line: str, t: int, out: "list[Observation]") -> None:
        """A pulse began."""

    def on_pulse_end(self, line: str, t: int, width: int, out: "list[Observation]") -> None:
        """A pulse ended, `width` ns after it began."""

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        """A level changed and is steady."""

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        """The first level known of a line: by default an active one is reported like a change."""
        if level:
            self.on_level(line, level, t, out)

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        """A timer that the subclass set is due; `t` is when it was due."""

    def forget(self) -> None:
        """The lines were lost: what was half seen is worth nothing. Timers are stopped already."""

    def set_timer(self, name: str, due: int) -> None:
        self._timers[name] = due

    def stop_timer(self, name: str) -> None:
        self._timers.pop(name, None)

    def has_timer(self, name: str) -> bool:
        return name in self._timers

    def level_of(self, line: str) -> int:
        """The level reported last; 0 if the line was never heard of."""
        known = self._inputs.get(line)
        return known.level or 0 if known else 0

    def active_lines(self) -> "list[str]":
        """Names of the lines that are active now, sorted."""
        return sorted([line for line, known in self._inputs.items() if known.level])

    def knows(self, line: str) -> bool:
        """Whether the line was among the levels read at the start or has spoken since."""
        return line in self._inputs

    # --- for the wiring -------------------------------------------------------------------------------------------

    def initial(self, levels: "dict[str, int]", t: int) -> "list[Observation]":
        out: list[Observation] = []
        t = self._advance(t, out)
        self.reading = True
        for line in sorted(levels):
            known = self._find(line, t, out)
            if known is None:
                continue
            known.raw = 1 if levels[line] else 0
            self.stop_timer("hold:" + line)
            if known.bad:
                continue
            before = known.level
            self._settle(known, t, out)
            if before != known.level and not known.pulse:
                self._tell(known, before, t, out)
        self.reading = False
        self._schedule()
        return out

    def interrupted(self, t: int) -> "list[Observation]":
        out: list[Observation] = []
        t = self._advance(t, out)
        self._timers = {}
        for line in sorted(self._inputs):
            known = self._inputs[line]
            if known.bad:
                known.bad = False
                out += self.faults.clear(t, "quiet:" + line)
        self.forget()
        self._schedule()
        return out

    def edge(self, line: str, level: int, t: int) -> "list[Observation]":
        out: list[Observation] = []
        t = self._advance(t, out)
        known = self._find(line, t, out)
        if known is not None:
            level = 1 if level else 0
            self.on_raw(known, level, t, out)
            if level != known.raw:
                known.raw = level
                self._count_edge(known, t, out)
                if known.bad:
                    pass
                elif known.pulse:
                    self._pulse_edge(known, t, out)
                elif known.level != level:
                    self.set_timer("hold:" + line, t + known.hold)
                else:
                    self.stop_timer("hold:" + line)
        self._schedule()
        return out

    def tick(self, t: int) -> "list[Observation]":
        out: list[Observation] = []
        self._advance(t, out)
        self._schedule()
        return out

    def on_raw(self, known: Input, level: int, t: int, out: "list[Observation]") -> None:
        """Every edge as it came, even one that repeats the level, before anything else is made of it."""

    # --- inside ---------------------------------------------------------------------------------------------------

    def _find(self, line: str, t: int, out: "list[Observation]") -> "Input | None":
        if line in self._inputs:
            return self._inputs[line]
        known = self.input_for(line)
        if known is not None:
            self._inputs[line] = known
        elif line not in self._unknown and len(self._unknown) < 64:  # names come from outside: an end to them
            self._unknown.add(line)
            out += self.faults.once(t, "unknown line", line=line, known=sorted(self.LINES))
        return known

    def _schedule(self) -> None:
        self.deadline = min(self._timers.values()) if self._timers else None

    def _advance(self, t: int, out: "list[Observation]") -> int:
        """Let every timer up to t have its say, in the order of their times; returns the time it is now."""
        while self.deadline is not None and self.deadline <= t:
            due, name = min([(due, name) for name, due in self._timers.items()])
            del self._timers[name]
            self.now = max(self.now, due)
            kind, _, line = name.partition(":")
            if kind == "hold":
                self._hold_over(self._inputs[line], self.now, out)
            elif kind == "stuck":
                seconds = self._inputs[line].stuck // SECOND
                out += self.faults.set(self.now, "line stuck", name, line=line, seconds=seconds)
            elif kind == "quiet":
                self._quiet(self._inputs[line], self.now, out)
            else:
                self.on_timer(name, self.now, out)
            self._schedule()
        self.now = max(self.now, t)
        return self.now

    def _count_edge(self, known: "Input", t: int, out: "list[Observation]") -> None:
        if t - known.window >= SECOND:
            known.window = t
            known.edges = 0
        known.edges += 1
        if known.edges > known.edges_per_s and not known.bad:
            known.bad = True
            self.stop_timer("hold:" + known.name)
            self.stop_timer("stuck:" + known.name)
            key = "quiet:" + known.name
            out += self.faults.set(t, "line chattering", key, line=known.name, edges=known.edges, seconds=1)
        if known.bad:
            self.set_timer("quiet:" + known.name, t + SECOND)

    def _quiet(self, known: "Input", t: int, out: "list[Observation]") -> None:
        known.bad = False
        before = known.level
        self._settle(known, t, out)
        out += self.faults.clear(t, "quiet:" + known.name)
        if before != known.level and not known.pulse:
            self._tell(known, before, t, out)

    def _settle(self, known: "Input", t: int, out: "list[Observation]") -> None:
        known.level = known.raw
        known.since = t
        if known.level and known.stuck:
            self.set_timer("stuck:" + known.name, t + known.stuck)
        else:
            self.stop_timer("stuck:" + known.name)
            out += self.faults.clear(t, "stuck:" + known.name)

    def _tell(self, known: "Input", before: "int | None", t: int, out: "list[Observation]") -> None:
        if before is None:
            self.on_initial(known.name, known.level or 0, t, out)
        else:
            self.on_level(known.name, known.level or 0, t, out)

    def _pulse_edge(self, known: "Input", t: int, out: "list[Observation]") -> None:
        if t >= known.held:
            self._hold_over(known, t, out)
        elif known.raw == known.level:
            self.stop_timer("hold:" + known.name)
        else:
            self.set_timer("hold:" + known.name, known.held)

    def _hold_over(self, known: "Input", t: int, out: "list[Observation]") -> None:
        if known.raw == known.level:
            return
        before, began = known.level, known.since
        self._settle(known, t, out)
        if not known.pulse:
            self._tell(known, before, t, out)
            return
        known.held = t + known.hold
        if known.level:
            self.on_pulse(known.name, t, out)
        elif before is not None:
            self.on_pulse_end(known.name, t, t - began, out)


def numbered(line: str, prefix: str, last: int = 9) -> int:
    """The number in "seat-3" for the prefix "seat-": 1 to `last`, or 0 if the line is not named so."""
    if line.startswith(prefix):
        digits = line[len(prefix) :]
        if digits.isdigit() and digits == str(int(digits)) and 1 <= int(digits) <= last:
            return int(digits)
    return 0
