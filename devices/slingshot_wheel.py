"""A Slingshot 2 roulette wheel on its serial port. MicroPython subset.

Tolerances are those of the vendor's guide. Must not know what a spin is worth or when it is void.
"""

from pitwatch.devices.cammegh_wheel import (
    BALL_IN_RIM,
    CLOSED,
    NO_MORE_BETS,
    PLACE_BETS,
    RESULT,
    SECOND,
    SPINS,
    UNWATCHED,
    CammeghWheel,
)
from pitwatch.devices.protocols import slingshot2 as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

__all__ = ["BALL_IN_RIM", "NO_MORE_BETS", "PLACE_BETS", "RESULT", "SPINS", "SlingshotWheel"]

DEVICES = {"wheel.slingshot2": "SlingshotWheel"}

MISSING_HOLD = 5 * SECOND  # the guide: "ball missing" is ignored for ten status lines
LAUNCH_HOLD = 3 * SECOND  # the guide: "launch failed" is ignored in the first 3 s with the ball in the rim
SPEED_HOLD = 5 * SECOND  # of believable speeds before an unbelievable one is forgiven
FAULT_HOLD = 5 * SECOND  # a sensor of either wheel that warns for so long is at fault
AMONG_BOTH = 600  # tenths of an rpm: a rotor spun by hand runs as fast
LEGAL = (120, 250)  # tenths of an rpm at which a Mercury 360 does not warn of its rotor
REPLIES = ("u", "P", "o")  # commands that only this wheel answers


class SlingshotWheel(CammeghWheel):
    """Observations beyond the vocabulary's bare fields:

    wheel_state {state, spin, last}: `last` is the last number the wheel claims (null before the first). With
    `unseen_result`: the ball of the spin before was launched but its landing was not heard; this is its number. With
    `same_direction`: true: the wheel found after the launch that the ball runs with the rotor. With `commanded`:
    true: the wheel closed in the middle of a game after somebody's power command, not by a fault.
    ball_launched {direction, spin}; ball_settled {pocket, spin}; result_announced {pocket} (the bare line).

    A warning that a Mercury 360 gives with another meaning waits until the wheel has proved to be a Slingshot.
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
    STATES = wire.STATES
    SISTER = "mercury360"

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, wire.Framer())
        if not 0 < self.settings["max_rpm"] <= 99.9:
            raise ValueError(f"max_rpm: {self.settings['max_rpm']!r} is no rotor speed; above 0, up to 99.9")
        self._max_speed = int(self.settings["max_rpm"] * 10)

    def _begin(self) -> None:
        super()._begin()
        self._missing_since: int | None = None
        self._missing_told = False
        self._launch_failed_told = False
        self._faulty_since: int | None = None
        self._faulty: wire.Status | None = None  # warned of a component that no fault was reported of yet
        self._commanded = self._closed_by_command = False
        self._fast_until = 0

    def _number(self, win: str) -> "str | None":
        return wire.pocket(win)

    def _of_its_own(self, message: "Any") -> int:
        if isinstance(message, wire.Status):
            return 1 if message.spin > 255 or message.speed > AMONG_BOTH else 0
        if isinstance(message, wire.Reply):
            answers = message.text in ("OK", "NO") or message.text.isdigit()
            return 1 if message.command in REPLIES and answers else 0
        return 1 if isinstance(message, (wire.Bonus, wire.SelfTest)) else 0

    def _message(self, message: "Any", t: int) -> "list[Observation]":
        if isinstance(message, wire.SelfTest):
            return self._self_test(message.code, t)
        if isinstance(message, wire.Reply):
            self._reply(message)
        return []

    def _change(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        seen = [] if now.state == CLOSED else self._faults.clear(t, "closed_without_result")
        self._closed_by_command = self._commanded and now.state == CLOSED
        self._commanded = False
        seen += super()._change(now, before, t)
        if before is None or now.state != CLOSED or self._closed_by_command:
            return seen
        in_play = now.spin == before.spin and PLACE_BETS <= before.state <= NO_MORE_BETS
        if in_play and t - self._heard < UNWATCHED:
            # The wheel does not report what failed unless it is set to: it only closes in the middle of a game.
            seen += self._faults.set(t, "closed_without_result", state=wire.STATES[before.state], spin=now.spin)
        return seen

    def _add_to_state(self, now: "wire.Status", data: "dict[str, Any]") -> None:
        if self._closed_by_command and now.state == CLOSED:
            data["commanded"] = True

    def _warnings(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        if not (now.warn or (before is not None and before.warn) or self._missing_told or self._faulty):
            return []
        seen = []
        sure = self._which.is_own
        in_play = PLACE_BETS <= now.state <= RESULT
        if not (now.warn & wire.BALL_MISSING and in_play):
            self._missing_since = None
            self._missing_told = False
        elif self._missing_since is None:
            self._missing_since = t
        elif not self._missing_told and t - self._missing_since >= MISSING_HOLD and (sure or _legal(now.speed)):
            self._missing_told = True
            seen.append(self.saw(t, "ball_missing", state=wire.STATES[now.state]))
        if not now.warn & wire.LAUNCH_FAILED:
            self._launch_failed_told = False
        elif sure and not self._launch_failed_told and (now.state != BALL_IN_RIM or t - self._entered >= LAUNCH_HOLD):
            self._launch_failed_told = True
            seen.append(self.saw(t, "launch_failed", spin=now.spin))
        return seen + self._component(now, sure, t)

    def _component(self, now: "wire.Status", sure: bool, t: int) -> "list[Observation]":
        """Of a Mercury the same bit for a moment says less; for longer than that it is a fault of either."""
        reason = "sensor_motor_or_encoder"
        if now.warn & wire.COMPONENT_FAULT:
            if self._faulty_since is None:
                self._faulty_since, self._faulty = t, now
            if not (sure or t - self._faulty_since >= FAULT_HOLD):
                return []
            self._faulty = None
            return self._faults.set(t, reason, state=wire.STATES[now.state], rpm=now.speed / 10)
        self._faulty_since = None
        seen = self._faults.clear(t, reason)
        if sure and self._faulty is not None:
            was, self._faulty = self._faulty, None
            seen += self._faults.once(t, reason, state=wire.STATES[was.state], rpm=was.speed / 10)
        return seen

    def _believes(self, now: "wire.Status") -> bool:
        return now.speed <= self._max_speed

    def _rotor(self, now: "wire.Status", before: "wire.Status | None", t: int) -> "list[Observation]":
        """An unbelievable pace is a fault, unless it may be that of the other wheel."""
        seen: list[Observation] = []
        if now.speed <= self._max_speed:
            if t >= self._fast_until:
                seen += self._faults.clear(t, "impossible_speed")
        elif now.speed > AMONG_BOTH or self._which.is_own:
            self._fast_until = t + SPEED_HOLD
            seen += self._faults.set(t, "impossible_speed", rpm=now.speed / 10, limit=self.settings["max_rpm"])
        return seen + super()._rotor(now, before, t)

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


def _legal(speed: int) -> bool:
    return LEGAL[0] <= speed <= LEGAL[1]
