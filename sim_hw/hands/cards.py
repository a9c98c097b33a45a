"""The cards in a person's hand: by chance from shuffled decks, or as somebody wants them."""

from __future__ import annotations

from pitwatch.rules.play.cards import DECK
from pitwatch.sim_hw.dealers.cards import Stack
from pitwatch.sim_hw.hands.act import BY_CHANCE, Ask, CannotActError
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

CARD = Ask("card", "card", (BY_CHANCE, *sorted(DECK)))


class Deck:
    """As many decks as the house chose; shuffled when they are used up, or by `shuffle`."""

    def __init__(self, scene: Scene, table: SimTable):
        self._rng = scene.rng
        figure = table.game.figures.get("decks")
        self._decks = int(table.options.get("decks") or (figure.value if figure is not None else 1))
        self._stack: Stack | None = None

    def shuffle(self) -> None:
        self._stack = None

    def draw(self, wish: str = BY_CHANCE) -> str:
        """A card. Raises CannotActError for one that is not there any more."""
        if self._stack is None or not self._stack.left:
            self._stack = Stack(self._rng, self._decks, None)
        if wish != BY_CHANCE:
            try:
                self._stack.want(0, wish)
            except ValueError as error:
                raise CannotActError(f"{error}; shuffle first") from None
        return self._stack.draw()
