"""Simulated shoes that read each card as it leaves: one that sends lines of text, one that speaks the vocabulary."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from pitwatch.devices.protocols import card_lines
from pitwatch.sim_hw.devices.reporter import Reporter
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec

SHOWN = 12
"""Cards that came out last and may still lie on the table."""


class Shoe(Protocol):
    drawn: deque[tuple[str, str]]
    """The cards that came out, and where they went; the newest last."""

    def start(self, decks: int) -> None:
        """A fresh shoe is in place."""

    def draw(self, card: str, to: str) -> None:
        """A card leaves for a position."""

    def cut_card(self) -> None:
        """The cut card comes out."""


class LineShoe:
    """It does not know when a shoe begins nor where a card goes."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        self._codes = {card: code for code, card in card_lines.table(spec.settings.get("codes", "plain")).items()}
        self.drawn: deque[tuple[str, str]] = deque(maxlen=SHOWN)
        scene.devices[spec.id] = self

    def start(self, decks: int) -> None:
        self.drawn.clear()

    def draw(self, card: str, to: str) -> None:
        self.drawn.append((card, to))
        self._scene.put_bytes(self._id, card_lines.line(self._codes[card]))

    def cut_card(self) -> None:
        self._scene.put_bytes(self._id, card_lines.line(self._codes[card_lines.CUT]))


class ReportingShoe:
    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._reporter = Reporter(scene, spec)
        self.drawn: deque[tuple[str, str]] = deque(maxlen=SHOWN)
        scene.devices[spec.id] = self

    def start(self, decks: int) -> None:
        self.drawn.clear()
        self._reporter.say("shoe_started", decks=decks)

    def draw(self, card: str, to: str) -> None:
        self.drawn.append((card, to))
        self._reporter.say("card_drawn", card=card, to=to)

    def cut_card(self) -> None:
        self._reporter.say("cut_card_drawn")


def shoe_of(scene: Scene, spec: SimDeviceSpec) -> Shoe:
    """The shoe a device is. Raises KeyError for a protocol of which there is no simulation here."""
    kinds: dict[str, type[LineShoe] | type[ReportingShoe]] = {"card_lines": LineShoe, "ndjson": ReportingShoe}
    return kinds[spec.protocol](scene, spec)
