"""Everybody's cards in a packet-dealt round: at random, or with the hand or the wrong card that a fault wants.

A hand that takes the meter, which stops the game, is only planned. Knows no wire.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan, Slot
from pitwatch.rules.games.carnival.showdown import Showdown
from pitwatch.rules.play.cards import JOKER
from pitwatch.rules.play.seats import is_seat
from pitwatch.sim_hw.dealers.carnival.faults import PREMIUM, SEVERAL, jackpot_faults, meter_hands
from pitwatch.sim_hw.dealers.carnival.rigging import Piles, Rigging, Target
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

Readable = dict[str, list[str | None]]


class Cards:
    """`slots`: the packets in their order; `piles`: cards by position; `rest`: what stays in the machine; `lit`: seats
    with a wager on the progressive; `winners`: those of them who are to take the meter."""

    def __init__(self, scene: Scene, table: SimTable, plan: DealPlan, seats: Seats):
        self._scene = scene
        self._plan = plan
        self._seats = seats
        self._showdown = Showdown(table.game)
        self._rigging = Rigging(table.game, scene.rng)
        self._jackpots = jackpot_faults(table)
        self._meter: list[dict[str, Any]] = meter_hands(table)
        self.slots: list[Slot] = []
        self.piles: Piles = {}
        self.rest: list[str] = []
        self.lit: list[str] = []
        self.winners: list[str] = []
        self._premium: str | None = None

    def prepare(self, fault: str | None, lit: list[str]) -> None:
        """What everybody will get."""
        self.slots = self._plan.packets(self._plan.in_order(self._seats.wagers, self._seats.banker))
        self.lit, self.winners, self._premium = list(lit), [], None
        fixed: dict[Target, str] = {}
        if fault in self._jackpots:
            fixed = self._jackpot(several=fault == SEVERAL)
        elif fault == PREMIUM:
            self._premium = self._scene.rng.choice(self._seats.wagers)
            fixed = self._rigging.premium(self.slots, self._premium)
        self.piles, self.rest = self._rigging.deal(self.slots, fixed, self._as_planned)
        self._spoil(fault)

    def _jackpot(self, several: bool) -> dict[Target, str]:
        """Who is to take the meter has a wager on it."""
        rng = self._scene.rng
        self.winners = rng.sample(self._seats.wagers, 2 if several else 1)
        missing = [seat for seat in self.winners if seat not in self.lit]
        self.lit += self._seats.bet_progressive(*missing) if missing else []
        if several:
            return self._rigging.two_jackpots(self.slots, self.winners)
        return self._rigging.jackpot(self.slots, self.winners[0], rng.choice(self._meter))

    def _as_planned(self, piles: Piles) -> bool:
        """Whether nobody takes the meter, or has a high hand unverified, but those who are to."""
        cards = self._before_burning(piles)
        if self._premium and any(self._showdown.premium(cards, s) for s in self._seats.wagers if s != self._premium):
            return False
        return {seat for seat in self.lit if self._takes_the_meter(cards, seat)} == set(self.winners)

    def _before_burning(self, piles: Piles) -> Readable:
        """The piles as they count, the card that will be burned left out."""
        cards: Readable = {position: list(pile) for position, pile in piles.items()}
        if self._plan.burned and COMMUNITY in cards:
            cards[COMMUNITY] = cards[COMMUNITY][: -self._plan.burned]
        return cards

    def _takes_the_meter(self, cards: Readable, seat: str) -> bool:
        names = self._showdown.progressive(cards, seat) or ()
        return any(entry["hand"] in names for entry in self._meter)

    def _spoil(self, fault: str | None) -> None:
        """A wrong card, or a wrong number of them."""
        rng, piles = self._scene.rng, self.piles
        if fault == "foreign-card":
            piles[rng.choice(list(piles))][0] = JOKER
        elif fault == "duplicate-card":
            one, other = rng.sample(list(piles), 2)
            piles[one][0] = piles[other][-1]
        elif fault == "wrong-card-count":
            dealt = [position for position in piles if is_seat(position) or position in self._plan.fixed]
            position = rng.choice(dealt)
            if self._scene.chance(0.5):
                piles[position].append(self.rest.pop())
            else:
                piles[position].pop()

    def one_packet_more(self, seat: str) -> None:
        """For a seat that was to get none."""
        self.piles[seat] = [self.rest.pop() for _ in range(self._plan.need(seat))]

    # -- once the community card is burned

    def progressive_hands(self) -> dict[str, tuple[str, ...]]:
        """By seat, the highest first."""
        cards: Readable = {position: list(pile) for position, pile in self.piles.items()}
        return {seat: self._showdown.progressive(cards, seat) or () for seat in self._seats.wagers}

    def high_hand(self) -> bool:
        """Whether somebody has a hand that is to be verified."""
        cards: Readable = {position: list(pile) for position, pile in self.piles.items()}
        return any(self._showdown.premium(cards, seat) for seat in self._seats.wagers)
