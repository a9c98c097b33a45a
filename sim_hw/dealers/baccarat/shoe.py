"""The shoe that a simulated baccarat table is dealt from: its cards, the cut card among them, the burned ones.

Knows no hand: the dealer says where a card goes.
"""

from __future__ import annotations

from pitwatch.rules.game import Game
from pitwatch.rules.play.cards import JOKER
from pitwatch.sim_hw.dealers.cards import CUT_CARD_FROM_BACK, Stack
from pitwatch.sim_hw.devices.angel_eye import AngelEyeShoe
from pitwatch.sim_hw.scene import Scene


def figure(game: Game, name: str, default: int) -> int:
    """A figure of the book; `default` if it has none of that name."""
    found = game.figures.get(name)
    return default if found is None else int(found.value)


class ShoeInPlay:
    """`stack` is what is in it; `burned` the cards that were; `rounds_left` how many the cut card leaves, None until it
    is out."""

    def __init__(self, scene: Scene, game: Game, decks: int, device: AngelEyeShoe):
        self._scene = scene
        self._device = device
        self._decks = decks
        self._burn: dict[str, int] = game.tables.get("burn", {})
        self._after_cut_card = figure(game, "rounds-after-cut-card", 0)
        self._when_cut_card_first = figure(game, "rounds-when-cut-card-first", 1)
        self.stack: Stack
        self.burned: set[str] = set()
        self.rounds_left: int | None = None

    def give_up(self) -> None:
        """No more is dealt from it: without a first card only the cut card shows that the shoe is emptied."""
        if self.stack.before_cut and not self._burn:
            self._device.cut_card()

    def fill(self, wrongly: bool) -> int:
        """Fill the shoe; where the book says so, turn its first card and burn as many as it is worth, or `wrongly` one
        more or less. Returns how many cards came out."""
        scene, device = self._scene, self._device
        self.stack = Stack(scene.rng, self._decks, CUT_CARD_FROM_BACK)
        self.rounds_left = None
        self.burned = set()
        scene.pause(5, 10)
        device.start()
        scene.pause(3, 6)
        if not self._burn:
            return 0
        first = self.stack.draw()
        self.burned.add(first)
        count = self._burn.get(first[0], 0)
        device.first_card(first)
        scene.pause(0.8, 1.2)
        device.burn_count(count)
        if wrongly:
            count += scene.rng.choice((-1, 1))
        for number in range(count):
            scene.pause(0.8, 1.3)
            self.burn(number + 1)
        scene.pause(1, 2)
        return 1 + count

    def burn(self, number: int) -> None:
        """The next card goes to no hand."""
        card = self.stack.draw()
        self.burned.add(card)
        self._device.card("burn", min(number, 10), card)

    def draw(self, hand: str, number: int, joker: bool, in_round: bool) -> str:
        """The next card, to a hand that has it as its `number`th; the cut card, if it comes now, before it."""
        self.look_for_cut_card(in_round)
        card = self.stack.draw()
        if joker:
            self._device.no_card()
            return JOKER
        self._device.card(hand, number, card)
        return card

    def look_for_cut_card(self, in_round: bool) -> None:
        """Where the book does not say how many rounds the cut card leaves, the house deals no more after the next."""
        if not self.stack.cut_card_next():
            return
        self._device.cut_card()
        self.rounds_left = self._after_cut_card + 1 if in_round else self._when_cut_card_first
        self._scene.pause(2, 4)
