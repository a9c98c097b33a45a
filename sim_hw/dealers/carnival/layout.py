"""The packets on the layout: laid, put at the wrong seat, turned, burned, taken in. Knows no rule of the game."""

from __future__ import annotations

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY
from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.carnival.cards import Cards
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene

BURN = "burn"


class Layout:
    """`laid`: positions whose packets lie there, in the order in which they were dealt."""

    def __init__(self, scene: Scene, felt: Felt, seats: Seats, cards: Cards):
        self._scene = scene
        self._felt = felt
        self._seats = seats
        self._cards = cards
        self.laid: list[str] = []
        self._burned: list[str] = []

    def clear(self) -> None:
        """Nothing lies there before the deal."""
        self.laid = []
        self._burned = []

    def _spot(self, position: str) -> str:
        """Where the cards of a position lie: those of the player who banks at that player's seat."""
        return self._seats.banker if position == DEALER and self._seats.banker is not None else position

    def lay(self, position: str, at: str | None = None) -> None:
        """The packet of a position, there or at another."""
        if not self._felt.there:
            return
        for number, card in enumerate(self._cards.piles[position]):
            self._felt.lay(self._spot(at or position), card, after=number * 0.04)
        self._scene.wait(0.3)

    def lay_astray(self, position: str) -> None:
        """At a seat without a wager; the dealer sees it and moves the packet where it belongs."""
        wrong = self._scene.rng.choice(self._seats.empty)
        self.lay(position, wrong)
        self._scene.pause(1, 3)
        self._felt.gather(wrong, self._cards.piles[position])
        self._scene.wait(0.5)
        self.lay(position)

    def burn(self, cards: int) -> None:
        """The bottom card of those for the board is burned (3323)."""
        for _ in range(cards):
            card = self._cards.piles[COMMUNITY].pop()
            self._burned.append(card)
            self._felt.lift(COMMUNITY, card)
            self._felt.lay(BURN, card, after=0.6)
            self._scene.pause(1, 2)

    def turn(self, cards: list[str]) -> None:
        """Community cards are turned over."""
        for card in cards:
            self._felt.lift(COMMUNITY, card)
            self._felt.lay(COMMUNITY, card, after=0.4)
            self._scene.wait(0.6)

    def collect(self) -> int:
        """The cards are taken in from the dealer's right. Returns how many."""
        taken = len(self._burned)
        for position in reversed(self.laid):
            pile = self._cards.piles[position]
            taken += len(pile)
            self._felt.gather(self._spot(position), pile)
            self._scene.pause(0.2, 0.6)
        for card in self._burned:
            self._felt.lift(BURN, card)
        return taken
