"""A key-card reader on two Wiegand lines: pulses in, "facility:card" out. MicroPython subset.

Must not know whose card it is nor what the holder may do.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.faults import Faults, earliest
from pitwatch.devices.protocols import pulse_timing, wiegand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"key_reader.wiegand": "WiegandReader"}

MS = 1_000_000
END_OF_FRAME = 25 * MS  # ns without a pulse; pulses of one swipe are 1 to 20 ms apart
SAME_PULSE = MS // 2  # ns after an edge in which another one on the line is of the same pulse
STUCK = 500 * MS  # ns active; a pulse lasts 20 to 200 us
QUIET = 10_000 * MS  # ns between two reports of bad frames, so that a noisy cable is no flood
LONGEST = 64  # bits of evidence kept

TIMING = (
    pulse_timing.EXACT,
    "how edges are stamped: exact, by an interrupt, or late, by a thread, which shows the pace of a swipe alone",
)
FORMAT_37 = ("H10304", "what 37 bits are: H10304, facility and card, or H10302, a card number alone")


class WiegandReader(Device):
    """credential_presented {credential, bits}: credential is "facility:card" in decimal, such as "12:34567".

    A swipe of another length, with wrong parity, in which a pulse began before the one on the other line was over (two
    cards or two readers at once), or whose pulses are not as even and as short as a reader's (noise) is the passing
    fault "bad_length", "bad_parity", "overlapping_pulses" or "irregular_pulses" {bits, pattern, frames}, reported at
    most every ten seconds with the number of bad frames since.
    """

    TYPE = "key_reader"
    EVENTS = ("credential_presented",)
    LINES = {"d0": "one pulse a 0 bit, active while it lasts", "d1": "one pulse a 1 bit"}
    REQUIRED = ("d0", "d1")
    SETTINGS = {"format_37": FORMAT_37, "timing": TIMING}

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        wiegand.check_format_37(self.settings["format_37"])
        pulse_timing.check(self.settings["timing"])
        self._faults = Faults(self)
        self._levels = {"d0": 0, "d1": 0}
        self._last_edge: dict[str, int] = {}
        self._active_since: dict[str, int] = {}
        self._bad_frames = 0
        self._told_bad: int | None = None
        self._begin()

    def _begin(self) -> None:
        """No swipe is on."""
        self._pattern: list[int] = []
        self._begins: list[int] = []
        self._lasted: list[int] = []
        self._count = 0
        self._overlap = False
        self._frame_end: int | None = None

    def initial(self, levels: "dict[str, int]", t: int) -> "list[Observation]":
        seen = self.tick(t)
        for line in sorted(levels):
            if line in self._levels:
                self._last_edge[line] = t
                seen += self._went_to(line, levels[line], t)
        self._plan()
        return seen

    def interrupted(self, t: int) -> "list[Observation]":
        self._begin()
        self._active_since.clear()
        self._plan()
        return []

    def edge(self, line: str, level: int, t: int) -> "list[Observation]":
        seen = self.tick(t)
        if line in self._levels:
            # A level that repeats itself: the pulse was over before the kernel looked, or an edge of it was lost.
            unseen = level == self._levels[line] and t - self._last_edge.get(line, t) >= SAME_PULSE
            if unseen or (level and not self._levels[line]):
                self._pulse(line, t)
            self._last_edge[line] = t
            seen += self._went_to(line, level, t)
        self._plan()
        return seen

    def _pulse(self, line: str, t: int) -> None:
        self._overlap = self._overlap or any([other != line for other in self._active_since])
        self._count += 1
        if self._count <= LONGEST:
            self._pattern.append(1 if line == "d1" else 0)
            self._begins.append(t)
        self._frame_end = t + END_OF_FRAME

    def _went_to(self, line: str, level: int, t: int) -> "list[Observation]":
        self._levels[line] = level
        if level:
            self._active_since[line] = t
            return []
        since = self._active_since.pop(line, None)
        if since is not None and self._frame_end is not None and len(self._lasted) < LONGEST:
            self._lasted.append(t - since)
        return self._faults.clear(t, "stuck " + line)

    def tick(self, t: int) -> "list[Observation]":
        if self.deadline is None or t < self.deadline:
            return []
        seen: list[Observation] = []
        if self._frame_end is not None and t >= self._frame_end:
            seen += self._frame(t)
            self._begin()
        for line, since in sorted(self._active_since.items()):
            if t - since >= STUCK:
                seen += self._faults.set(t, "line stuck", "stuck " + line, line=line, seconds=STUCK / 1e9)
        self._plan()
        return seen

    def _plan(self) -> None:
        stuck = [since + STUCK for line, since in self._active_since.items() if "stuck " + line not in self._faults]
        self.deadline = earliest(self._frame_end, *stuck)

    def _frame(self, t: int) -> "list[Observation]":
        pattern, count = self._pattern, self._count
        try:
            if self._overlap:
                raise wiegand.BadFrameError("overlapping_pulses")
            if count not in wiegand.LENGTHS:
                raise wiegand.BadFrameError("bad_length")
            if not pulse_timing.as_sent(self._begins, self._lasted, self.settings["timing"]):
                raise wiegand.BadFrameError("irregular_pulses")
            credential = wiegand.credential(pattern, self.settings["format_37"])
        except wiegand.BadFrameError as bad:
            self._bad_frames += 1
            if self._told_bad is not None and t - self._told_bad < QUIET:
                return []
            frames, self._bad_frames, self._told_bad = self._bad_frames, 0, t
            text = "".join([str(bit) for bit in pattern])
            return self._faults.once(t, bad.reason, bits=count, pattern=text, frames=frames)
        return [self.saw(t, "credential_presented", credential=credential, bits=count)]
