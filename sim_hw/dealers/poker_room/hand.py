"""One hand of poker from the first street to the showdown: street, betting, street; or the document's way out where the
stub runs short.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.bad_beat import BadBeat
from pitwatch.rules.games.poker.streets import COMMUNITY, Streets
from pitwatch.sim_hw.dealers.dealer import Dealer
from pitwatch.sim_hw.dealers.poker_room.breach import Breach
from pitwatch.sim_hw.dealers.poker_room.deal import Deal
from pitwatch.sim_hw.dealers.poker_room.layout import Layout
from pitwatch.sim_hw.dealers.poker_room.patrons import Patrons


class Hand:
    """`dealer` presses the panel's keys."""

    def __init__(
        self, dealer: Dealer, streets: Streets, layout: Layout, patrons: Patrons, breach: Breach, bad_beat: BadBeat
    ):
        self._dealer = dealer
        self._scene = dealer.scene
        self._streets = streets
        self._layout = layout
        self._patrons = patrons
        self._breach = breach
        self._bad_beat = bad_beat
        self._deal = Deal(dealer, streets, layout, breach)

    def play(self) -> None:
        scene = self._scene
        self._patrons.bet()
        scene.pause(1, 4)
        self._dealer.key("no_more_bets")
        scene.pause(0.5, 1.5)
        for index in range(len(self._streets.all)):
            if len(self._layout.live) < 2 or not self._street(index):
                break
        self._finish()

    def _street(self, index: int) -> bool:
        """Deal one street and let the patrons bet; returns whether the hand goes on. Before a draw patrons discard: at
        once, or before the board card that is dealt ahead of it, and then the betting waits for the draw."""
        street = self._streets[index]
        next_draw = self._streets.next_draw(index) if street.to == COMMUNITY else None
        if street.draw:
            if index == 1 or self._streets[index - 1].to != COMMUNITY:
                self._patrons.discard(index)
            self._deal.draw(index, self._patrons.gave_back)
        else:
            if next_draw is not None:
                self._patrons.discard(next_draw)
            if not self._deal.suffices(street):
                self._short_stub(index)
                return False
            self._deal.burn(index)
            self._deal.street(index)
        if next_draw is None:
            self._bet(index)
        return True

    def _bet(self, index: int) -> None:
        """The patrons bet; the betting is called complete, but for the fault."""
        self._patrons.act(index)
        if self._breach.uncalled(self._streets.next_dealt(index)):
            return
        if self._breach.rule is None and index == self._streets.last:
            self._patrons.fold_jackpots(self._bad_beat)
        if len(self._layout.live) > 1:
            self._dealer.key("no_more_bets")
        self._scene.pause(0.3, 1)

    def _short_stub(self, index: int) -> None:
        """Seventh street: shuffle the burn cards in, burn one and deal, or turn one card for everybody."""
        layout, street = self._layout, self._streets[index]
        for _ in range(street.burn or 0):
            if street.needs_burn and len(layout.stub) > 1:
                layout.burn()
        enough = len(layout.stub) + len(layout.burned) - 1 >= len(layout.live)
        self._deal.mix(list(layout.burned))
        layout.burn()
        if enough:
            self._deal.to_hands(index)
        else:
            layout.deal_to_board()
        self._bet(index)

    def _finish(self) -> None:
        """Who is left shows; everything is collected."""
        scene, layout = self._scene, self._layout
        if len(layout.live) > 1:
            for seat in layout.live:
                layout.show(seat)
        scene.pause(11, 20)
        layout.collect()
        self._patrons.leave_no_wager()
        scene.pause(0.5, 1.5)
        self._dealer.key("round_over")
        scene.pause(1, 3)
