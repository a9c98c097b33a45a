"""A simulated wheel that is spun by hand, with a Mercury 360 in its rim: a status line twice a second.

The ball and the rotor move as in `hand_wheel`; the reader shows of them what its guide says. Knows no rule.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.cammegh_wheel import BALL_IN_RIM, NO_MORE_BETS, PLACE_BETS, RESULT
from pitwatch.devices.protocols import cammegh
from pitwatch.devices.protocols import mercury360 as wire
from pitwatch.devices.wheel_pockets import order_of
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.wheel_picture import resting_ball, running_ball
from pitwatch.sim_hw.scene import MS, SECOND, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

EVERY = 500 * MS
BEFORE_GAME = 1
CALLS_AT = 40.0
"""Revolutions a minute of the ball below which the reader says no more bets."""
SLOWS = 0.4
"""Tenths of an rpm a second that the rotor loses."""


class MercuryWheel:
    """The dealer sends the rotor, spins the ball and takes it out again; the reader follows."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self.id = spec.id
        self._extended = spec.settings.get("mode", "advanced") == "extended"
        self._order = order_of(spec.settings.get("wheel", "double-zero"))
        self._state = BEFORE_GAME
        self._count = 0
        self._last: str | None = None
        self.warn = 0
        self.direction = scene.rng.randrange(2)
        self._speed = scene.rng.uniform(160, 240)
        self._rotor = scene.rng.uniform(0, ball.TURN)
        self._run: ball.Run | None = None
        self._where = 0.0
        self._begun = 0
        self._way = 0
        self._spins = 0
        self._resting: str | None = None
        self._in_wheel = False
        self._seen = 0.0  # of the rotor from above, revolutions clockwise
        self._said = self._moved = scene.t
        scene.running.append(self)
        scene.devices[spec.id] = self

    def picture(self) -> dict[str, Any]:
        """The wheel as it is now; see `wheel_picture`."""
        seconds, turns = (self._scene.t - self._moved) / SECOND, self._turns()
        rotor = (self._seen + turns * seconds) % 1.0
        shown = None
        if self._run is not None:
            since, way = (self._scene.t - self._begun) / SECOND, -1 if self._way else 1
            shown = running_ball(self._run, since, self._where / ball.TURN, way)
        elif self._resting is not None:
            shown = resting_ball(rotor, turns, self._order, self._resting)
        says = {BEFORE_GAME: "before the game", PLACE_BETS: "place bets", BALL_IN_RIM: "ball in rim",
                NO_MORE_BETS: "no more bets", RESULT: "result"}  # fmt: skip
        return {
            "order": self._order, "rotor": rotor, "turns": turns, "ball": shown, "last": self._last,
            "says": says[self._state],
        }  # fmt: skip

    # --- what the dealer does

    def send_rotor(self) -> None:
        """The ball is out, the rotor goes the other way: bets are open."""
        self._move(self._scene.t)
        self.direction = 1 - self.direction
        self._speed = self._scene.rng.uniform(160, 240)
        self._state, self._spins, self.warn = PLACE_BETS, 0, 0

    def spin(self, revolutions: float, *, with_rotor: bool = False) -> ball.Run:
        """The ball is spun so that it stays in the track for this many revolutions."""
        self._run = ball.run(self._scene.rng, ball.speed_for(revolutions))
        self._begun, self._where = self._scene.t, self._scene.rng.uniform(0, ball.TURN)
        self._way = self.direction if with_rotor else 1 - self.direction
        self._in_wheel, self._resting = True, None
        return self._run

    def land(self, *, misread: bool = False, skip: int = 0, pocket: str | None = None) -> str:
        """The ball lies in a pocket: the number, then the state; returns the pocket.

        `misread`: the bare number is another one. `skip`: games that the counter counts besides. `pocket`: the one it
        finds, instead of the one that its way leads to."""
        assert self._run is not None
        self._move(self._scene.t)
        number = pocket or ball.pocket(self._order, self._where + self._run.angle + self._rotor)
        self._resting, self._run = number, None
        if self._state == NO_MORE_BETS:
            shift = self._scene.rng.randrange(1, len(self._order)) if misread else 0
            told = self._order[(self._order.index(number) + shift) % len(self._order)]
            self._scene.put_bytes(self.id, cammegh.result_line(told))
            self._state, self._last = RESULT, number
            self._count = (self._count + 1 + skip) % 256
        return number

    def take_out(self) -> None:
        """The ball is taken in hand, wherever it was."""
        self._run = self._resting = None
        self._in_wheel = False

    # --- what the reader says

    def advance(self, t: int) -> None:
        """Say a status line each half second up to `t`."""
        while self._said <= t:
            self._move(self._said)
            self._scene.put_bytes(self.id, self._line(self._said), max(self._said, self._scene.t))
            self._said += EVERY

    def _move(self, t: int) -> None:
        """The rotor turns on up to `t`."""
        seconds = (t - self._moved) / SECOND
        self._moved = t
        self._speed = max(100.0, self._speed - SLOWS * seconds)
        self._rotor += self._speed / 600 * ball.TURN * seconds
        self._seen += self._turns() * seconds

    def _turns(self) -> float:
        """Revolutions a second, clockwise."""
        return self._speed / 600 * (-1 if self.direction else 1)

    def _line(self, t: int) -> bytes:
        lap = self._lap(t)
        if self._run is not None and self._state == PLACE_BETS and self._spins:
            self._state = BALL_IN_RIM
            self.warn |= wire.SAME_DIRECTION if self._way == self.direction else 0
        if self._state == BALL_IN_RIM and lap and 60 / lap < CALLS_AT and not self.warn & wire.SAME_DIRECTION:
            self._state = NO_MORE_BETS
        line = wire.advanced_line(self._state, self._count, self._last, self.warn, int(self._speed), self.direction)
        if not self._extended:
            return line
        flags = 0x20 if self.direction else 0x10
        flags |= 0x02 | (wire.BALL_IN_POCKET if self._resting else 0) | (0 if self._in_wheel else wire.NO_BALL)
        if lap is None:
            way, time = None, None
        else:
            way, time = self._way, int(lap * wire.LAP)
        where = None if self._resting is None else cammegh.win_field(self._resting)
        return wire.extended_line(line, wire.Track(flags, self._spins, way, time, where))

    def _lap(self, t: int) -> float | None:
        """Seconds of the ball's last whole revolution, None if no ball is in the track; counts revolutions.

        That it left the track shows only as its next pass stays out."""
        run = self._run
        if run is None:
            return None
        elapsed, whole = (t - self._begun) / SECOND, 0
        while (whole + 1) * ball.TURN <= run.rim_angle and run.time_at((whole + 1) * ball.TURN) <= elapsed:
            whole += 1
        self._spins = max(self._spins, whole)
        if not whole:
            return None
        lap = run.time_at(whole * ball.TURN) - run.time_at((whole - 1) * ball.TURN)
        return lap if elapsed < run.time_at(whole * ball.TURN) + 1.4 * lap else None
