"""Simulated card readers under the felt: they say which card was laid at a position or lifted from it."""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.devices.card_line_readers import CardLinePositions
from pitwatch.devices.protocols import card_lines
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

DEVICE = "card_position", "card_lines"


def readers(table: SimTable) -> dict[str, str]:
    """The channels of the readers by the position of each."""
    spec = table.of(*DEVICE)
    if spec is None:
        return {}
    default: dict[str, str] = CardLinePositions.SETTINGS["channels"][0]
    return {position: channel for channel, position in spec.settings.get("channels", default).items()}


class Felt:
    """The readers of the table's `card_lines` device; a position without a reader says nothing, nor does a table
    without the device."""

    def __init__(self, scene: Scene, table: SimTable):
        self._scene = scene
        self._channels = readers(table)
        spec = table.of(*DEVICE)
        self.there = spec is not None
        if spec is not None:
            self._id = spec.id
            codes = card_lines.table(spec.settings.get("codes", "plain"))
            self._codes = {card: code for code, card in codes.items()}

    def lay(self, position: str, card: str | None, after: float = 0.0) -> None:
        self._scene.laid.setdefault(position, []).append(card)
        self._say(position, card, removed=False, after=after)

    def lift(self, position: str, card: str | None, after: float = 0.0) -> None:
        pile = self._scene.laid.get(position, [])
        if card in pile:
            pile.remove(card)
        self._say(position, card, removed=True, after=after)

    def gather(self, position: str, cards: Sequence[str | None], apart: float = 0.05) -> None:
        """Lift cards one after the other, so many seconds apart; at a table without the device that takes no time."""
        if self.there:
            for card in cards:
                self.lift(position, card)
                self._scene.wait(apart)

    def _say(self, position: str, card: str | None, removed: bool, after: float) -> None:
        channel = self._channels.get(position)
        if channel is not None:
            data = card_lines.line(self._codes[card], channel, removed)
            self._scene.put_bytes(self._id, data, self._scene.t + int(after * 1e9))
