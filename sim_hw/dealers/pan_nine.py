"""Pan 9 from a reading shoe onto a reading felt. Document: California, lines 166-256."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.hands.points import Points
from pitwatch.rules.play.cards import JOKER
from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.card_dealer import CardDealer
from pitwatch.sim_hw.dealers.cards import Stack
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.devices.shoes import shoe_of
from pitwatch.sim_hw.patrons.bank import BankMarker
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"pan-9": ["card_position/card_lines", "PanNine"]}

LAST_CARDS = 60
"""With so few left the shoe is changed; the document does not say when."""

AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction")
BANK, LATE = "bank-held-too-long", "late-wager"


class PanNine(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to come about."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("a hand gets a card too few, or two draws"),
        "wrong-initial-sequence": Fault("a hand gets two cards at once"),
        "dealer-drew-against-rule": Fault("the player-dealer draws on a count that must stand"),
        "dealer-stood-against-rule": Fault("the player-dealer stands on a count that must draw"),
        "duplicate-card": Fault("a card comes out once more than the decks hold it"),
        "foreign-card": Fault("a joker, or a rank that was taken out, is dealt"),
        "deck-count-mismatch": Fault(
            "more cards come into the discard rack than the decks hold", ("discard_rack#card", "discard_rack#empty")
        ),
        BANK: Fault("one player keeps the bank for another round", ("seats#bank-1",)),
        LATE: Fault("somebody lays a wager while the hands are dealt", ("seats#seat-1",)),
        **CardDealer.MACHINE_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game, shoe = table.game, table.of("shoe")
        self._shoe = shoe_of(scene, shoe) if shoe is not None else None
        sensors = self.contacts("seats")
        self._seats = Seats(scene, table, sensors, self.contacts("progressive"))
        self._bank = BankMarker(scene, game, sensors, self._seats)
        self._points = Points(game.tables["values"])
        self._chart: dict[str, list[int]] = game.tables["dealer"]
        self._left_out = str(game.figure("ranks-left-out"))
        self._decks = int(table.options["decks"])
        self._first = int(game.figure("cards-a-hand"))
        self._hands: dict[str, list[str]] = {}
        self._short: str | None = None

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self._bank.begin()
        self.shuffle()
        self._fill_shoe()

    def _fill_shoe(self) -> None:
        self._stack = Stack(self.rng, self._decks, None, self._left_out)
        self.scene.pause(5, 10)
        if self._shoe is not None:
            self._shoe.start(self._decks)
        self.scene.pause(1, 2)

    def _change_shoe(self, fault: str | None = None, extra: int = 0) -> None:
        self.scene.pause(5, 15)
        if extra:
            self.discard(self._stack.left + extra)
        self.empty_rack()
        self.shuffle(fault)
        self._fill_shoe()

    def play(self, fault: str | None) -> None:
        if fault in AT_THE_RESHUFFLE or self._stack.left < LAST_CARDS:
            self._change_shoe(fault)
        elif fault == "tampering-suspected":
            self.open_lid()
        elif fault == "deck-count-mismatch":
            self._change_shoe(extra=self.rng.randint(1, 3))
        elif fault == "duplicate-card":
            self._deal_duplicate()
            return
        elif fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._round(None)
                if self._stack.left < LAST_CARDS:
                    self._change_shoe()
        while not self._round(fault):  # what is wanted needs certain cards
            if self._stack.left < LAST_CARDS:
                self._change_shoe()

    def _deal_duplicate(self) -> None:
        self._change_shoe()
        card = self._stack.gather(within=60, extra=True)
        while self._stack.holds(card):
            self._round(None)

    # -- the round

    def _round(self, fault: str | None) -> bool:
        """Play one round; returns whether the fault came about."""
        scene, seats = self.scene, self._seats
        scene.pause(8, 15)
        if fault != BANK:
            self._bank.offer()
        seats.come_and_go(at_least=2, leave_free=2 if fault == LATE else 0)
        seats.bet()
        self.key("no_more_bets")
        scene.pause(1, 2)
        if fault == "foreign-card":
            self._stack.slip_in(
                self.rng.choice((JOKER, *(rank + "S" for rank in self._left_out))), self.rng.randrange(4)
            )
        self._hands = {hand: [] for hand in [*seats.wagers, DEALER]}
        self._deal(fault)
        scene.pause(5, 10)
        done = self._play_out(fault)
        scene.pause(4, 8)
        self._collect()
        seats.settle()
        self.key("round_over")
        self._bank.played()
        return done

    def _deal(self, fault: str | None) -> None:
        short = self.rng.choice(list(self._hands)) if fault == "wrong-card-count" and self.scene.chance(0.5) else None
        self._short = short
        for lap in range(self._first):
            for hand in self._hands:
                if hand == short and lap == self._first - 1:
                    continue
                if fault == "wrong-initial-sequence" and lap == 1 and hand == DEALER:
                    continue
                self._give(hand)
                if fault == LATE and lap == 1 and hand != DEALER:
                    self._seats.lay_late()
                    fault = None
            if fault == "wrong-initial-sequence" and lap == self._first - 1:
                self._give(DEALER)

    def _give(self, hand: str) -> None:
        card = self._stack.draw()
        self._hands[hand].append(card)
        if self._shoe is not None:
            self._shoe.draw(card, hand)
            self.scene.pause(0.2, 0.4)
        self._felt.lay(hand, card)
        self.scene.pause(0.4, 0.8)

    def _play_out(self, fault: str | None) -> bool:
        """Players draw on less than six, as most do; then the player-dealer by the chart."""
        twice = fault == "wrong-card-count" and self._short is None
        for hand, cards in self._hands.items():
            points = self._points.count(cards)
            if hand not in (DEALER, self._short) and ((points is not None and points < 6) or twice):
                self._give(hand)
                if twice:
                    self._give(hand)
                    twice = False
        return self._dealer_plays(fault)

    def _dealer_plays(self, fault: str | None) -> bool:
        cards = self._hands[DEALER]
        points = self._points.count(cards)
        if points is None or len(cards) < self._first:
            return True
        must, must_not = points in self._chart["draws"], points in self._chart["stands"]
        draws = must or (not must_not and self.scene.chance(0.5))
        if fault == "dealer-drew-against-rule":
            self._give(DEALER) if draws or must_not else None
            return must_not
        if fault == "dealer-stood-against-rule":
            self._give(DEALER) if draws and not must else None
            return must
        if draws:
            self._give(DEALER)
        return True

    def _collect(self) -> None:
        for hand, cards in self._hands.items():
            for card in cards:
                self._felt.lift(hand, card)
                self.scene.pause(0.05, 0.15)
        self.discard(sum(map(len, self._hands.values())))
