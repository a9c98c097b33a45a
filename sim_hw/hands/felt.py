"""A hand that lays cards on the positions of a felt that reads them, and lifts them."""

from __future__ import annotations

from typing import Any

from pitwatch.sim_hw.devices.felt import Felt, readers
from pitwatch.sim_hw.hands.act import Act, Ask, CannotActError, Hand
from pitwatch.sim_hw.hands.cards import CARD, Deck
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

APART = 0.05
"""Seconds between two cards that are lifted."""


class FeltHand(Hand):
    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck):
        super().__init__(scene, table, spec)
        self._felt = Felt(scene, table)
        self._deck = deck

    def acts(self) -> tuple[Act, ...]:
        position = Ask("position", "position", tuple(readers(self.table)))
        return (
            Act("lay", "Lay a card", self._lay, (position, CARD)),
            Act("lift", "Lift the cards there", self._lift, (position,)),
            Act("unread", "Lay a card that the reader cannot read", self._unread, (position,)),
        )

    def picture(self) -> dict[str, Any]:
        return {
            "positions": list(readers(self.table)),
            "laid": {at: pile for at, pile in self.scene.laid.items() if pile},
        }

    def _lay(self, position: str, card: str) -> None:
        self._felt.lay(position, self._deck.draw(card))

    def _lift(self, position: str) -> None:
        pile = list(self.scene.laid.get(position, ()))
        if not pile:
            raise CannotActError(f"no card lies at {position}")
        self._felt.gather(position, pile, APART)

    def _unread(self, position: str) -> None:
        self._felt.lay(position, None)
