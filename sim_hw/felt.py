"""Simulated card readers under the felt: they say which card was laid at a position or lifted from it."""

from __future__ import annotations

from devices.card_line_readers import CardLinePositions
from devices.protocols import card_lines
from sim_hw.scene import Scene
from sim_hw.table import SimDeviceSpec


class Felt:
    """Readers of one `card_lines` device; a position without a reader says nothing."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        default = CardLinePositions.SETTINGS["channels"][0]
        channels: dict[str, str] = spec.settings.get("channels", default)
        self._channels = {position: channel for channel, position in channels.items()}
        codes = card_lines.table(spec.settings.get("codes", "plain"))
        self._codes = {card: code for code, card in codes.items()}

    def lay(self, position: str, card: str | None, after: float = 0.0) -> None:
        self._say(position, card, removed=False, after=after)

    def lift(self, position: str, card: str | None, after: float = 0.0) -> None:
        self._say(position, card, removed=True, after=after)

    def _say(self, position: str, card: str | None, removed: bool, after: float) -> None:
        channel = self._channels.get(position)
        if channel is not None:
            data = card_lines.line(self._codes[card], channel, removed)
            self._scene.put_bytes(self._id, data, self._scene.t + int(after * 1e9))
