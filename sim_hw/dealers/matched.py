"""Matched'em on a felt that reads the squares and the cards of the second deck. Document: california, lines 432-530."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.play.cards import DECK, JOKER, rank
from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.dealer import Dealer, Fault
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.patrons.player_bank import PlayerBank
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"matched": ["card_position/card_lines", "Matched"]}

COMMUNITY = "community"
SQUARES = 3


class Matched(Dealer):
    FAULTS: ClassVar[dict[str, Fault]] = {
        "duplicate-square-card": Fault("a square of a rank that lies already is not replaced"),
        "dealt-past-match": Fault("one more card is dealt after the match"),
        "ended-without-match": Fault("the cards are taken in before the match"),
        "bank-held-too-long": Fault("a seat banks for a third round", ("seats#bank-1",)),
        "duplicate-card": Fault("a card of the first deck is in the second twice"),
        "foreign-card": Fault("a joker is among the cards"),
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        self._felt = Felt(scene, table)
        marker = self.contacts("seats")
        self._seats = Seats(scene, table, marker, self.contacts("progressive"), most=8)
        self._bank = PlayerBank(scene, self._seats, marker, int(table.game.figure("bank-rounds-at-most")))

    def begin(self) -> None:
        self.scene.wait(1)
        self.key("round_over")

    def play(self, fault: str | None) -> None:
        if fault == "bank-held-too-long":
            self._bank.pass_on()
            for _ in range(3):
                self._bank.keep()
                self._round(None)
        else:
            self._bank.pass_when_due()
            self._round(fault)

    def _round(self, fault: str | None) -> None:
        scene = self.scene
        self._seats.come_and_go()
        scene.pause(20, 40)  # both decks are shuffled by a machine that says nothing
        self._lying: list[tuple[str, str]] = []
        first, second = (self.rng.sample(DECK, len(DECK)) for _ in range(2))
        squares = self._squares(first, fault)
        self._seats.bet()
        self.key("collection_taken")
        scene.pause(5, 15)
        self.key("no_more_bets")
        scene.pause(1, 2)
        self._second_deck(squares, second, fault)
        scene.pause(5, 10)
        for at, card in self._lying:
            self._felt.lift(at, card)
            scene.wait(0.05)
        self._seats.settle()
        self.key("round_over")

    def _lay(self, at: str, card: str) -> None:
        self._felt.lay(at, card)
        self._lying.append((at, card))
        self.scene.pause(0.8, 1.5)

    def _squares(self, deck: list[str], fault: str | None) -> list[str]:
        """One card to each square; what is of a rank that lies already is replaced (454)."""
        squares: list[str] = []
        if fault == "duplicate-square-card":
            twin = next(card for card in deck[1:] if rank(card) == rank(deck[0]))
            deck.remove(twin)
            deck.insert(self.rng.randint(1, 2), twin)
        while len(squares) < SQUARES:
            card = deck.pop(0)
            self._lay(COMMUNITY, card)
            if rank(card) in map(rank, squares) and fault != "duplicate-square-card":
                self._felt.lift(COMMUNITY, card)
                self._lying.remove((COMMUNITY, card))
                self.scene.pause(0.5, 1)
            else:
                squares.append(card)
        return squares

    def _second_deck(self, squares: list[str], deck: list[str], fault: str | None) -> None:
        ranks = [rank(card) for card in squares]
        if fault == "foreign-card":
            deck.insert(0, JOKER)
        elif fault == "duplicate-card":
            other = next(card for card in deck if rank(card) not in ranks)
            deck.remove(other)
            deck[:0] = [other, other, other]
        elif fault == "ended-without-match":
            deck.sort(key=lambda card: rank(card) in ranks)
        for number, card in enumerate(deck):
            if fault == "ended-without-match" and number == 4:
                return
            self._lay(DEALER, card)
            if rank(card) in ranks:
                if fault == "dealt-past-match":
                    self._lay(DEALER, deck[number + 1])
                return
