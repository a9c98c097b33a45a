"""A Slingshot 2 roulette wheel on its serial port: repeated levels in, each change out once. MicroPython subset.

The wheel sends its state twice a second. A listener may miss any part of it (a stalled host, a cut cable), so every
line is compared with the one before, however long ago that was. Tolerances are those of the vendor's guide. Must not
know what a spin is worth or when it is void.
"""

from pitwatch.devices.base import Device
from pitwatch.devices.discards import Discards
from pitwatch.devices.faults import Faults, earliest
from pitwatch.devices.protocols import slingshot2 as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"wheel.slingshot2": "SlingshotWheel"}

DIRECTIONS = ("cw", "ccw")
SECOND = 1_000_000_000

PLACE_BETS, BALL_IN_RIM, NO_MORE_BETS, RESULT, CLOSED = 2, 3, 4, 5, 6

STEADY = 5  # tenths of an rpm between two lines: the rotor has settled on a pace
NEW_PACE = 10  # tenths of an rpm: another pace than the one reported
MISSING_HOLD = 5 * SECOND  # the guide: "ball missing" is ignored for ten status lines
LAUNCH_HOLD = 3 * SECOND  # the guide: "launch failed" is ignored in the first 3 s with the ball in the rim
SPEED_HOLD = 5 * SECOND  # of believable speeds before an unbelievable one is forgiven
SPINS = 256  # the spin counter wraps
UNWATCHED = 5 * SECOND  # between two status lines: whatever happened meanwhile may have had a good reason


