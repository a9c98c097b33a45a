"""The shoe that a simulated blackjack table is dealt from: its cards, the cut card among them, the burned ones.

Knows no hand: it says where a card goes as it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.sim_hw.dealers.cards import Stack
from pitwatch.sim_hw.devices.shoes import Shoe
from pitwatch.sim_hw.scene import Scene

CUT_FROM_BACK = 78
"""A deck and a half of six or eight decks behind the cut card."""
CUT_FROM_BACK_OF_FEW = 15
"""Of one or two decks."""
ENOUGH = 40
"""The house reshuffles while so many cards lie before the cut card, for each hand of a seat: it then never comes out in
a round (449)."""


class ShoeInPlay:
    """`stack` is what is in it; `fresh` until the first round is dealt from it; `burned` the cards that were."""

    def __init__(self, scene: Scene, game: Game, options: Mapping[str, Any], device: Shoe):
        self._scene = scene
        self._device = device
        figures = {name: figure.value for name, figure in game.figures.items()}
        self._decks = int(options.get("decks") or figures["decks"])
        self._left_out, self._jokers = str(figures.get("ranks-left-out", "")), int(figures.get("jokers", 0))
        self._enough = ENOUGH * int(figures.get("hands-a-seat", 1))
        self.each_round = game.tables.get("deck-lasts") == "round"
        self.stack: Stack
        self.fresh = True
        self.burned: set[str] = set()

    def fill(self) -> None:
        """All cards go in, shuffled; the cut card with them, unless they are shuffled for each round."""
        cut = None if self.each_round else CUT_FROM_BACK if self._decks > 2 else CUT_FROM_BACK_OF_FEW
        self.stack = Stack(self._scene.rng, self._decks, cut, self._left_out, self._jokers)
        self.fresh = True
        self.burned = set()
        self._scene.pause(5, 10)
        self._device.start(self._decks)
        self._scene.pause(1, 2)

    def lasts(self, rounds: int = 1) -> bool:
        """Whether so many rounds can be dealt before the cut card; none where the cards are shuffled for each."""
        return self.stack.before_cut >= rounds * self._enough

    def draw(self, to: str) -> str:
        """The next card, to a position; the cut card, if it comes now, before it."""
        if self.stack.cut_card_next():
            self._device.cut_card()
            self._scene.pause(1, 3)
        card = self.stack.draw()
        self._device.draw(card, to)
        return card

    def burn(self) -> None:
        """The next card goes to no hand."""
        card = self.stack.draw()
        self.burned.add(card)
        self._device.draw(card, "burn")
        self._scene.pause(0.8, 1.5)

    def cut_card_first(self) -> None:
        """The cut card is what comes out next."""
        self.stack.move_cut_card(0)
        self.stack.cut_card_next()
        self._device.cut_card()
        self._scene.pause(2, 5)
