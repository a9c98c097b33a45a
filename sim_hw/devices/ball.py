"""How a roulette ball runs: on the rim, down the bowl, over the frets into a pocket of a turning rotor.

The model is put together from two publications:

- On the rim of a level wheel the ball slows by air drag and rolling friction, dΩ/dt = -(aΩ² + b): J.-I. Eichberger,
  "Roulette Physics" (2004), equation 1 without the tilt term.
- It leaves the rim when the track's slope can no longer hold it, rΩ² = g·tan(slope), then comes down with
  r̈ = rΩ² - g·tan(slope) until it meets the circle of deflectors; the pocket follows from the ball's angle less the
  rotor's at that moment: M. Small and C. K. Tse, "Predicting the outcome of roulette", Chaos 22, 033150 (2012).
  Both find that deflectors and frets spread the landing over much of the wheel; here that is a normal scatter.

Angles in radians along the ball's way, speeds in rad/s, times in seconds, lengths in metres. Knows no device.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

TURN = 2 * math.pi

GRAVITY = 9.807
TRACK_RADIUS = 0.356
"""Ball track of a 32-inch wheel."""
SLOPE = math.radians(28)
DEFLECTOR_RADIUS = 0.28
DRAG = 0.0035
"""`a`, 1/rad: air drag of an acetal ball, of the order that Eichberger's ball gives (cross-section, mass, radius)."""
FRICTION = 0.08
"""`b`, rad/s²: rolling friction; chosen so that a spin lasts as long as a real wheel's spins do."""
LEAVES_AT = math.sqrt(GRAVITY * math.tan(SLOPE) / TRACK_RADIUS)
"""Speed at which the ball leaves the rim: 3.83 rad/s, 1.64 s a revolution."""
ROTOR_SLOWS = 0.004
"""rad/s² that a freely turning rotor loses."""

_K = math.sqrt(FRICTION / DRAG)
_ROOT = math.sqrt(FRICTION * DRAG)


def time_between(fast: float, slow: float) -> float:
    """Seconds in which a ball on the rim slows from one speed to another."""
    return (math.atan(fast / _K) - math.atan(slow / _K)) / _ROOT


def angle_between(fast: float, slow: float) -> float:
    """Radians that a ball on the rim runs while it slows from one speed to another."""
    return math.log((DRAG * fast**2 + FRICTION) / (DRAG * slow**2 + FRICTION)) / (2 * DRAG)


def speed_after(speed: float, angle: float) -> float:
    """Speed of a ball on the rim `angle` further on."""
    return math.sqrt(((DRAG * speed**2 + FRICTION) * math.exp(-2 * DRAG * angle) - FRICTION) / DRAG)


def speed_before(seconds: float, slow: float = LEAVES_AT) -> float:
    """Speed from which a ball on the rim takes `seconds` to slow to `slow`."""
    return _K * math.tan(math.atan(slow / _K) + seconds * _ROOT)


def speed_for(revolutions: float) -> float:
    """Speed from which a ball runs this many revolutions on the rim before it leaves it."""
    return math.sqrt(((DRAG * LEAVES_AT**2 + FRICTION) * math.exp(2 * DRAG * revolutions * TURN) - FRICTION) / DRAG)


@dataclass(frozen=True)
class Run:
    """One ball's way. Times in seconds after `speed` was measured; angles along the ball's way from where that was."""

    speed: float
    rim_time: float
    rim_angle: float
    landed: float
    """When it lies in a pocket."""
    angle: float
    """Where on the bowl that was."""

    @property
    def revolutions(self) -> float:
        """Revolutions on the rim."""
        return self.rim_angle / TURN

    def time_at(self, angle: float) -> float:
        """When the ball, still on the rim, passed `angle`."""
        return time_between(self.speed, speed_after(self.speed, angle))

    def speed_at(self, seconds: float) -> float:
        """Speed after so many seconds; the rest of the way from the rim on is taken as even."""
        if seconds < self.rim_time:
            return _K * math.tan(math.atan(self.speed / _K) - seconds * _ROOT)
        return (self.angle - self.rim_angle) / (self.landed - self.rim_time) if seconds < self.landed else 0.0

    def way(self, seconds: float) -> float:
        """Radians run after so many seconds."""
        if seconds < self.rim_time:
            return angle_between(self.speed, self.speed_at(seconds))
        part = min(1.0, (seconds - self.rim_time) / (self.landed - self.rim_time))
        return self.rim_angle + (self.angle - self.rim_angle) * part


def run(rng: Random, speed: float) -> Run:
    """Let a ball run that has `speed` now, at least that at which it leaves the rim."""
    rim_time, rim_angle = time_between(speed, LEAVES_AT), angle_between(speed, LEAVES_AT)
    fall_time, fall_angle = _fall()
    scatter = rng.gauss(0, 0.25 * TURN)
    dances = rng.uniform(1.2, 3.6)
    return Run(speed, rim_time, rim_angle, rim_time + fall_time + dances, rim_angle + fall_angle + scatter)


def _fall(step: float = 0.005) -> tuple[float, float]:
    """(seconds, radians) from the rim to the deflectors, starting a hair below the speed that held the ball."""
    radius, inward, speed, angle, elapsed = TRACK_RADIUS, 0.0, LEAVES_AT * 0.995, 0.0, 0.0
    while radius > DEFLECTOR_RADIUS:
        inward += (GRAVITY * math.tan(SLOPE) - radius * speed**2) * step
        radius -= inward * step
        speed -= (DRAG * speed**2 + FRICTION) * step
        angle += speed * step
        elapsed += step
    return elapsed, angle


def pocket(order: tuple[str, ...], relative_angle: float) -> str:
    """The pocket at an angle on the rotor; `order` goes round the rotor in the sense of the angle."""
    return order[int(relative_angle % TURN / TURN * len(order)) % len(order)]
