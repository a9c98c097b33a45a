"""Blackjack and its relatives from a shoe that reads its cards, as the game's book has it; lines are those of
toledo-2020, Section Two.

The course of a round and what goes on around it: the cards are shuffled, patrons and dealers come and go, wagers are
laid, hands are dealt, played, paid and taken in. Patrons play by a simple strategy; the dealer keeps the house's rules.
"""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.play.cards import JOKER
from pitwatch.sim_hw.dealers.blackjack.deal import Deal
from pitwatch.sim_hw.dealers.blackjack.dealers_turn import DealersTurn
from pitwatch.sim_hw.dealers.blackjack.faults import BANK, FAULTS, JACKPOTS
from pitwatch.sim_hw.dealers.blackjack.hand import Worth
from pitwatch.sim_hw.dealers.blackjack.layout import Layout
from pitwatch.sim_hw.dealers.blackjack.meter import Meter
from pitwatch.sim_hw.dealers.blackjack.patrons import Patrons
from pitwatch.sim_hw.dealers.blackjack.patrons_turns import PatronsTurns
from pitwatch.sim_hw.dealers.blackjack.rigging import WITH_CARDS, Rigging
from pitwatch.sim_hw.dealers.blackjack.shoe import ShoeInPlay
from pitwatch.sim_hw.dealers.card_dealer import CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.devices.shoes import shoe_of
from pitwatch.sim_hw.patrons.bank import BankMarker
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"blackjack": ["shoe", "Blackjack"]}

AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction")
FOR_TWO = ("wrong-initial-sequence", "blackjack-not-removed", "multiple-jackpots-same-round")
"""Faults that need two patrons."""


