"""A Mercury 360 or Mercury II, the reader in the rim of a wheel that is spun by hand. MicroPython subset.

Tolerances are those of the maker's guide; nothing here was tried on hardware. Must not know what a spin is worth or how
many revolutions it needs.
"""

from pitwatch.devices.cammegh_wheel import (
    BALL_IN_RIM,
    DIRECTIONS,
    NO_MORE_BETS,
    RESULT,
    SECOND,
    CammeghWheel,
)
from pitwatch.devices.protocols import mercury360 as wire
from pitwatch.devices.protocols.cammegh import Status
from pitwatch.devices.sister_wheel import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"wheel.mercury360": "MercuryWheel"}

MODES = ("basic", "advanced", "extended")
DEALER_LOCK = 7
SENSOR_HOLD = 5 * SECOND  # the guide: it recovers by itself
MISSING_HOLD = 10 * SECOND  # the guide: a ball that is away for 10 s is a respin
LEFT_HOLD = 2 * SECOND  # without the ball in the track: more than its slowest revolution there
POORER = 3  # lines in a row that lack what the mode has
MS = 1_000_000


class MercuryWheel(CammeghWheel):
    """Observations beyond the vocabulary's bare fields:

    wheel_state {state, spin, last} as of a Slingshot 2; `spin` counts the games that ended well, 0 to 255. Also
    `same_direction`: true; `void`: true, the reader declared this game void; `object_or_sensor`: true, something else
    than the ball passed, or a sensor failed: it gives no result while that lasts. In basic mode the state alone.
    ball_launched {direction, spin}; ball_settled {pocket, spin}; result_announced {pocket} (the bare line).
    ball_left_rim {revolutions, direction, seen_ago_ms}: the reader's own count, seen_ago_ms after the last line with
    the ball in the track. A line comes each 500 ms and may be one revolution behind, so until the ball is heard to lie
    in a pocket with the count unchanged there are `uncertain`: true, `at_least` and `at_most`; then it is told once
    more without. Null, uncertain, if the count cannot be believed.

    A warning that a Slingshot 2 gives with another meaning waits until the wheel has proved to be a Mercury.
    """

    TYPE = "wheel"
    EVENTS = (
        "rotor", "ball_launched", "ball_left_rim", "ball_settled", "ball_missing", "wheel_state", "result_announced",
    )  # fmt: skip
    SETTINGS = {
        "mode": ("advanced", "protocol mode of the port at the break-out box: basic, advanced or extended"),
        "wheel": ("double-zero", "double-zero or single-zero: which pockets can win; else the table's option"),
        "silent_s": (30, "longest time without a status line, in seconds, before the wheel counts as silent"),
    }
    STATES = wire.STATES
    SISTER = "slingshot2"
    COUNTS_AT_RESULT = True

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """What the mode can show: the count of revolutions comes with the extended one alone."""
        mode = (settings or {}).get("mode", "advanced")
        if mode == "basic":
            return ("ball_settled", "wheel_state")
        lacks = () if mode == "extended" else ("ball_left_rim", "ball_missing")
        return tuple([event for event in cls.EVENTS if event not in lacks])

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, wire.Framer())
        if self.settings["mode"] not in MODES:
            raise ValueError(f"mode: {self.settings['mode']!r} is no mode; 'basic', 'advanced' or 'extended'")
        self._auto_status = self.settings["mode"] != "basic"

    def _begin(self) -> None:
        super()._begin()
        self._zero_before = False  # it writes single digits with a zero before them
        self._poorer = 0
        self._void_told = False
        self._sensor_since: int | None = None
        self._sensor_told = False
        self._missing_since: int | None = None
        self._missing_told = False
        self._stopped = False
        self._begin_run()

    def _begin_run(self) -> None:
        """No ball has been in the track in this game."""
        self._spins = 0
        self._seen: int | None = None  # ns of the last line with the ball in the track
        self._ball: int | None = None  # its direction
        self._doubtful = False
        self._left_told = False
        self._exact_told = False

    def _number(self, win: str) -> "str | None":
        if "01" <= win <= "09":
            self._zero_before = True
        if win == "00" and self._zero_before and self.settings["wheel"] == "single-zero":
            return "0"
        return wire.pocket(win)

    def _of_its_own(self, message: "Any") -> int:
        if isinstance(message, Status):
            if message.track is not None:
                return MARKS
            return 1 if message.state == DEALER_LOCK or not message.spin or "01" <= message.win <= "09" else 0
        return 1 if isinstance(message, (wire.Basic, wire.Bonus)) else 0

    def _message(self, message: "Any", t: int) -> "list[Observation]":
        if not isinstance(message, wire.Basic):
            return []
        seen = self._heard_mode("basic", t) if self._which.is_own else []
        if message.kind != "W":
            return seen + [self.saw(t, "wheel_state", state=wire.STATES[1 if message.kind == "S" else NO_MORE_BETS])]
        win = message.win if len(message.win) == 2 else " " + message.win
        number, faults = self._pocket(win, t)
        seen += [self.saw(t, "wheel_state", state=wire.STATES[RESULT])] + faults
        if number is not None:
            seen.append(self.saw(t, "ball_settled", pocket=number))
        return seen

    def _status(self, now: "Status", t: int) -> "list[Observation]":
        seen = []
        if now.track is not None or self._which.is_own:
            seen += self._heard_mode("advanced" if now.track is None else "extended", t)
        if now.track is not None:
            seen += self._follow(now, now.track, t)
        return seen + super()._status(now, t)

    def _heard_mode(self, heard: str, t: int) -> "list[Observation]":
        """A port whose mode shows less than was configured."""
        if MODES.index(heard) >= MODES.index(self.settings["mode"]):
            self._poorer = 0
            return self._faults.clear(t, "wrong_mode")
        self._poorer += 1
        if self._poorer < POORER:
            return []
        return self._faults.set(t, "wrong_mode", heard=heard, expected=self.settings["mode"])

    # --- the ball in the track ------------------------------------------------------------------------------------

    def _follow(self, now: "Status", track: "wire.Track", t: int) -> "list[Observation]":
        """The count of revolutions, which is final once the ball is out of the track."""
        if now.state not in (BALL_IN_RIM, NO_MORE_BETS, RESULT, DEALER_LOCK):
            self._begin_run()
            return []
        if now.warn & wire.OBJECT_OR_SENSOR or track.spins < self._spins:
            self._doubtful = True
        unchanged = track.spins == self._spins
        self._spins = max(self._spins, track.spins)
        resting = now.state == RESULT or track.pocket is not None or track.flags & wire.BALL_IN_POCKET != 0
        if track.direction is not None and not resting:
            self._seen, self._ball = t, track.direction
            return []
        if self._seen is None or self._exact_told:
            return []
        exact = resting and unchanged
        if not exact and (self._left_told or not (resting or t - self._seen >= LEFT_HOLD)):
            return []
        if self._doubtful and self._left_told:
            return []
        self._left_told, self._exact_told = True, exact
        data: dict[str, Any] = {
            "revolutions": None if self._doubtful else self._spins,
            "direction": None if self._ball is None else DIRECTIONS[self._ball],
            "seen_ago_ms": (t - self._seen) // MS,
        }
        if self._doubtful:
            data["uncertain"] = True
        elif not exact:
            data.update({"uncertain": True, "at_least": self._spins, "at_most": self._spins + 1})
        return [self.saw(t, "ball_left_rim", **data)]

    def _ball_direction(self, now: "Status") -> "int | None":
        turns = now.speed > 0 and not (now.track is not None and now.track.flags & wire.DIRECTION_UNKNOWN)
        against = super()._ball_direction(now) if turns else None
        if now.track is None or now.track.direction is None:
            return against
        ball: int = now.track.direction
        return ball if against in (None, ball) else None

    # --- warnings and rotor ---------------------------------------------------------------------------------------

    def _add_to_state(self, now: "Status", data: "dict[str, Any]") -> None:
        if not self._which.is_own:
            return
        if now.warn & wire.VOID:
            data["void"] = True
        if now.warn & wire.OBJECT_OR_SENSOR:
            data["object_or_sensor"] = True

    def _warnings(self, now: "Status", before: "Status | None", t: int) -> "list[Observation]":
        seen = []
        warned = now.warn & (wire.VOID | wire.OBJECT_OR_SENSOR)
        if not now.warn & wire.VOID:
            self._void_told = False
        if not now.warn & wire.OBJECT_OR_SENSOR:
            self._sensor_since, self._sensor_told = None, False
            seen += self._faults.clear(t, "object_or_sensor")
        else:
            if self._sensor_since is None:
                self._sensor_since = t
            if t - self._sensor_since >= SENSOR_HOLD:
                seen += self._faults.set(t, "object_or_sensor", state=wire.STATES[now.state], rpm=now.speed / 10)
        if warned and self._which.is_own:
            news = (now.warn & wire.VOID and not self._void_told) or (
                now.warn & wire.OBJECT_OR_SENSOR and not self._sensor_told
            )
            self._void_told = bool(now.warn & wire.VOID)
            self._sensor_told = bool(now.warn & wire.OBJECT_OR_SENSOR)
            changed = before is None or now.state != before.state or now.spin != before.spin
            if news and not changed:
                seen.append(self._state(now, t))
        if now.track is not None:
            seen += self._missing(now, now.track, t)
        return seen

    def _missing(self, now: "Status", track: "wire.Track", t: int) -> "list[Observation]":
        if not (track.flags & wire.NO_BALL and now.state in (BALL_IN_RIM, NO_MORE_BETS)):
            self._missing_since, self._missing_told = None, False
            return []
        if self._missing_since is None:
            self._missing_since = t
        if self._missing_told or t - self._missing_since < MISSING_HOLD:
            return []
        self._missing_told = True
        return [self.saw(t, "ball_missing", state=wire.STATES[now.state])]

    def _believes(self, now: "Status") -> bool:
        """000 is a rotor that stands or is too fast to be measured."""
        return now.speed > 0 and not (now.track is not None and now.track.flags & wire.DIRECTION_UNKNOWN)

    def _rotor(self, now: "Status", before: "Status | None", t: int) -> "list[Observation]":
        stopped = now.track is not None and now.track.flags & wire.ROTOR_STOPPED != 0
        was, self._stopped = self._stopped, stopped
        if stopped:
            self._pace = None
            return [] if was else [self.saw(t, "rotor", rpm=0.0, direction=None)]
        return super()._rotor(now, before, t)
