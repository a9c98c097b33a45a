"""Casino War from a shoe that reports where each card goes.

Documents: california, lines 5563-5718; columbus-2016, Section Sixteen, lines 2546-2606.
"""

from __future__ import annotations

import contextlib
from typing import ClassVar

from pitwatch.rules.play.cards import JOKER, SUITS, rank
from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, TALKS, CardDealer
from pitwatch.sim_hw.dealers.cards import Stack
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.devices.shoes import shoe_of
from pitwatch.sim_hw.patrons.player_bank import PlayerBank
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"war": ["shoe/ndjson", "War"]}

CUT_FROM_BACK = 52
MOST_IN_A_ROUND = 40
"""Cards of a round at most, so many before the cut card as the house wants to see when it begins one."""
AT_A_NEW_SHOE = (*AT_THE_SHUFFLE, "burn-count-wrong")
WAR = "missing-war-burn"


class War(CardDealer):
    """One call of `play` is one round, or as many as the fault needs."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("a player gets two cards, or none"),
        "wrong-initial-sequence": Fault("two players, or a player and the dealer, are dealt to in the wrong order"),
        "missing-war-burn": Fault("at a war two cards are burned, or none"),
        "burn-count-wrong": Fault("the first card of the shoe is dealt"),
        "relief-dealer-no-burn": Fault("a new dealer deals at once", ("panel#dealer-change",)),
        "late-bet-change": Fault("a wager is lifted while the cards are dealt", ("seats#seat-1", "panel#no-more-bets")),
        "cut-card-mid-round": Fault("the cutting card comes out in a round"),
        "dealt-past-cut-card": Fault("a round is dealt after the cutting card", (), ("cut-card-mid-round",)),
        "bank-held-too-long": Fault("a seat banks for a third round", ("seats#bank-1",)),
        "duplicate-card": Fault("a card comes out once more than the decks hold it"),
        "foreign-card": Fault("a joker comes out of the shoe"),
        "shuffler-fault-during-deal": Fault("the machine jams while a round is dealt", (TALKS,)),
        **CardDealer.TALKING_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game = table.game
        spec = table.of("shoe", "ndjson")
        assert spec is not None
        self._shoe = shoe_of(scene, spec)
        marker = self.contacts("seats")
        self._seats = Seats(scene, table, marker, self.contacts("progressive"), most=7)
        banks = "bank-rounds-at-most" in game.figures
        at_most = int(game.figure("bank-rounds-at-most")) if banks else 0
        self._bank = PlayerBank(scene, self._seats, marker, at_most) if banks else None
        self._decks = int(table.options.get("decks", 6))
        self._war_burn = int(game.figure("war-burn"))
        self._shoe_burn = "burn-at-shoe-start" in game.figures
        self._cut_card = "rounds-after-cut-card" in game.figures
        self._by_shoe = game.tables["deck-lasts"] == "shoe"
        self._relief_due = False
        self._twice = "twice" in (table.options.get("war-burns"), game.tables.get("war-burns"))

    def begin(self) -> None:
        self._new_shoe(None)

    def play(self, fault: str | None) -> None:
        if fault in AT_A_NEW_SHOE or self._stack.left < CUT_FROM_BACK + MOST_IN_A_ROUND:
            self._new_shoe(fault)
        if fault == "bank-held-too-long" and self._bank is not None:
            self._bank.pass_on()
            for _ in range(3):
                self._bank.keep()
                self._round(None)
            return
        if self._bank is not None:
            self._bank.pass_when_due()
        if fault in ("cut-card-mid-round", "dealt-past-cut-card"):
            self._stack.move_cut_card(1)
            self._round(None)
            if fault == "dealt-past-cut-card":
                if self._bank is not None:
                    self._bank.pass_when_due()
                self._round(None)
            self._new_shoe(None)
        elif fault == "duplicate-card" and self._by_shoe:
            self._repeat_a_card()
        else:
            self._relief_due = fault == "relief-dealer-no-burn" or (fault is None and self.scene.chance(0.03))
            self._round(fault)

    def _repeat_a_card(self) -> None:
        """All copies of a card come soon, and one more: rounds are dealt until they are out."""
        self._new_shoe(None)
        self._stack.gather(60, extra=True)
        until = self._stack.left - 60
        while self._stack.left > until:
            self._round("")
            if self._bank is not None:
                self._bank.pass_when_due()

    # -- the shoe

    def _new_shoe(self, fault: str | None) -> None:
        self.scene.pause(5, 10)
        if not self._talking.shuffle(self._decks * 52, fault):
            self.key("cards_verified")
            self.scene.pause(60, 120)
            self.key("hand_shuffled")
        self._stack = Stack(self.rng, self._decks, CUT_FROM_BACK)
        self.scene.pause(3, 6)
        self._shoe.start(self._decks)
        self.scene.pause(2, 4)
        if self._shoe_burn and fault != "burn-count-wrong":
            self._burn(1)

    def _burn(self, cards: int) -> None:
        for _ in range(cards):
            self._draw("burn")

    def _draw(self, to: str) -> str:
        if self._stack.cut_card_next() and self._cut_card:
            self._shoe.cut_card()
            self.scene.pause(1, 3)
        card = self._stack.draw()
        self._shoe.draw(card, to)
        self.scene.pause(0.5, 1.1)
        return card

    # -- the round

    def _relieve(self, burns: bool) -> None:
        """Another dealer comes, who burns a card first."""
        self._relief_due = False
        self.key("dealer_change")
        self.scene.pause(2, 4)
        if burns:
            self._burn(1)

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(at_least=self._decks if fault == "duplicate-card" else 2)
        if fault == "tampering-suspected":
            self.open_lid()
        seats.bet()
        if self._relief_due:
            self._relieve(burns=fault is None)
        self.key("collection_taken")
        scene.pause(2, 5)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        self._prepare(fault)
        if self._deal(fault):
            scene.pause(2, 4)
            self._war(fault)
            scene.pause(3, 8)
        seats.settle()
        self.key("round_over")

    def _prepare(self, fault: str | None) -> None:
        """The cards that the fault needs come next in the shoe."""
        stack, players = self._stack, len(self._seats.wagers)
        if fault == WAR or (fault is None and self.scene.chance(0.05)):
            self._make_a_tie(players)
        elif fault == "duplicate-card":
            for ahead in range(self._decks + 1):
                stack.slip_in(stack.peek(0), ahead)
        elif fault == "foreign-card":
            stack.slip_in(JOKER, self.rng.randrange(players + 1))

    def _make_a_tie(self, players: int) -> None:
        """The dealer's card is of the first player's rank, if one is left."""
        value = rank(self._stack.peek(0))
        with contextlib.suppress(ValueError):
            self._stack.want(players, value + self.rng.choice(SUITS))

    def _order(self, fault: str | None) -> list[str]:
        order = [*self._seats.wagers, DEALER]
        if fault == "wrong-initial-sequence":
            first = self.rng.randrange(len(order) - 1)
            order[first], order[first + 1] = order[first + 1], order[first]
        elif fault == "wrong-card-count":
            player = self.rng.randrange(len(order) - 1)
            if self.scene.chance(0.5):
                order.insert(player, order[player])
            else:
                del order[player]
        return order

    def _deal(self, fault: str | None) -> bool:
        """Returns whether the deal came to its end."""
        order = self._order(fault)
        self._first: dict[str, str] = {}
        for number, to in enumerate(order):
            if number == 1 and fault == "late-bet-change":
                self._seats.lift_wager()
            if number == 1 and fault == "shuffler-fault-during-deal":
                self._talking.jam()
                self.key("cards_verified")
                return False
            self._first[to] = self._draw(to)
        return fault not in ("wrong-card-count", "foreign-card", "duplicate-card")

    def _war(self, fault: str | None) -> None:
        """Who ties goes to war; one in four surrenders."""
        tied = [at for at in self._seats.wagers if rank(self._first[at]) == rank(self._first[DEALER])]
        at_war = [at for at in tied if fault == WAR or self.scene.chance(0.75)]
        if not at_war:
            return
        spare = self.rng.choice((1, self._war_burn)) if fault == WAR else 0
        self._burn(self._war_burn - spare)
        for at in at_war:
            self._draw(at)
        if self._twice:
            self._burn(self._war_burn)
        self._draw(DEALER)
