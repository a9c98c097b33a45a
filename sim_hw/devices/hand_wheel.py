"""A simulated roulette wheel with bare sensors: a rotor sent by hand, a ball on the rim, a reader over the pockets.

Angles in revolutions, clockwise seen from above; track sensor A and the pocket reader stand at 0. Knows no rule.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.wheel_pockets import order_of
from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.devices.rotor import Rotor
from pitwatch.sim_hw.devices.wheel_picture import running_ball
from pitwatch.sim_hw.scene import SECOND, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

BALL = 0.0206
"""Diameter of the ball in metres."""
READER = 0.008
"""Part of a revolution during which the ball darkens the pocket reader."""


class HandWheel:
    """The wheel; the dealer sends the rotor, spins the ball, and takes it out again."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self.lines = Contacts(scene, spec)
        self._sensors = {"track-a": 0.0, "track-b": spec.settings.get("sensor_angle", 90) / 360}
        self._order = order_of(spec.settings.get("wheel", "double-zero"))
        at_index = self._order.index(spec.settings.get("pocket_at_index", "0"))
        self._first = at_index / len(self._order)
        self._rotor = Rotor(scene, self.lines, spec.settings.get("encoder_pulses", 64))
        self.direction = scene.rng.choice((1, -1))
        self._where: float | None = None  # of the ball on the rotor, while it lies in a pocket
        self._read = 0
        self._last: str | None = None
        self._passes: list[tuple[float, str]] = []
        self._running: ball.Run | None = None
        scene.running.append(self)
        scene.devices[spec.id] = self

    def picture(self) -> dict[str, Any]:
        """The wheel as it is now; see `wheel_picture`."""
        t = self._scene.t
        rotor, turns = (self._rotor.angle(t) - self._first) % 1.0, self._rotor.speed(t)
        shown = None
        if self._where is not None:
            shown = {"place": "pocket", "at": (self._rotor.angle(t) + self._where) % 1.0, "turns": turns}
        elif self._running is not None:
            shown = running_ball(self._running, (t - self._begun) / SECOND, self._start, self._way)
        return {"order": self._order, "rotor": rotor, "turns": turns, "ball": shown, "last": self._last, "says": ""}

    def send_rotor(self) -> None:
        """The rotor is turned the other way; takes two seconds."""
        self.direction = -self.direction
        self._rotor.send(self._scene.rng.uniform(16, 24), self.direction)

    def spin(self, revolutions: float, *, with_rotor: bool = False) -> ball.Run:
        """The ball is spun against the rotor so that it stays on the rim for this many revolutions."""
        rng = self._scene.rng
        self._way = self.direction if with_rotor else -self.direction
        self._start = rng.random()
        self._run = self._running = ball.run(rng, ball.speed_for(revolutions))
        self._begun = self._scene.t
        self._passes = sorted(
            (round_ + self._way * (place - self._start) % 1.0, sensor)
            for sensor, place in self._sensors.items()
            for round_ in range(int(self._run.revolutions) + 1)
        )
        return self._run

    def advance(self, t: int) -> None:
        """The ball passes the sensors of the track until it leaves the rim, and the pocket reader once it lies."""
        while self._passes_left() and self._pass_time(self._passes[0][0]) <= t:
            way, sensor = self._passes.pop(0)
            speed = ball.speed_after(self._run.speed, way * ball.TURN)
            width = BALL / (ball.TRACK_RADIUS * speed) * SECOND
            at = self._pass_time(way)
            self.lines.edge(sensor, 1, at)
            self.lines.edge(sensor, 0, at + int(width))
        if self._where is not None:
            self._read_pocket(t)

    def _passes_left(self) -> bool:
        return bool(self._passes) and self._passes[0][0] < self._run.revolutions

    def _pass_time(self, way: float) -> int:
        return self._begun + int(self._run.time_at(way * ball.TURN) * SECOND)

    def drop(self) -> None:
        """The ball crosses the bowl."""
        self.lines.pulse("drop", self._scene.rng.uniform(8, 20))

    def land(self, pocket: str | None = None) -> str:
        """The ball comes to lie in a pocket; returns its number. `pocket`: the one it finds, instead of where its way
        leads."""
        stator = self._start + self._way * self._run.angle / ball.TURN
        on_rotor = (stator - self._rotor.angle(self._scene.t)) % 1.0
        number = pocket or ball.pocket(self._order, (on_rotor + self._first + 0.5 / len(self._order)) * ball.TURN)
        off_centre = self._scene.rng.uniform(-0.2, 0.2) / len(self._order)
        self._where = (self._order.index(number) / len(self._order) - self._first + off_centre) % 1.0
        self._read = self._scene.t
        self._last, self._running = number, None
        return number

    def take_out(self) -> None:
        """The ball is taken in hand, wherever it was."""
        self._passes = []
        self._where = self._running = None

    def _read_pocket(self, t: int) -> None:
        """The ball passes the reader when the rotor brings it to 0."""
        assert self._where is not None
        while True:
            speed = self._rotor.speed(self._read)
            if abs(speed) < 0.02:
                self._read = t
                return
            now = self._rotor.angle(self._read) + self._where
            gap = (-now) % 1.0 if speed > 0 else now % 1.0
            middle = self._read + int(gap / abs(speed) * SECOND)
            half = int(READER / 2 / abs(speed) * SECOND)
            if middle - half > t:
                return
            if middle - half > self._read:
                self.lines.edge("pocket", 1, middle - half)
                self.lines.edge("pocket", 0, middle + half)
            self._read = middle + 2 * half
