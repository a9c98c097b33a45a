"""Contacts, lamps and optics of a simulated device: levels with the bounce of real contacts, clean optical pulses.

Knows which lines the table has: acting on one that is not wired does nothing, as with a lamp nobody connected.
"""

from __future__ import annotations

from pitwatch.sim_hw.scene import MS, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

BOUNCE_MS = 3.0
"""A microswitch or relay has done with bouncing after this; the usual figure is 1 to 5 ms."""


class Contacts:
    """The lines of one device. Times in seconds from now."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self.id = spec.id
        self._levels = scene.levels.setdefault(spec.id, dict.fromkeys(spec.lines, 0))

    def has(self, line: str) -> bool:
        return line in self._levels

    def set(self, line: str, level: int, after: float = 0.0) -> None:
        """The contact closes (1) or opens (0), bouncing. Calls for one line come in order of time."""
        if self._levels.get(line, level) == level:
            return
        self._levels[line] = level
        scene = self._scene
        at = scene.t + int(after * 1000 * MS)
        scene.put_level(self.id, line, level, at)
        for _ in range(scene.rng.choice((0, 0, 1, 2, 3))):
            left = scene.t + int((after * 1000 + BOUNCE_MS) * MS) - at
            off = at + scene.rng.randrange(1, max(2, left // 3))
            at = off + scene.rng.randrange(1, max(2, left // 3))
            scene.put_level(self.id, line, 1 - level, off)
            scene.put_level(self.id, line, level, at)

    def press(self, line: str, seconds: float = 0.12, after: float = 0.0) -> None:
        """Close for `seconds`, then open: a key."""
        self.set(line, 1, after)
        self.set(line, 0, after + seconds)

    def pulse(self, line: str, milliseconds: float, after: float = 0.0) -> None:
        """A clean pulse: something passes an optic."""
        if line in self._levels:
            at = self._scene.t + int(after * 1000 * MS)
            self._scene.put_level(self.id, line, 1, at)
            self._scene.put_level(self.id, line, 0, at + int(milliseconds * MS))

    def edge(self, line: str, level: int, at: int) -> None:
        """A clean edge at `at` (ns)."""
        if line in self._levels:
            self._levels[line] = level
            self._scene.put_level(self.id, line, level, at)
