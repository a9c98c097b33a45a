"""The hands of a round on the layout: cards come to them from the shoe, part, change places, are taken in.

Knows no rule of the game: what may be done with a hand is for others to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwatch.rules.play.seats import DEALER, seat_of, seat_order
from pitwatch.sim_hw.dealers.blackjack.hand import Hand
from pitwatch.sim_hw.dealers.blackjack.shoe import ShoeInPlay
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.scene import Scene


class Layout:
    """`hands` in the order of the deal, those of a split behind them; `dealer` the dealer's own."""

    def __init__(self, scene: Scene, shoe: ShoeInPlay, felt: Felt, discard: Callable[[int], None]):
        self._scene = scene
        self._shoe = shoe
        self.felt = felt
        self._discard = discard
        self.clear(())

    def clear(self, positions: Sequence[str]) -> None:
        """A new round, with hands at these positions."""
        self.hands = [Hand(position) for position in positions]
        self.dealer = Hand(DEALER)
        self.unread: str | None = None
        """The dealer's hole card, if the felt could not read it."""

    def give(self, hand: Hand) -> None:
        """Draw a card to a hand."""
        card = self._shoe.draw(hand.position)
        hand.cards.append(card)
        self._scene.pause(0.3, 0.5)
        self.felt.lay(hand.position, None if hand is self.dealer and card == self.unread else card)
        self._scene.pause(0.4, 0.8)

    def turn_hole_card(self) -> None:
        """A hole card that could not be read is turned over and laid down again."""
        if self.unread is not None:
            self.felt.lay(DEALER, self.unread)

    def exchange(self, hand: Hand, beside: bool = False) -> None:
        """The cards go to the rack and two new ones are dealt; `beside`: before the old ones are gone."""
        old, hand.split = list(hand.cards), True
        if beside:
            self._give_two(hand)
        self.felt.gather(hand.position, old)
        self._discard(len(old))
        del hand.cards[: len(old)]
        if not beside:
            self._give_two(hand)

    def _give_two(self, hand: Hand) -> None:
        self.give(hand)
        self.give(hand)

    def switch(self, one: Hand, other: Hand, place: int) -> None:
        """The cards at this place of two hands change places: both are lifted, then laid (2815-2821)."""
        pair = (one, other)
        if self.felt.there:
            for hand in pair:
                self.felt.lift(hand.position, hand.cards[place])
                self._scene.pause(0.2, 0.4)
        one.cards[place], other.cards[place] = other.cards[place], one.cards[place]
        for hand in pair:
            hand.split = True
            if self.felt.there:
                self.felt.lay(hand.position, hand.cards[place])
                self._scene.pause(0.2, 0.4)
        self._scene.pause(0.5, 1)

    def part(self, hand: Hand) -> Hand:
        """The second card of a hand moves to a new hand of the seat, after all that are there. Returns the new one."""
        seat = seat_of(hand.position)
        number = len([each for each in self.hands if seat_of(each.position) == seat]) + 1
        new = Hand(f"{seat}/{number}", [hand.cards.pop()], split=True)
        hand.split = True
        self.hands.append(new)
        if self.felt.there:
            self.felt.lift(hand.position, new.cards[0])
            self._scene.pause(0.3, 0.6)
            self.felt.lay(new.position, new.cards[0])
        self._scene.pause(0.5, 1)
        return new

    def take_in(self, hand: Hand) -> None:
        """The cards of a hand leave the layout."""
        hand.out = True
        self.felt.gather(hand.position, hand.cards)
        self._scene.wait(0.3)

    def collect(self) -> None:
        """What still lies there, from the far right counter-clockwise (494); all cards of the round into the rack."""
        for hand in sorted(self.hands, key=lambda hand: seat_order(hand.position), reverse=True):
            if not hand.out:
                self.take_in(hand)
        self._discard(sum(len(hand.cards) for hand in (self.dealer, *self.hands)))