class SlingshotWheel(Device):
    """Observations beyond the vocabulary's bare fields:

    wheel_state {state, spin, last}: `last` is the last number the wheel claims (null before the first). With
    `unseen_result`: the ball of the spin before was launched but its landing was not heard; this is its number. With
    `same_direction`: true: the wheel found after the launch that the ball runs with the rotor. With `commanded`:
    true: the wheel closed in the middle of a game after somebody's power command, not by a fault.
    ball_launched {direction, spin}; ball_settled {pocket, spin}; result_announced {pocket} (the bare line).
    """

    TYPE = "wheel"
    EVENTS = (
        "rotor", "ball_launched", "ball_settled", "ball_missing", "launch_failed", "wheel_state", "result_announced",
    )  # fmt: skip
    SETTINGS = {
        "wheel": ("double-zero", "double-zero or single-zero: which pockets can win; else the table's option"),
        "silent_s": (30, "longest time without a status line, in seconds, before the wheel counts as silent"),
        "max_rpm": (30, "fastest rotor believed, in revolutions a minute"),
    }
    OF_TABLE = ("wheel",)
    SERIAL = (9600, "8N1")
    REPEATS_STATE = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        if self.settings["wheel"] not in ("double-zero", "single-zero"):
            raise ValueError(f"wheel: {self.settings['wheel']!r} is not a wheel; 'double-zero' or 'single-zero'")
        if not 0 < self.settings["silent_s"] <= 86400:
            raise ValueError(
                f"silent_s: {self.settings['silent_s']!r} is no time to wait; above 0, up to 86400 seconds"
            )
        if not 0 < self.settings["max_rpm"] <= 99.9:
            raise ValueError(f"max_rpm: {self.settings['max_rpm']!r} is no rotor speed; above 0, up to 99.9")
        self._framer = wire.Framer()
        self._discards = Discards(self)
        self._faults = Faults(self)
        self._silent_after = int(self.settings["silent_s"] * 1000) * 1_000_000
        self._max_speed = int(self.settings["max_rpm"] * 10)
        self._silent_at: int | None = None
        self._auto_status = True
        self._before: wire.Status | None = None
        self._heard = 0  # ns of the last status line
        self._entered = 0  # ns at which the present state was first heard
        self._launched: int | None = None  # spin of a ball whose landing has not been heard
        self._same_direction = False
        self._missing_since: int | None = None
        self._missing_told = False
        self._launch_failed_told = False
        self._commanded = False
        self._pace: tuple[int, int] | None = None  # (tenths of an rpm, direction) last reported
        self._fast_until = 0

    def opened(self, t: int) -> "list[Observation]":
        if self._auto_status:
            self._silent_at = t + self._silent_after
        self._plan()
        return []

    def feed(self, data: bytes, t: int) -> "list[Observation]":
        seen = self.tick(t)
        for message in self._framer.feed(data):
            self.understood += 1
            if isinstance(message, wire.Status):
                seen += self._status(message, t)
            elif isinstance(message, wire.Result):
                seen += self._result(message, t)
            elif isinstance(message, wire.SelfTest):
                seen += self._self_test(message.code, t)
            elif isinstance(message, wire.Reply):
                self._reply(message)
        self._discards.add(self._framer.take_discarded(), t)
        self._plan()
        return seen

    def interrupted(self, t: int) -> "list[Observation]":
        self._framer.interrupt()
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

    def _status(self, now: "wire.Status", t: int) -> "list[Observation]":
        before = self._before
        seen = self._faults.clear(t, "silent")
        self._silent_at = t + self._silent_after if self._auto_status else None
        if before is None or now.state != before.state or now.spin != before.spin:
            seen += self._change(now, before, t)
        elif now.state == RESULT and now.win != before.win:
            seen += self._faults.once(t, "number_changed", said=before.win.strip(), now=now.win.strip())
        elif now.state == BALL_IN_RIM and now.warn & wire.SAME_DIRECTION and not self._same_direction:
            seen.append(self._state(now, t))
        if now.warn or (before is not None and before.warn) or self._missing_told:
            seen += self._warnings(now, t)
        seen += self._rotor(now, before, t)
        self._before = now
        self._heard = t
        return seen

    def _change(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """Another state or another spin than the line before said."""
        seen = [] if now.state == CLOSED else self._faults.clear(t, "closed_without_result")
        commanded = self._commanded and now.state == CLOSED
        self._commanded = self._same_direction = False
        if before is None:  # how long the state has held, nobody knows: nothing began or ended now
            self._entered = t
            return seen + [self._state(now, t)]
        same_spin = now.spin == before.spin
        if now.state != before.state:
            self._entered = t
        if now.state == BALL_IN_RIM and not (same_spin and before.state == NO_MORE_BETS):
            seen += self._launch(now, t)
        seen.append(self._state(now, t, commanded))
        if now.state == RESULT:
            number, faults = self._pocket(now.win, t)
            seen += faults
            if number is not None:
                seen.append(self.saw(t, "ball_settled", pocket=number, spin=now.spin))
            self._launched = None
        in_play = same_spin and PLACE_BETS <= before.state <= NO_MORE_BETS
        if now.state == CLOSED and in_play and not commanded and t - self._heard < UNWATCHED:
            # The wheel does not report what failed unless it is set to: it only closes in the middle of a game.
            seen += self._faults.set(t, "closed_without_result", state=wire.STATES[before.state], spin=now.spin)
        return seen

    def _launch(self, now: "wire.Status", t: int) -> "list[Observation]":
        rotor = now.direction
        self._same_direction = bool(now.warn & wire.SAME_DIRECTION)
        self._launched = now.spin
        self._pace = (now.speed, rotor)
        seen = []
        if now.speed <= self._max_speed:
            seen.append(self.saw(t, "rotor", rpm=now.speed / 10, direction=DIRECTIONS[rotor]))
        ball = rotor if self._same_direction else 1 - rotor
        seen.append(self.saw(t, "ball_launched", direction=DIRECTIONS[ball], spin=now.spin))
        return seen

    def _state(self, now: "wire.Status", t: int, commanded: bool = False) -> "Observation":
        last = wire.pocket(now.win)
        data = {"state": wire.STATES[now.state], "spin": now.spin, "last": last}
        if self._launched is not None and now.spin != self._launched:
            if (now.spin - self._launched) % SPINS == 1 and last is not None:
                data["unseen_result"] = last
            self._launched = None
        elif now.state == CLOSED:
            self._launched = None
        if now.state == BALL_IN_RIM and now.warn & wire.SAME_DIRECTION and not self._same_direction:
            self._same_direction = True
            data["same_direction"] = True
        if commanded:
            data["commanded"] = True
        return self.saw(t, "wheel_state", **data)

    def _warnings(self, now: "wire.Status", t: int) -> "list[Observation]":
        seen = []
        in_play = PLACE_BETS <= now.state <= RESULT
        if not (now.warn & wire.BALL_MISSING and in_play):
            self._missing_since = None
            self._missing_told = False
        elif self._missing_since is None:
            self._missing_since = t
        elif not self._missing_told and t - self._missing_since >= MISSING_HOLD:
            self._missing_told = True
            seen.append(self.saw(t, "ball_missing", state=wire.STATES[now.state]))
        if not now.warn & wire.LAUNCH_FAILED:
            self._launch_failed_told = False
        elif not self._launch_failed_told and not (now.state == BALL_IN_RIM and t - self._entered < LAUNCH_HOLD):
            self._launch_failed_told = True
            seen.append(self.saw(t, "launch_failed", spin=now.spin))
        if now.warn & wire.COMPONENT_FAULT:
            state = wire.STATES[now.state]
            seen += self._faults.set(t, "sensor_motor_or_encoder", state=state, rpm=now.speed / 10)
        else:
            seen += self._faults.clear(t, "sensor_motor_or_encoder")
        return seen

    def _rotor(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """A new pace of the rotor once two lines agree on it; an unbelievable one is a fault."""
        if now.speed > self._max_speed:
            self._fast_until = t + SPEED_HOLD
            return self._faults.set(t, "impossible_speed", rpm=now.speed / 10, limit=self.settings["max_rpm"])
        seen = self._faults.clear(t, "impossible_speed") if t >= self._fast_until else []
        if before is None or before.direction != now.direction or abs(now.speed - before.speed) > STEADY:
            return seen
        if self._pace and self._pace[1] == now.direction and abs(now.speed - self._pace[0]) <= NEW_PACE:
            return seen
        self._pace = (now.speed, now.direction)
        seen.append(self.saw(t, "rotor", rpm=now.speed / 10, direction=DIRECTIONS[now.direction]))
        return seen

    def _pocket(self, win: str, t: int) -> "tuple[str | None, list[Observation]]":
        """The pocket a number field names, and what is to be said if this wheel has no such pocket."""
        number = wire.pocket(win)
        if number is None or (number == "00" and self.settings["wheel"] == "single-zero"):
            return None, self._faults.set(t, "impossible_pocket", said=win)
        return number, self._faults.clear(t, "impossible_pocket")

    def _result(self, message: "wire.Result", t: int) -> "list[Observation]":
        number, seen = self._pocket(message.win, t)
        if number is not None:
            seen.append(self.saw(t, "result_announced", pocket=number))
        return seen

    def _self_test(self, code: int, t: int) -> "list[Observation]":
        if code == 0:
            return self._faults.clear(t, "self_test")
        return self._faults.set(t, "self_test", code=code, meaning=wire.SELF_TEST.get(code, "unknown code"))

    def _reply(self, message: "wire.Reply") -> None:
        if message.command == "P" and message.text == "OK":
            self._commanded = True
        elif message.command == "o" and message.text.isdigit():
            self._auto_status = bool(int(message.text) & wire.AUTO_STATUS)
            if not self._auto_status:
                self._silent_at = None  # it speaks only when asked
