"""The patrons' turns: hand after hand is exchanged, switched, split or drawn to, and what goes wrong in that.

What a patron wants is for `Patrons`; only the first hand that was dealt has anything done wrong to it.
"""

from __future__ import annotations

from pitwatch.rules.play.seats import seat_of, seat_order
from pitwatch.sim_hw.dealers.blackjack.faults import CHART
from pitwatch.sim_hw.dealers.blackjack.hand import Hand, Worth
from pitwatch.sim_hw.dealers.blackjack.layout import Layout
from pitwatch.sim_hw.dealers.blackjack.patrons import Patrons
from pitwatch.sim_hw.scene import Scene

WRONG_EXCHANGES = ("invalid-zappit", "second-zappit", "zappit-cards-not-discarded")
WRONG_SPLITS = ("split-unequal-values", "split-too-often")
ONE_CARD_MORE = ("player-drew-on-21", "too-many-cards", CHART)


class PatronsTurns:
    """`spots`: hands that a seat is dealt."""

    def __init__(self, scene: Scene, layout: Layout, patrons: Patrons, worth: Worth, spots: int):
        self._scene = scene
        self._layout = layout
        self._patrons = patrons
        self._worth = worth
        self._spots = spots

    def too_early(self, fault: str | None) -> None:
        """What a patron may do only once the dealer has looked for a blackjack."""
        hands = self._layout.hands
        if fault == "zappit-before-dealer-check":
            self._layout.exchange(hands[0])
        elif fault == "switch-before-dealer-check":
            self._layout.switch(hands[0], hands[1], 1)

    def play(self, fault: str | None) -> None:
        first = self._layout.hands[0]
        for hand in self._in_turn():
            if hand.out:
                continue
            if fault is None:
                self._may_switch(hand)
            elif fault == "switch-not-second-cards" and hand is first:
                self._switch_first_cards(hand)
            self._act(hand, fault if hand is first else None)

    def _in_turn(self) -> list[Hand]:
        """The hands as they act: seat after seat as they were dealt to, of a seat the left one first."""
        hands = self._layout.hands
        seats = list(dict.fromkeys(seat_of(hand.position) for hand in hands))
        return sorted(hands, key=lambda hand: (seats.index(seat_of(hand.position)), seat_order(hand.position)))

    def _act(self, hand: Hand, fault: str | None) -> None:
        """A patron plays a hand to its end."""
        layout = self._layout
        if self._patrons.split(hand) or fault in WRONG_SPLITS:
            self._split(hand, fault)
            return
        if fault in WRONG_EXCHANGES or (fault is None and self._patrons.exchange(hand)):
            layout.exchange(hand, beside=fault == "zappit-cards-not-discarded")
            if fault == "second-zappit":
                layout.exchange(hand)
        if fault == "wrong-card-count-dealer":
            layout.give(hand)
            layout.give(hand)
        while self._patrons.want_a_card(hand, layout.dealer.cards[0]):
            self._scene.pause(0.5, 2)
            layout.give(hand)
        if fault in ONE_CARD_MORE:
            layout.give(hand)
        if self._worth.bust(hand):
            self._scene.pause(0.5, 1)
            layout.take_in(hand)

    # -- switches

    def _may_switch(self, hand: Hand) -> None:
        """With the first hand of a seat it is decided whether it is switched with the second."""
        if self._spots < 2 or "/" in hand.position:
            return
        one, other = self._both(hand)
        ready = not any(each.out or self._worth.natural(each) or not self._worth.known(each) for each in (one, other))
        if ready and self._patrons.switch():
            self._layout.switch(one, other, 1)

    def _switch_first_cards(self, hand: Hand) -> None:
        if self._spots > 1 and "/" not in hand.position:
            self._layout.switch(*self._both(hand), 0)

    def _both(self, hand: Hand) -> tuple[Hand, Hand]:
        """The two hands that the seat was dealt."""
        one, other = [each for each in self._layout.hands if seat_of(each.position) == hand.position][:2]
        return one, other

    # -- splits

    def _split(self, hand: Hand, fault: str | None) -> None:
        """A pair becomes two hands; the first gets its second card and is completed before the next (165)."""
        limit = self._patrons.split_limit(hand.cards[0]) + (1 if fault == "split-too-often" else 0)
        aces = hand.cards[0][0] == "A"
        give, part = self._layout.give, self._layout.part
        family = [hand, part(hand)]
        at = 0
        while at < len(family):
            this = family[at]
            if fault == "split-order" and at == 0:
                give(family[1])
            if len(this.cards) < 2:
                give(this)
            pair = this.cards[0][0] == this.cards[1][0]
            if pair and not aces and len(family) < limit and self._layout.felt.there:
                family.append(part(this))
                continue
            if not aces:
                self._act(this, None)
            elif fault == "split-aces-one-card" and at == 0:
                give(this)
            at += 1
