"""Simulated card readers under the felt: they say which card was laid at a position or lifted from it."""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.devices.card_line_readers import CardLinePositions
from pitwatch.devices.protocols import card_lines
from pitwatch.sim_hw.devices.tags import TaggedPlace, tag_readers
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

DEVICE = "card_position", "card_lines"


def read_places(table: SimTable) -> set[str]:
    """The positions that have a reader."""
    return {*readers(table), *tag_readers(table)}


def readers(table: SimTable) -> dict[str, str]:
    """The channels of the readers of printed cards by the position of each."""
    spec = table.of(*DEVICE)
    if spec is None:
        return {}
    default: dict[str, str] = CardLinePositions.SETTINGS["channels"][0]
    return {position: channel for channel, position in spec.settings.get("channels", default).items()}


class Felt:
    """The readers of the table's `card_lines` device and its readers of tagged cards; a position without a reader says
    nothing, nor does a table without such devices."""

    def __init__(self, scene: Scene, table: SimTable):
        self._scene = scene
        self._channels = readers(table)
        self._tagged = {place: TaggedPlace(scene, each) for place, each in tag_readers(table).items()}
        spec = table.of(*DEVICE)
        self.there = spec is not None or bool(self._tagged)
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
        at = self._scene.t + int(after * 1e9)
        tagged, channel = self._tagged.get(position), self._channels.get(position)
        if tagged is not None:
            (tagged.lift if removed else tagged.lay)(card, at)
        elif channel is not None:
            self._scene.put_bytes(self._id, card_lines.line(self._codes[card], channel, removed), at)
