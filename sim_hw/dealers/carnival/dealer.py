"""Poker against the dealer or a pay table, dealt in packets by a shuffler onto a felt that reads cards.

How many cards go where, what is turned when, and which hands take the meter is the book's. Documents: toledo-2020,
Sections Nine to Twenty-Three; columbus-2016; the player-dealer games of california.

The course of a round: shuffle, wagers, deal, the patrons' decisions, showdown, collecting.
"""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.people import SUPERVISORS
from pitwatch.rules.records import VOIDING
from pitwatch.sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, CardDealer
from pitwatch.sim_hw.dealers.carnival.cards import Cards
from pitwatch.sim_hw.dealers.carnival.deal import Deal
from pitwatch.sim_hw.dealers.carnival.faults import (
    ALTERNATE,
    BANK,
    FAULTS,
    LATE,
    PREMIUM,
    SEVERAL,
    faults_of,
    jackpot_faults,
)
from pitwatch.sim_hw.dealers.carnival.layout import Layout
from pitwatch.sim_hw.dealers.carnival.meter import Meter
from pitwatch.sim_hw.dealers.carnival.packets import Packets
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.patrons.bank import BankMarker
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"carnival-poker": ["shuffler/lines | shuffler/ndjson", "Carnival"]}


class Carnival(CardDealer):
    """One call of `play` is one round, or as many as the fault needs; the cards are shuffled before each."""

    FAULTS: ClassVar[dict[str, Fault]] = FAULTS

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        return faults_of(table)

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        lamps, sensors = self.contacts("progressive"), self.contacts("seats")
        self._seats = Seats(scene, table, sensors, lamps)
        self._plan = DealPlan(table.game)
        self._cards = Cards(scene, table, self._plan, self._seats)
        self._layout = Layout(scene, self._felt, self._seats, self._cards)
        packets = Packets(scene, self._machine, self._talking)
        self._deal = Deal(scene, packets, self._layout, self._cards, self._seats, sensors)
        self._meter = Meter(self, lamps, self._seats)
        self._jackpots = jackpot_faults(table)
        self._alternates = ALTERNATE in table.game.rules
        self._bank = BankMarker(scene, table.game, sensors, self._seats, early=0, in_hand=0)

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self._bank.begin()

    def play(self, fault: str | None) -> None:
        if fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._round(None)
        else:
            self._bank.offer()
        self._round(fault)

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(
            at_least=2 if fault in ("packet-order", SEVERAL) else 1,
            leave_free=1 if fault in ("unbet-pile", LATE) else 0,
        )
        self._shuffle_anew(fault)
        seats.bet()
        lit = seats.bet_progressive()
        scene.pause(3, 8)
        self._cards.prepare(fault, lit)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        if self._deal.play(fault):
            self._layout.burn(self._plan.burned)
            self._unload()
            self._turn_and_decide()
            self._settle(fault)
        else:
            self._verify_cards()
        taken = self._layout.collect()
        if self._rack.has("card"):
            self.discard(taken)
        seats.settle()
        self.key("round_over")
        self._meter.clear_keys()
        if fault in self._jackpots:
            self._meter.verify_jackpot(fault)
        if fault not in self.table.game.rules or self.table.game.rules[fault].disposition not in VOIDING:
            self._bank.played()

    def _shuffle_anew(self, fault: str | None) -> None:
        """The other deck where there are two, and the discards of the last round out of the rack."""
        if self._alternates and fault != ALTERNATE:
            self.key("deck_changed")
        if fault != "two-decks-in-discard-rack":
            self.empty_rack()
        if fault == "tampering-suspected":
            self.open_lid()
        if fault != "deal-before-shuffle-complete":
            self.shuffle(fault if fault in AT_THE_SHUFFLE else None)

    def shuffle_time(self) -> float:
        return self.rng.uniform(12, 25)

    def _verify_cards(self) -> None:
        """After a jam the cards are verified, to be shuffled again (87)."""
        self.scene.pause(20, 60)
        self.key("cards_verified")

    def _unload(self) -> None:
        """What is left in the machine goes into the discard rack."""
        if self._rack.has("card"):
            self.discard(len(self._cards.rest))

    def _turn_and_decide(self) -> None:
        """Patrons play or fold, and the dealer turns the community cards, some at a time."""
        board = list(self._cards.piles.get(COMMUNITY, []))
        for cards in (*self.table.game.tables.get("turns", []), 0):
            for _ in self._seats.wagers:
                self.scene.pause(1, 3)
            self._layout.turn(board[:cards])
            board = board[cards:]

    def _settle(self, fault: str | None) -> None:
        """The dealer's hand is turned, hands are compared, those for the progressive are keyed."""
        self.scene.pause(2, 4)
        if fault != PREMIUM and self._cards.high_hand():
            self._verify_high_hand()
        self._meter.key_hands(self._cards, fault)
        self.scene.pause(2, 6)

    def _verify_high_hand(self) -> None:
        """As the house has chosen that a supervisor shows it."""
        shown_by = self.table.options.get("verification", "unseen")
        if shown_by == "key-card":
            self.badge(*SUPERVISORS)
        elif shown_by == "panel-key":
            self.key("supervisor")
