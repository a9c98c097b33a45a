"""Dice on a craps table seen by beams and contacts: thrown, struck, off the table, at rest. MicroPython subset.

Must not know the dice's faces (a camera reader reports those) nor whether a roll is good.
"""

from pitwatch.devices.line_device import MS, SECOND, Input, LineDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"dice.lines": "DiceTable"}

LATE = 2 * SECOND  # after the first die: the other one of the same throw
ONE_MORE = 100 * MS  # after the last die: one too many would follow
REST_LINES = {"on-bank": "bank", "in-bowl": "bowl", "on-die": "stacked"}


class DiceTable(LineDevice):
    """One throw at a time: it begins in the release beam and ends when the dice rest.

    throw_started {dice, spread_ms}: dice that passed the beam and the time between the first and the last of them;
    reported shortly after the last, or when the window is over, or when the throw goes on. A die that follows later, up
    to 2 s after the first, is a second throw_started of one die. Something that darkens the beam for longer than
    `hand_ms` is a hand; for longer than `die_ms`, two dice overlapping, which count as two released together.
    end_wall_struck {dice}: reported when all dice have struck or the window is over.
    die_off_table {zone}: zone is the name of the line, at once and whether or not a throw is on.
    dice_settled {faces, at}: only with an `at-rest` line or `rest_after_s`, because a camera on the same table reports
    its own. faces is null. A die that no sensor places lies on the layout.
    """

    TYPE = "dice"
    EVENTS = ("throw_started", "end_wall_struck", "die_off_table", "dice_settled", "dice_counted", "shaker_count")
    SETTINGS = {
        "dice": (2, "dice in a throw"),
        "die_ms": (60, "longest time one die darkens the release beam, in milliseconds"),
        "hand_ms": (250, "a release beam dark for longer, in milliseconds, is a hand"),
        "release_window_ms": (1000, "milliseconds after the first die within which the others belong to the throw"),
        "rearm_ms": (1000, "milliseconds after a throw in which the release beam is not looked at"),
        "wall_window_ms": (1500, "milliseconds after the first strike within which the others may follow"),
        "beam_ms": (15, "milliseconds after a beam's first edge that belong to the same die"),
        "rest_after_s": (0, "seconds without an edge after which the dice rest; 0: only the at-rest line decides"),
        "bowl_gap_ms": (1500, "milliseconds without a die that end a count into the bowl"),
        "shaker_gap_ms": (1500, "milliseconds without a shake that end a count"),
        "stuck_s": (10, "seconds a beam may be dark"),
    }
    LINES = {
        "release": "pulse: beam before the shooter, one for each die that leaves the hand",
        "end-wall": "pulse: strike at the far end, one a die",
        "end-wall-*": "pulse: strike at one part of the far end",
        "rail-*": "pulse: beam above and outside a rail, a die leaves the table there; the name is the zone",
        "off-*": "pulse: beam below the table's edge or floor sensor; the name is the zone",
        "at-rest": "level: the dice lie still",
        "on-rail-*": "level: a die lies on this rail",
        "on-bank": "level: a die lies on the chip bank",
        "in-bowl": "level: a die of the throw lies in the dice bowl",
        "on-die": "level: a die lies on the other",
        "bowl": "pulse: one for each die that passes the counting chute into the bowl",
        "shaker": "pulse: one for each shake",
    }
    EVENT_LINES = {
        "throw_started": ("release",),
        "end_wall_struck": ("end-wall", "end-wall-*"),
        "die_off_table": ("rail-*", "off-*"),
        "dice_settled": ("at-rest", "release"),
        "dice_counted": ("bowl",),
        "shaker_count": ("shaker",),
    }

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """Where a die at rest can be seen is reported too, as `dice_settled:bank`."""
        events = super().events_with(lines, settings)
        if not lines:
            return events
        if "at-rest" not in lines and not (settings or {}).get("rest_after_s"):
            return tuple([event for event in events if event != "dice_settled"])
        places = {"layout"}
        for line in lines:
            place = rest_place(line) or ("off" if is_off_zone(line) else "")
            if place:
                places.add(place)
        return events + tuple(["dice_settled:" + place for place in sorted(places)])

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.thrown: list[int] = []  # ns at which each die that is not reported yet passed the beam
        self.first = 0  # when the first die of the throw passed
        self.released = 0  # dice of the throw that were reported
        self.throw = False  # a throw was reported and is not at rest
        self.rearm = 0
        self.struck = 0
        self.off = 0
        self.counts = {"bowl": 0, "shaker": 0}

    def input_for(self, line: str) -> "Input | None":
        stuck = self.settings["stuck_s"]
        if line == "release":
            return Input(line, pulse=True, hold_ms=2, stuck_s=stuck)
        if line == "at-rest" or rest_place(line):
            return Input(line, hold_ms=50)
        if line in ("end-wall", "bowl", "shaker") or _begins(line, "end-wall-") or is_off_zone(line):
            return Input(line, pulse=True, hold_ms=self.settings["beam_ms"], stuck_s=stuck)
        return None

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if level and not self.reading:
            self.on_level(line, level, t, out)

    def forget(self) -> None:
        self.thrown = []
        self.throw = False
        self.struck = 0
        self.off = 0
        self.counts = {"bowl": 0, "shaker": 0}

    def on_pulse(self, line: str, t: int, out: "list[Observation]") -> None:
        if line in self.counts:
            self.counts[line] += 1
            self.set_timer(line, t + self.settings[line + "_gap_ms"] * MS)
            return
        if line == "release":
            return
        self._begin(t, out)
        if is_off_zone(line):
            self.off += 1
            out.append(self.saw(t, "die_off_table", zone=line))
        elif self.struck < self.settings["dice"]:
            self.struck += 1
            if self.struck == self.settings["dice"]:
                self._tell_strike(t, out)
            elif self.struck == 1:
                self.set_timer("wall", t + self.settings["wall_window_ms"] * MS)
        self._wait_for_rest(t)

    def on_pulse_end(self, line: str, t: int, width: int, out: "list[Observation]") -> None:
        if line != "release" or width > self.settings["hand_ms"] * MS:
            return
        passed = t - width
        late = self.throw and self.released < self.settings["dice"] and passed - self.first < LATE
        if not self.thrown and not late:
            if passed < self.rearm:
                return
            self._end_throw(t, out)
            self.off = 0
            self.first = passed
            self.released = 0
            self.set_timer("release", t + self.settings["release_window_ms"] * MS)
        self.thrown.append(passed)
        if width > self.settings["die_ms"] * MS:
            self.thrown.append(passed)
        if late:
            self._begin(t, out)
        elif len(self.thrown) >= self.settings["dice"]:
            self.set_timer("release", t + ONE_MORE)

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if line == "at-rest" and level:
            self._begin(t, out)
            self._rest(t, out)

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        if name == "release":
            self._begin(t, out)
        elif name == "wall":
            self._tell_strike(t, out)
        elif name == "rest":
            self._rest(t, out)
        elif name == "bowl":
            out.append(self.saw(t, "dice_counted", dice=self.counts["bowl"]))
            self.counts["bowl"] = 0
        elif name == "shaker":
            out.append(self.saw(t, "shaker_count", shakes=self.counts["shaker"]))
            self.counts["shaker"] = 0

    def _begin(self, t: int, out: "list[Observation]") -> None:
        """The throw is on with the dice that have passed the beam and are not reported yet, if any have."""
        if not self.thrown:
            return
        self.stop_timer("release")
        spread = (self.thrown[-1] - self.first) // MS
        out.append(self.saw(t, "throw_started", dice=len(self.thrown), spread_ms=spread))
        self.released += len(self.thrown)
        self.thrown = []
        self.throw = True
        self.rearm = t + self.settings["rearm_ms"] * MS
        self._wait_for_rest(t)

    def _tell_strike(self, t: int, out: "list[Observation]") -> None:
        self.stop_timer("wall")
        out.append(self.saw(t, "end_wall_struck", dice=self.struck))
        self.struck = self.settings["dice"]  # reported: further strikes are the same dice bouncing

    def _wait_for_rest(self, t: int) -> None:
        if self.throw and self.settings["rest_after_s"]:
            self.set_timer("rest", t + int(self.settings["rest_after_s"] * SECOND))

    def _end_throw(self, t: int, out: "list[Observation]") -> None:
        if self.has_timer("wall"):
            self._tell_strike(t, out)
        self.stop_timer("rest")
        self.throw = False
        self.struck = 0

    def _rest(self, t: int, out: "list[Observation]") -> None:
        if not self.throw:
            return
        self._end_throw(t, out)
        places = ["off"] * self.off
        self.off = 0
        for line in self.active_lines():
            place = rest_place(line)
            if place:
                places.append(place)
        count = self.settings["dice"]
        out.append(self.saw(t, "dice_settled", faces=None, at=(places + ["layout"] * count)[:count]))


def rest_place(line: str) -> str:
    """Where a die lies that makes this line active, "" if it shows no place."""
    return "rail" if _begins(line, "on-rail-") else REST_LINES.get(line, "")


def is_off_zone(line: str) -> bool:
    """Whether a die in this line's beam has left the table."""
    return _begins(line, "rail-") or _begins(line, "off-")


def _begins(line: str, prefix: str) -> bool:
    return line.startswith(prefix) and len(line) > len(prefix)
