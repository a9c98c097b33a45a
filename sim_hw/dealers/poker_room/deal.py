"""The dealer's hands in one hand of poker: burns, deals to hands and board, replaces discards, mixes a short stub.

What goes wrong in that is asked of the breach.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitwatch.rules.games.poker.streets import COMMUNITY, Street, Streets
from pitwatch.sim_hw.dealers.dealer import Dealer
from pitwatch.sim_hw.dealers.poker_room.breach import Breach
from pitwatch.sim_hw.dealers.poker_room.faults import SHORT_STUB
from pitwatch.sim_hw.dealers.poker_room.layout import Layout


class Deal:
    """`dealer` presses the panel's keys."""

    def __init__(self, dealer: Dealer, streets: Streets, layout: Layout, breach: Breach):
        self._dealer = dealer
        self._scene = dealer.scene
        self._streets = streets
        self._layout = layout
        self._breach = breach
        self._mixed = False

    def suffices(self, street: Street) -> bool:
        """Whether the stub is enough for a street and its burn."""
        owed = len(self._layout.live) if street.deals_hands else 1
        return len(self._layout.stub) >= street.cards * owed + (street.burn or 0 if street.needs_burn else 0)

    def burn(self, index: int) -> None:
        """As the book says; where it leaves the burn to the house, or says nothing, now and then."""
        street, breach = self._streets[index], self._breach
        times = street.burn or 0
        if street.burn_optional and breach.rule is None:
            times = self._scene.rng.choice((0, 1))
        if street.burn is None and index and breach.rule in SHORT_STUB:
            times = 1
        for _ in range(breach.burns(index, times)):
            self._layout.burn()

    def street(self, index: int) -> None:
        """To the board, or round the hands."""
        street = self._streets[index]
        if street.to == COMMUNITY:
            for number in range(street.cards + self._breach.board_cards_more(index)):
                self._layout.deal_to_board(after=number * 0.15)
            self._scene.pause(0.6, 1.2)
        else:
            self.to_hands(index)
        if self._breach.late_card(index):
            self._layout.deal(self._breach.victim, down=True)

    def to_hands(self, index: int) -> None:
        layout, breach, cards = self._layout, self._breach, self._streets[index].cards
        for lap in range(cards):
            for seat in [seat for seat in layout.order if seat in layout.live]:
                if seat == breach.victim and lap == cards - 1 and breach.passes_over(index):
                    continue
                layout.deal(seat, down=index in (0, self._streets.last))
                self._scene.pause(0.15, 0.4)
        if breach.card_more(index):
            layout.deal(breach.victim, down=True)
        self._scene.pause(0.5, 1)

    def draw(self, index: int, wanted: Mapping[str, int]) -> None:
        """Replace so many cards of each hand. All but the last card of a stub that runs short are dealt, then the
        burned and the discarded cards are mixed in."""
        layout, breach = self._layout, self._breach
        runs_short = len(layout.stub) < sum(wanted.values())
        kept = 0 if breach.rule == "stub-last-card-used" else 1
        for seat, count in wanted.items():
            wrong = breach.miscounts_draw(index) and seat == layout.live[-1]
            for _ in range(count + (breach.cards_amiss if wrong else 0)):
                if runs_short and not self._mixed and len(layout.stub) <= kept:
                    self.mix([*layout.burned, *layout.thrown])
                layout.deal(seat, down=True)
                self._scene.pause(0.2, 0.5)
        self._scene.pause(0.5, 1)

    def mix(self, cards: list[str]) -> None:
        """Cards that were out are shuffled into the stub."""
        self._scene.rng.shuffle(cards)
        self._layout.stub.extend(cards)
        self._mixed = True
        self._scene.pause(8, 15)
        self._dealer.key("hand_shuffled")
        self._scene.pause(0.5, 1)
