"""The cards of one hand of poker: the stub, what lies before each patron and on the board, what was burned or thrown
away. Knows no rule of the game: what is dealt to whom is for others to say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from pitwatch.rules.games.poker.streets import COMMUNITY
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.scene import Scene

BURN = "burn"


class Layout:
    """`order`: those dealt in, in the order of the deal; `live`: those of them still in the hand. `reads_down`: whether
    the felt reads cards that lie face down; if not they are read when they are turned."""

    def __init__(self, scene: Scene, felt: Felt, reads_down: bool, order: Sequence[str], stub: Iterable[str]):
        self._scene = scene
        self._felt = felt
        self._reads_down = reads_down
        self.order = list(order)
        self.live = list(order)
        self.stub = deque(stub)
        self.hands: dict[str, list[str]] = {seat: [] for seat in order}
        self._hidden: dict[str, list[str]] = {seat: [] for seat in order}
        self.board: list[str] = []
        self.burned: list[str] = []
        self.thrown: list[str] = []

    # -- from the stub

    def burn(self) -> None:
        card = self.stub.popleft()
        self.burned.append(card)
        self._felt.lay(BURN, card if self._reads_down else None)
        self._scene.pause(0.4, 0.9)

    def deal(self, seat: str, down: bool) -> None:
        """The next card to a hand, face down or up."""
        card = self.stub.popleft()
        self.hands[seat].append(card)
        hidden = down and not self._reads_down
        if hidden:
            self._hidden[seat].append(card)
        self._felt.lay(seat, None if hidden else card)

    def deal_to_board(self, after: float = 0.0) -> None:
        card = self.stub.popleft()
        self.board.append(card)
        self._felt.lay(COMMUNITY, card, after)

    # -- in patrons' hands

    def _face(self, seat: str, card: str) -> str | None:
        """A card as the felt reads it."""
        return None if card in self._hidden[seat] else card

    def throw(self, seat: str, card: str) -> None:
        """A patron gives back a card."""
        self._felt.lift(seat, self._face(seat, card))
        self.hands[seat].remove(card)
        if card in self._hidden[seat]:
            self._hidden[seat].remove(card)
        self.thrown.append(card)
        self._scene.wait(0.1)

    def peek(self, seat: str) -> None:
        """A patron lifts a card to look at it and lays it down again."""
        face = self._face(seat, self.hands[seat][0])
        self._felt.lift(seat, face)
        self._scene.pause(0.5, 2)
        self._felt.lay(seat, face)

    def show(self, seat: str) -> None:
        """Cards that could not be read face down are turned."""
        for card in list(self._hidden[seat]):
            self._felt.lift(seat, None)
            self._scene.pause(0.2, 0.4)
            self._felt.lay(seat, card)
            self._hidden[seat].remove(card)
        self._scene.pause(0.5, 1)

    # -- off the felt

    def take(self, seat: str) -> None:
        """All cards of a hand are taken from the felt."""
        self._felt.gather(seat, [self._face(seat, card) for card in self.hands[seat]])
        self.thrown += self.hands[seat]
        self._scene.wait(0.2)

    def collect(self) -> None:
        """The hands that are left, the board and the burned cards."""
        for seat in self.live:
            self.take(seat)
        self._felt.gather(COMMUNITY, self.board)
        self._felt.gather(BURN, [card if self._reads_down else None for card in self.burned])
