"""A simulated batch shuffler seen through its contacts: motor, lamps, tray. Times in seconds."""

from __future__ import annotations

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.scene import Scene


class BatchShuffler:
    """Takes all cards, shuffles and counts them, gives them back."""

    def __init__(self, scene: Scene, lines: Contacts):
        self._scene = scene
        self.lines = lines

    def insert(self) -> None:
        self.lines.set("tray", 1)
        self._scene.pause(2, 4)

    def run(self, seconds: float) -> None:
        """The motor runs, then stops; the cards are not out yet."""
        self.lines.set("motor", 1)
        self._scene.wait(seconds)
        self.lines.set("motor", 0)
        self._scene.pause(0.3, 0.8)

    def verdict(self, good: bool) -> None:
        """The count lamp: the machine counted a full set of cards, or did not."""
        self.lines.set("count-ok" if good else "count-bad", 1)
        self._scene.pause(1, 3)

    def jam(self) -> None:
        """The motor is blocked and the jam lamp lights; somebody opens the machine and clears it."""
        self.lines.set("jam", 1)
        self.lines.set("motor", 0, after=0.2)
        self._scene.pause(4, 10)
        self.lines.set("door", 1)
        self._scene.pause(5, 20)
        self.lines.set("door", 0)
        self.lines.set("jam", 0, after=0.5)
        self._scene.wait(1)

    def remove(self) -> None:
        for lamp in ("count-ok", "count-bad", "tray"):
            self.lines.set(lamp, 0)
        self._scene.pause(1, 2)
