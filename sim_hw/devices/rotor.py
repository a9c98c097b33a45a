"""A simulated rotor with an index mark and a quadrature encoder: it turns while time passes and its sensors follow.

Angles in revolutions, clockwise seen from above, 0 where the index mark stands at its sensor. Knows no ball.
"""

from __future__ import annotations

import math

from pitwatch.sim_hw.devices import ball
from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.scene import SECOND, Scene

SLOWS = ball.ROTOR_SLOWS / ball.TURN
"""rev/s² that a rotor left to itself loses."""
STOPS, STARTS = 0.9, 1.1
"""Seconds in which a hand stops a rotor and sends it the other way."""
INDEX_MS = 8.0


class Rotor:
    def __init__(self, scene: Scene, contacts: Contacts, pulses: int):
        self._scene = scene
        self._contacts = contacts
        self._quarters = 4 * pulses
        self._segments: list[tuple[int, float, float]] = []  # (ns of its start, rev/s then, rev/s² during)
        self._since = scene.t
        self._angle = 0.125 / pulses  # away from any edge
        self._speed = 0.0
        self._gain = 0.0
        self._quarter = 0
        contacts.edge("rotor-encoder", 1, scene.t)
        scene.running.append(self)

    def send(self, rpm: float, direction: int) -> None:
        """The dealer stops the rotor and sends it round at `rpm`, clockwise (1) or counter-clockwise (-1)."""
        t, fast = self._scene.t, direction * rpm / 60
        now = self.speed(t)
        self._segments = [
            (t, now, -now / STOPS),
            (t + int(STOPS * SECOND), 0.0, fast / STARTS),
            (t + int((STOPS + STARTS) * SECOND), fast, -direction * SLOWS),
        ]

    def speed(self, t: int) -> float:
        """rev/s at `t`, not before what was advanced to."""
        return self._speed + self._gain * (t - self._since) / SECOND

    def angle(self, t: int) -> float:
        seconds = (t - self._since) / SECOND
        return self._angle + self._speed * seconds + self._gain * seconds * seconds / 2

    def advance(self, t: int) -> None:
        """Turn until `t`, sensors and all."""
        while self._segments and self._segments[0][0] <= t:
            start, speed, gain = self._segments.pop(0)
            self._turn(start)
            self._angle, self._since, self._speed, self._gain = self.angle(start), start, speed, gain
        self._turn(t)

    def _turn(self, t: int) -> None:
        """Every quarter of an encoder pulse that is passed until `t`, in the present segment."""
        forward = (self._speed or self._gain) > 0
        while (at := self._time_of(self._quarter + 1 if forward else self._quarter)) is not None and at <= t:
            self._quarter += 1 if forward else -1
            self._sense(forward, at)

    def _time_of(self, quarter: int) -> int | None:
        """When the edge before `quarter` is reached in the present segment."""
        way = quarter / self._quarters - self._angle
        if self._gain == 0:
            seconds = way / self._speed if self._speed else -1.0
        else:
            inside = self._speed**2 + 2 * self._gain * way
            if inside < 0:
                return None
            root = math.sqrt(inside)
            seconds = (-self._speed + (root if (self._speed or self._gain) > 0 else -root)) / self._gain
        at = self._since + int(seconds * SECOND)
        return at if seconds >= 0 else None

    def _sense(self, forward: bool, at: int) -> None:
        """The sensors at an edge: channel A is active in the first two quarters, B in the second and third."""
        phase = self._quarter % 4
        crossed = phase if forward else (phase + 1) % 4
        if crossed in (0, 2):
            self._contacts.edge("rotor-encoder", 1 if phase in (0, 1) else 0, at)
        else:
            self._contacts.edge("rotor-encoder-b", 1 if phase in (1, 2) else 0, at)
        edge = self._quarter if forward else self._quarter + 1
        if edge % self._quarters == 0:
            self._contacts.edge("rotor-index", 1, at)
            self._contacts.edge("rotor-index", 0, at + int(INDEX_MS * 1e6))
