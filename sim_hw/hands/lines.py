"""A hand at contacts, lamps and optics: keys are pressed, switches are turned, something passes an optic."""

from __future__ import annotations

from typing import Any

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.hands.act import Act, Ask, Hand
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

KEY, PASSES = 0.12, 25.0
"""Seconds that a key is held, milliseconds that something covers an optic."""
OPTICS = {"peek": ("hole-checked", "blackjack"), "discard_rack": ("card",), "shuffler": ("card-exit",)}
LEVEL = Ask("level", "level", ("1", "0"))
APART = 0.07
"""Seconds between two cards that go into the rack."""


class Lines(Hand):
    """Any device on lines: each line is a switch, or an optic that something passes."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec):
        super().__init__(scene, table, spec)
        self.contacts = Contacts(scene, spec)

    def picture(self) -> dict[str, Any]:
        return {"levels": dict(self.scene.levels[self.spec.id])}

    def acts(self) -> tuple[Act, ...]:
        return tuple(self._line(line) for line in self.spec.lines)

    def _line(self, line: str) -> Act:
        if line in OPTICS.get(self.spec.type, ()):
            return Act(f"pass:{line}", f"Pass {line}", lambda: self.contacts.pulse(line, PASSES))
        return Act(
            f"line:{line}", line, lambda level: self.contacts.set(line, int(level)), (LEVEL,), switch=line
        )  # fmt: skip


class Panel(Lines):
    """The dealer's panel: every line is a key."""

    def _line(self, line: str) -> Act:
        return Act(f"press:{line}", line.replace("-", " "), lambda: self.contacts.press(line, KEY))


class Rack(Lines):
    """The discard rack: cards go in one behind the other, or one sticks in the optic."""

    def acts(self) -> tuple[Act, ...]:
        cards = Ask("cards", "cards", low=1, high=60, usual=4)
        return (
            Act("discard", "Put cards into the rack", self._discard, (cards,), plays=True),
            Act("stick", "Let a card stick in the optic for 12 s", lambda: self.contacts.pulse("card", 12_000)),
            *super().acts(),
        )

    def _discard(self, cards: float) -> None:
        self.contacts.set("empty", 0)
        for number in range(int(cards)):
            self.contacts.pulse("card", PASSES, after=0.1 + number * APART)
        self.scene.wait(0.2 + cards * APART)
