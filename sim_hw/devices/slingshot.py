"""A simulated Slingshot 2 wheel: it drives rotor and ball by itself and says its state twice a second.

Default timings are those measured on a real wheel over 198 spins (median, 5th to 95th percentile): bets 9.0 s (7 to
12.5), ball in the rim 4.0 s (2.5 to 6), no more bets 26.5 s (24 to 28), result 5.5 s (3.5 to 7), rotor 14 to 20 rpm.
Knows the wire and the wheel's own cycle, no rule of the game.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.protocols import slingshot2 as wire
from pitwatch.devices.slingshot_wheel import BALL_IN_RIM, NO_MORE_BETS, PLACE_BETS, RESULT, SPINS
from pitwatch.devices.wheel_pockets import order_of
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.wheel_picture import resting_ball, running_ball
from pitwatch.sim_hw.scene import MS, SECOND, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

EVERY = 500 * MS
RAMP = 60
"""Tenths of an rpm a second that the motor gains or loses."""
RIM_AFTER_CALL = 22.0
"""Seconds from "no more bets" until the ball leaves the rim: a fixed ball speed is what the wheel goes by."""


class SlingshotWheel:
    """The machine. A dealer (or the machine's own clock) takes it through `open_bets`, `launch`, `call`, `rest`."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self.id = spec.id
        self._order = order_of(spec.settings.get("wheel", "double-zero"))
        self._state = PLACE_BETS
        self._spin = 1
        self._last: str | None = None
        self.warn = 0
        self._direction = scene.rng.randrange(2)
        self._speed = 0.0
        self._target = 160.0
        self._rotor = scene.rng.uniform(0, ball.TURN)
        self._seen = 0.0  # of the rotor from above, revolutions clockwise
        self._run: ball.Run | None = None
        self._said = scene.t
        self._moved = scene.t
        scene.running.append(self)
        scene.devices[spec.id] = self

    def advance(self, t: int) -> None:
        """Say a status line each half second up to `t`."""
        while self._said <= t:
            self._move(self._said)
            speed = int(self._speed)
            line = wire.status_line(self._state, self._spin, self._last, self.warn, speed, self._direction)
            self._scene.put_bytes(self.id, line, max(self._said, self._scene.t))
            self._said += EVERY

    def _move(self, t: int) -> None:
        """Motor and rotor go on up to `t`; below zero the rotor turns the other way."""
        seconds = (t - self._moved) / SECOND
        self._moved = t
        gap = self._target - self._speed
        step = min(abs(gap), RAMP * seconds)
        self._speed += step if gap > 0 else -step
        if self._speed < 0:
            self._speed, self._target = -self._speed, -self._target
            self._direction = 1 - self._direction
        self._rotor += self._speed / 600 * ball.TURN * seconds
        self._seen += self._turns() * seconds

    def _turns(self) -> float:
        """Revolutions a second, clockwise."""
        return self._speed / 600 * (-1 if self._direction else 1)

    def picture(self) -> dict[str, Any]:
        """The wheel as it is now; see `wheel_picture`."""
        seconds, turns = (self._scene.t - self._moved) / SECOND, self._turns()
        rotor = (self._seen + turns * seconds) % 1.0
        shown = None
        if self._run is not None:
            since = (self._scene.t - self._began) / SECOND
            shown = running_ball(self._run, since, self._where / ball.TURN, self._way)
        elif self._state == RESULT and self._last is not None:
            shown = resting_ball(rotor, turns, self._order, self._last)
        says = {PLACE_BETS: "place bets", BALL_IN_RIM: "ball in rim", NO_MORE_BETS: "no more bets", RESULT: "result"}
        return {
            "order": self._order, "rotor": rotor, "turns": turns, "ball": shown, "last": self._last,
            "says": says[self._state],
        }  # fmt: skip

    def until_steady(self) -> float:
        """Seconds until the rotor turns as the motor wants it."""
        self._move(self._scene.t)
        return abs(self._target - self._speed) / RAMP

    def motor(self, rpm: float) -> None:
        """The motor is set to so many revolutions a minute."""
        self._move(self._scene.t)
        self._target = rpm * 10

    def _enter(self, state: int) -> None:
        self._move(self._scene.t)
        self._state = state

    def open_bets(self) -> None:
        """Place bets: the rotor changes its direction through standstill."""
        self._enter(PLACE_BETS)
        self._target = -self._scene.rng.uniform(140, 200)

    def betting_time(self) -> float:
        """Seconds until the machine launches the ball."""
        return self._time(9.0, 7.0, 12.5)

    def launch(self, *, with_rotor: bool = False) -> None:
        """The ball is in the rim and has gone round once. With the rotor: the wheel warns of it itself."""
        self._enter(BALL_IN_RIM)
        self.warn = wire.SAME_DIRECTION if with_rotor else 0
        seconds = self._time(4.0, 2.5, 6.0)
        self.rim_time = seconds
        self._run = ball.run(self._scene.rng, ball.speed_before(seconds + RIM_AFTER_CALL))
        self._where = self._scene.rng.uniform(0, ball.TURN)
        self._began = self._scene.t
        self._way = (-1 if self._direction else 1) * (1 if with_rotor else -1)

    def call(self) -> float:
        """No more bets; returns the seconds until the ball lies in a pocket."""
        self._enter(NO_MORE_BETS)
        assert self._run is not None
        return self._run.landed - (self._scene.t - self._began) / SECOND

    def rest(self, *, misread: bool = False, skip: int = 0, pocket: str | None = None) -> str:
        """The ball lies in a pocket: the number line, then the state; returns the pocket.

        `misread`: the bare line names another one. `skip`: spins the counter jumps afterwards. `pocket`: the one it
        finds, instead of the one that its way leads to."""
        self._move(self._scene.t)
        assert self._run is not None
        # The ball ran against the rotor, so the angles add up.
        number = pocket or ball.pocket(self._order, self._where + self._run.angle + self._rotor)
        self._run = None
        other = self._order[
            (self._order.index(number) + self._scene.rng.randrange(1, len(self._order))) % len(self._order)
        ]
        self._scene.put_bytes(self.id, wire.result_line(other if misread else number))
        self._state, self._last, self._skip = RESULT, number, skip
        return number

    def result_time(self) -> float:
        return self._time(5.5, 3.5, 7.0)

    def next_game(self) -> None:
        """Count the spin and open the bets again."""
        self._spin = (self._spin + self._skip) % SPINS + 1
        self._skip = 0
        self.open_bets()

    def void(self) -> None:
        """The operator took the ball out and started the game again: the spin is not counted."""
        self.warn = 0
        self._skip = 0
        self._run = None
        self.open_bets()

    def _time(self, median: float, low: float, high: float) -> float:
        """A time with this median of which nine in ten lie between `low` and `high`."""
        spread = abs(self._scene.rng.gauss(0, 1)) / 1.645
        wide = (high - median) if self._scene.chance(0.5) else (low - median)
        return max(median + spread * wide, low * 0.8)
