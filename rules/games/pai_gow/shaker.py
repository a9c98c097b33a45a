"""The shaker of pai gow: shaken as often as the document asks before the tiles or cards are delivered.

Figure of the book: `shakes-at-least`. Knows no card.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk

RULE = "shaker-under-shaken"


class Shaker:
    def __init__(self, desk: Desk):
        figure = desk.game.figures.get("shakes-at-least")
        self._desk = desk
        self._due: int = figure.value if figure is not None else 0
        self._devices = {device.id for device in desk.table.devices if device.type == "dice"}
        self._shakes: list[tuple[int, int]] = []
        """How often it was shaken, and the journal sequence of that report."""
        self._closing_shake_due = False

    def shaken(self, shakes: int) -> None:
        """After the delivery the shaker is closed and shaken once more: that shake is not the next round's."""
        if self._closing_shake_due and shakes <= 1:
            self._closing_shake_due = False
            return
        self._shakes.append((shakes, self._desk.seq))

    def delivered(self) -> None:
        self._closing_shake_due = self._due > 0

    def unwatched(self, device: str) -> None:
        if device in self._devices:
            self._shakes = []

    def judge(self) -> None:
        """The dice are read, or the delivery begins: it was shaken for the last time."""
        shakes, self._shakes = self._shakes, []
        count = sum(shaken for shaken, _ in shakes)
        if shakes and count < self._due:
            self._desk.breach(RULE, {"shakes": count}, {"at_least": self._due}, [seq for _, seq in shakes])
