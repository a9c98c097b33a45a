"""A Cammegh wheel on its serial port: repeated levels in, each change out once. MicroPython subset.

The wheel sends its state twice a second. A listener may miss any part of it (a stalled host, a cut cable), so every
line is compared with the one before, however long ago that was. Until it is proved which of the maker's two wheels
sends, only what is true of both is reported. Must not know what a spin is worth or when it is void.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.discards import Discards
from pitwatch.devices.faults import Faults, earliest
from pitwatch.devices.protocols import cammegh as wire
from pitwatch.devices.sister_wheel import SisterWheel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DIRECTIONS = ("cw", "ccw")
SECOND = 1_000_000_000

PLACE_BETS, BALL_IN_RIM, NO_MORE_BETS, RESULT, CLOSED = 2, 3, 4, 5, 6
SAME_DIRECTION = 2  # warning: the ball runs with the rotor

STEADY = 5  # tenths of an rpm between two lines: the rotor has settled on a pace
NEW_PACE = 10  # tenths of an rpm: another pace than the one reported
SPINS = 256  # both counters wrap
PATIENCE = 4  # times the usual wait for a status line, where lines of the other wheel came
UNWATCHED = 5 * SECOND  # between two status lines: whatever happened meanwhile may have had a good reason


class CammeghWheel(Device):
    """What both wheels share. A subclass gives `STATES`, `SISTER` and the `_…` methods below.

    STATES  {number: name of the state}.
    SISTER  protocol of the maker's other wheel.
    """

    STATES: "dict[int, str]" = {}
    SISTER = ""
    COUNTS_AT_RESULT = False
    OF_TABLE = ("wheel",)
    SERIAL = (9600, "8N1")
    REPEATS_STATE = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None", framer: "wire.PacketFramer"):
        super().__init__(device_id, settings)
        if self.settings["wheel"] not in ("double-zero", "single-zero"):
            raise ValueError(f"wheel: {self.settings['wheel']!r} is not a wheel; 'double-zero' or 'single-zero'")
        if not 0 < self.settings["silent_s"] <= 86400:
            raise ValueError(
                f"silent_s: {self.settings['silent_s']!r} is no time to wait; above 0, up to 86400 seconds"
            )
        self._framer = framer
        self._discards = Discards(self)
        self._which = SisterWheel(self.COUNTS_AT_RESULT)
        self._silent_after = int(self.settings["silent_s"] * 1000) * 1_000_000
        self._silent_at: int | None = None
        self._auto_status = True
        self._begin()

    def _begin(self) -> None:
        """Nothing is known of the wheel."""
        self._faults = Faults(self)
        self._before: wire.Status | None = None
        self._heard = 0  # ns of the last status line
        self._entered = 0  # ns at which the present state was first heard
        self._launched: int | None = None  # spin of a ball whose landing has not been heard
        self._same_direction = False
        self._pace: tuple[int, int] | None = None  # (tenths of an rpm, direction) last reported

    # --- for subclasses -------------------------------------------------------------------------------------------

    def _of_its_own(self, message: "Any") -> int:
        """How many marks it is that only this wheel sends such a line; 0 if the other one does too."""
        raise NotImplementedError

    def _message(self, message: "Any", t: int) -> "list[Observation]":
        """What a message other than a status line or a bare number says."""
        return []

    def _warnings(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """What the warning bits and the sensors of a status line say."""
        raise NotImplementedError

    def _changed(self, now: "wire.Status", before: "wire.Status", t: int) -> "list[Observation]":
        """What a change of state or spin says besides; called last."""
        return []

    def _add_to_state(self, now: "wire.Status", data: "dict[str, Any]") -> None:
        """Fields of a wheel_state besides the common ones."""

    def _believes(self, now: "wire.Status") -> bool:
        """Whether the rotor's speed is one to report."""
        return True

    def _ball_direction(self, now: "wire.Status") -> "int | None":
        """Of the ball that was launched: 0 clockwise, 1 counter-clockwise, None unknown."""
        return now.direction if now.warn & SAME_DIRECTION else 1 - now.direction

    def _number(self, win: str) -> "str | None":
        """The pocket that a number field names, or None."""
        raise NotImplementedError

    # --- for the wiring -------------------------------------------------------------------------------------------

    def opened(self, t: int) -> "list[Observation]":
        if self._auto_status:
            self._silent_at = t + self._silent_after
        self._plan()
        return []

    def feed(self, data: bytes, t: int) -> "list[Observation]":
        seen = self.tick(t)
        for message in self._framer.feed(data):
            if isinstance(message, wire.Foreign):
                self._which.other(message.sure)
                if self._silent_at is not None:
                    self._silent_at = t + PATIENCE * self._silent_after  # something sends, if not what should
            elif isinstance(message, wire.Status):
                self._which.heard(message, t)
            marks = 0 if isinstance(message, wire.Foreign) else self._of_its_own(message)
            if marks:
                self._which.own(marks)
            if self._which.is_other:
                if not self.sister:
                    self._begin()
                    self._silent_at = None
                self.sister = self.SISTER
            elif not isinstance(message, wire.Foreign):
                self.sister = ""
                self.understood += 1
                if isinstance(message, wire.Status):
                    seen += self._status(message, t)
                elif isinstance(message, wire.Result):
                    seen += self._result(message.win, t)
                else:
                    seen += self._message(message, t)
        self._discards.add(self._framer.take_discarded(), t)
        self._plan()
        return seen

    def interrupted(self, t: int) -> "list[Observation]":
        self._framer.interrupt()
        self._which.forget()
        self.sister = ""
        self._silent_at = None
        self._discards.add(self._framer.take_discarded(), t)
        self._plan()
        return []

    def tick(self, t: int) -> "list[Observation]":
        if self.deadline is None or t < self.deadline:
            return []
        seen = self._discards.take(t)
        if self._silent_at is not None and t >= self._silent_at:
            self._silent_at = None
            seen += self._faults.set(t, "silent", seconds=self.settings["silent_s"])
        self._plan()
        return seen

    def _plan(self) -> None:
        self.deadline = earliest(self._silent_at, self._discards.due)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _status(self, now: "wire.Status", t: int) -> "list[Observation]":
        before = self._before
        seen = self._faults.clear(t, "silent")
        self._silent_at = t + self._silent_after if self._auto_status else None
        if before is None or now.state != before.state or now.spin != before.spin:
            seen += self._change(now, before, t)
        elif now.state == RESULT and now.win != before.win:
            seen += self._faults.once(t, "number_changed", said=before.win.strip(), now=now.win.strip())
        elif now.state == BALL_IN_RIM and now.warn & SAME_DIRECTION and not self._same_direction:
            seen.append(self._state(now, t))
        seen += self._warnings(now, before, t)
        seen += self._rotor(now, before, t)
        self._before = now
        self._heard = t
        return seen

    def _change(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """Another state or another spin than the line before said."""
        self._same_direction = False
        if before is None:  # how long the state has held, nobody knows: nothing began or ended now
            self._entered = t
            return [self._state(now, t)]
        if now.state != before.state:
            self._entered = t
        seen = []
        if now.state == BALL_IN_RIM and not (now.spin == before.spin and before.state == NO_MORE_BETS):
            seen += self._launch(now, t)
        seen.append(self._state(now, t))
        if now.state == RESULT and not (self.COUNTS_AT_RESULT and before.state == RESULT and now.win == before.win):
            number, faults = self._pocket(now.win, t)
            seen += faults
            if number is not None:
                seen.append(self.saw(t, "ball_settled", pocket=number, spin=now.spin))
            self._launched = None
        return seen + self._changed(now, before, t)

    def _launch(self, now: "wire.Status", t: int) -> "list[Observation]":
        self._same_direction = bool(now.warn & SAME_DIRECTION)
        self._launched = now.spin
        seen = []
        self._pace = (now.speed, now.direction)
        if self._believes(now):
            seen.append(self.saw(t, "rotor", rpm=now.speed / 10, direction=DIRECTIONS[now.direction]))
        ball = self._ball_direction(now)
        way = None if ball is None else DIRECTIONS[ball]
        seen.append(self.saw(t, "ball_launched", direction=way, spin=now.spin))
        return seen

    def _state(self, now: "wire.Status", t: int) -> "Observation":
        last = self._number(now.win)
        data: dict[str, Any] = {"state": self.STATES[now.state], "spin": now.spin, "last": last}
        if self._launched is not None and now.spin != self._launched:
            if now.state != RESULT and (now.spin - self._launched) % SPINS == 1 and last is not None:
                data["unseen_result"] = last
            self._launched = None
        elif now.state == CLOSED:
            self._launched = None
        if now.state == BALL_IN_RIM and now.warn & SAME_DIRECTION and not self._same_direction:
            self._same_direction = True
            data["same_direction"] = True
        self._add_to_state(now, data)
        return self.saw(t, "wheel_state", **data)

    def _rotor(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """A new pace of the rotor once two lines agree on it."""
        if not self._believes(now):
            return []
        if before is None or before.direction != now.direction or abs(now.speed - before.speed) > STEADY:
            return []
        if self._pace and self._pace[1] == now.direction and abs(now.speed - self._pace[0]) <= NEW_PACE:
            return []
        self._pace = (now.speed, now.direction)
        return [self.saw(t, "rotor", rpm=now.speed / 10, direction=DIRECTIONS[now.direction])]

    def _pocket(self, win: str, t: int) -> "tuple[str | None, list[Observation]]":
        """The pocket a number field names, and what is to be said if this wheel has no such pocket."""
        number = self._number(win)
        if number == "00" and self.settings["wheel"] == "single-zero":
            if not self._which.is_own:
                return None, []  # the other wheel may write the single zero so
            number = None
        if number is None:
            return None, self._faults.set(t, "impossible_pocket", said=win)
        return number, self._faults.clear(t, "impossible_pocket")

    def _result(self, win: str, t: int) -> "list[Observation]":
        number, seen = self._pocket(win, t)
        if number is not None:
            seen.append(self.saw(t, "result_announced", pocket=number))
        return seen
