"""Simulated readers of tagged cards, one under each place: the lists that the board hears of a PN532 that it asks.

The chip is asked ten times a second and lists the two cards that were laid first. One that is lifted is missing from
three lists before it is gone. A card that the deck table does not have carries a tag of another deck.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitwatch.devices.pn532_host import EVERY, MISSED
from pitwatch.devices.protocols import pn532
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

DEVICE = "card_position", "pn532"

_ANOTHER_DECK = "04FFFFFFFF"


def tag_readers(table: SimTable) -> dict[str, SimDeviceSpec]:
    """The readers by the position of each."""
    found = (spec for spec in table.devices if (spec.type, spec.protocol) == DEVICE)
    return {spec.settings.get("place", "dealer"): spec for spec in found}


class TaggedPlace:
    """One reader. A card that is not read (None) is one whose tag does not answer."""

    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        deck: Mapping[str, str] = spec.settings.get("deck", {})
        self._tags: dict[str, list[str]] = {}
        for tag, card in deck.items():
            self._tags.setdefault(card, []).append(tag.replace(":", "").replace(" ", "").upper())
        self._there: list[str] = []
        self._told: list[str] = []
        self._last = scene.t
        scene.put_bytes(self._id, pn532.listed([]), scene.t)

    def lay(self, card: str | None, at: int) -> None:
        tag = next((each for each in self._of(card) if each not in self._there), None)
        if tag is not None:
            self._there.append(tag)
            self._list(at + EVERY)

    def lift(self, card: str | None, at: int) -> None:
        tag = next((each for each in self._of(card) if each in self._there), None)
        if tag is not None:
            self._there.remove(tag)
            self._list(at + MISSED * EVERY)

    def _of(self, card: str | None) -> list[str]:
        """The tags that a card of this kind may have."""
        return [] if card is None else self._tags.get(card, [_ANOTHER_DECK + card.encode().hex().upper()])

    def _list(self, t: int) -> None:
        """The next list after `t` that differs from the one before."""
        now = self._there[: pn532.MOST_TAGS]
        if now != self._told:
            self._told = now
            self._last = max(self._last + EVERY, t - t % EVERY)
            self._scene.put_bytes(self._id, pn532.listed(now), self._last)