class Blackjack(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to show."""

    FAULTS: ClassVar[dict[str, Fault]] = FAULTS

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        device = table.of("shoe")
        assert device is not None
        game, options, sensors = table.game, table.options, self.contacts("seats")
        lamps = self.contacts("progressive")
        self._seats = Seats(scene, table, sensors, lamps)
        self._bank = BankMarker(scene, game, sensors, self._seats)
        self._meter = Meter(self, lamps)
        self._shoe = ShoeInPlay(scene, game, options, shoe_of(scene, device))
        self._layout = Layout(scene, self._shoe, self._felt, self.discard)
        self._deal = Deal(scene, game, options, self._seats, self._layout)
        house = House(game, options)
        patrons = Patrons(scene, game, options, house)
        self._turns = PatronsTurns(scene, self._layout, patrons, Worth(house.count), self._deal.spots)
        self._own = DealersTurn(scene, game, options, house, self._layout, self.contacts("peek"))
        self._rigging = Rigging(game, house, patrons, self._deal.order)
        self._burns_at_relief = "relief-dealer-no-burn" in game.rules
        self._enter_at_shuffle_only = options.get("mid-shoe-entry") == "barred"

    # -- the shoe

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self.sign_on()
        self._bank.begin()
        self.shuffle()
        self._shoe.fill()

    def _change_shoe(self, fault: str | None = None, extra: int = 0) -> None:
        """All cards are shuffled; with `extra`, some that do not belong go through the rack first."""
        self.scene.pause(5, 15)
        if extra:
            self.discard(self._shoe.stack.left + extra)
        self.empty_rack()
        self.shuffle(fault)
        self._shoe.fill()

    # -- as many rounds as it takes

    def play(self, fault: str | None) -> None:
        shoe = self._shoe
        extra = self.rng.randint(1, 3) if fault == "deck-count-mismatch" else 0
        if fault in AT_THE_RESHUFFLE or extra or not shoe.lasts():
            self._change_shoe(fault, extra)
        elif fault in WITH_CARDS and (not shoe.lasts(3) or shoe.stack.count("7H") < 5):
            self._change_shoe()
        if fault == "tampering-suspected":
            self.open_lid()
        if fault == "duplicate-card" and not shoe.each_round:
            self._deal_duplicate()
        elif fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._next_round()
            self._next_round(fault)
        elif fault == "dealt-past-cut-card":
            self._round("cut-card-mid-round")
            self._round(None)
        elif fault == "mid-shoe-entry" and shoe.fresh:
            self._round(None)
            self._round(fault)
        else:
            self._round(fault)

    def _next_round(self, fault: str | None = None) -> None:
        if not self._shoe.lasts():
            self._change_shoe()
        self._round(fault)

    def _deal_duplicate(self) -> None:
        """All copies of a card come out within a few rounds, and one more as the first card of the next."""
        shoe = self._shoe
        while True:
            if not shoe.lasts(3) or self.shuffled_by_hand:
                self._change_shoe()
            card = shoe.stack.gather(within=30, besides=shoe.burned)
            while shoe.stack.holds(card):
                self._round(None)
            if card not in shoe.burned:
                break
        self._duplicate = card
        self._round("duplicate-card")

    # -- the round

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        if fault != BANK:
            self._bank.offer()
        self._come_and_go(fault)
        if fault == "wager-while-locked-out":
            self._meter.lock()
        seats.bet()
        seats.bet_progressive(*(seats.wagers[:2] if fault in JACKPOTS else ()))
        self._may_relieve(fault)
        self._layout.clear(self._deal.places())
        self._prepare_cards(fault)
        scene.pause(2, 5)
        self._call_no_more_bets()
        if fault == "cut-card-first-card":
            self._cut_card_first()
        self._shoe.fresh = False
        self._deal.play(fault)
        self._play_out(fault)
        self._own.fills_board(fault)
        self._meter.key_hands(fault)
        scene.pause(2, 5)
        self._own.takes_in_own()
        self._layout.collect()
        seats.settle()
        self.key("round_over")
        self._bank.played()
        if fault == "mid-shoe-entry":
            seats.leave(self._intruder)
        self._meter.verify(fault)
        self._meter.clear_keys()

    def _call_no_more_bets(self) -> None:
        self.key("no_more_bets")
        self.scene.pause(0.5, 1)

    def _come_and_go(self, fault: str | None) -> None:
        """Where the house bars entering in the middle of a shoe, patrons change places only before its first round."""
        seats = self._seats
        if fault == "mid-shoe-entry":
            self._intruder = self.rng.choice(seats.empty)
            seats.sit(self._intruder)
        elif self._shoe.fresh or not self._enter_at_shuffle_only:
            seats.come_and_go(at_least=2, leave_free=1)
        assert fault not in FOR_TWO or len(seats.wagers) > 1

    def _may_relieve(self, fault: str | None) -> None:
        """Now and then another dealer takes over the live game and burns the first card (469)."""
        forgets = fault == "relief-dealer-no-burn"
        if not forgets and not (fault is None and self._burns_at_relief and self.scene.chance(0.03)):
            return
        if not self.relieve():
            return
        self.scene.pause(1, 3)
        if not forgets:
            self._shoe.burn()
            self.discard(1)

    def _cut_card_first(self) -> None:
        """No round is dealt: the cards are shuffled (495), and the round begins again from the new shoe."""
        self._shoe.cut_card_first()
        self.key("round_over")
        self._change_shoe()
        self.scene.pause(2, 5)
        self._call_no_more_bets()

    def _prepare_cards(self, fault: str | None) -> None:
        """What the shoe must hold for the fault to come about."""
        stack, hands = self._shoe.stack, len(self._layout.hands)
        if fault == "cut-card-mid-round":
            stack.move_cut_card(self.rng.randrange(1, 4))
        elif fault == "duplicate-card":
            stack.slip_in(*((stack.peek(0), 1) if self._shoe.each_round else (self._duplicate, 0)))
        elif fault == "foreign-card":
            stack.slip_in(JOKER, ahead=self.rng.randrange(4))
        elif fault in WITH_CARDS:
            self._rigging.prepare(str(fault), stack, hands)
            if fault == "hole-card-early":
                self._layout.unread = stack.peek(2 * hands + 1)
        else:
            self._rigging.avoid_jackpot(stack, hands)

    def _play_out(self, fault: str | None) -> None:
        """From the deal to the dealer's last card."""
        layout = self._layout
        self._turns.too_early(fault)
        if self._own.looks_for_blackjack():
            if fault == "drawn-after-dealer-blackjack":
                layout.give(layout.hands[0])
            return
        layout.turn_hole_card()
        if fault != "blackjack-not-removed":
            self._own.pays_blackjacks()
        self._turns.play(fault)
        if fault == "wrong-card-count-dealer":
            layout.give(layout.dealer)
        self._own.draws(fault)
