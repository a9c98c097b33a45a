"""Party craps: two cards from a reading shoe make each number. Document: California, lines 3350-3985."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.play.cards import JOKER
from pitwatch.sim_hw.dealers.cards import Stack
from pitwatch.sim_hw.dealers.dealer import Dealer, Fault
from pitwatch.sim_hw.devices.felt import Felt
from pitwatch.sim_hw.devices.shoes import shoe_of
from pitwatch.sim_hw.devices.talking_shuffler import TalkingShuffler
from pitwatch.sim_hw.patrons.bank import BankMarker
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"party-craps": ["shoe", "PartyCraps"]}

LAST_CARDS = 6
"""With so few left the cards are shuffled; the document does not say when."""

BANK, NOT_TWO, COUNT = "bank-held-too-long", "not-two-cards", "deck-count-mismatch"


class PartyCraps(Dealer):
    """One call of `play` is one flip, or as many as the fault needs to come about."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        NOT_TWO: Fault("one card is flipped, or three", ("panel#no-more-bets",)),
        "no-more-bets-not-called": Fault("the cards are flipped without the call", ("panel#no-more-bets",)),
        "duplicate-card": Fault("the same card comes out twice, though there is one deck"),
        "foreign-card": Fault("a card that was taken out of the deck, or a joker, is flipped"),
        COUNT: Fault("the shuffler counts a card too few or too many", ("shuffler/ndjson",)),
        BANK: Fault("one player keeps the bank for another flip", ("seats#bank-1",)),
    }

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """With several decks two alike are no fault: cards are counted within one flip."""
        one_deck = table.options.get("decks") == 1
        return {rule: fault for rule, fault in cls.FAULTS.items() if one_deck or rule != "duplicate-card"}

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game, shoe = table.game, table.of("shoe")
        assert shoe is not None
        self._shoe = shoe_of(scene, shoe)
        self._felt = Felt(scene, table)
        self._shuffler = TalkingShuffler(scene, table)
        sensors = self.contacts("seats")
        self._seats = Seats(scene, table, sensors, self.contacts("progressive"))
        self._bank = BankMarker(scene, game, sensors, self._seats)
        self._left_out = str(game.figure("ranks-left-out"))
        self._cards = int(game.figure("cards-a-flip"))
        self._decks = int(table.options["decks"])

    def begin(self) -> None:
        self._bank.begin()
        self._shuffle(None)

    def _shuffle(self, fault: str | None) -> None:
        self.scene.pause(2, 5)
        self._stack = Stack(self.rng, self._decks, None, self._left_out)
        wrong = self.rng.choice((-1, 1)) if fault == COUNT else 0
        if not self._shuffler.shuffle(self._stack.left + wrong):
            self.key("hand_shuffled")
        self._shoe.start(self._decks)
        self.scene.pause(1, 2)

    def play(self, fault: str | None) -> None:
        if fault == COUNT or self._stack.left < LAST_CARDS:
            self._shuffle(fault)
        elif fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._flip(None)
                if self._stack.left < LAST_CARDS:
                    self._shuffle(None)
        self._flip(fault)

    def _flip(self, fault: str | None) -> None:
        scene, stack = self.scene, self._stack
        scene.pause(8, 15)
        if fault != BANK:
            self._bank.offer()
        self._seats.come_and_go()
        self._seats.bet()
        if fault != "no-more-bets-not-called":
            self.key("no_more_bets")
            scene.pause(1, 2)
        if fault == "foreign-card":
            stack.slip_in(self.rng.choice((JOKER, *(rank + "H" for rank in self._left_out))), self.rng.randrange(2))
        elif fault == "duplicate-card":
            stack.slip_in(stack.peek(0), 1)
        flipped = []
        for _ in range(self.rng.choice((1, 3)) if fault == NOT_TWO else self._cards):
            card = stack.draw()
            flipped.append(card)
            self._shoe.draw(card, "community")
            scene.pause(0.5, 1)
            self._felt.lay("community", card)
        scene.pause(5, 15)
        self._seats.settle()
        for card in flipped:
            self._felt.lift("community", card)
            scene.wait(0.1)
        self.key("round_over")
        self._bank.played()
