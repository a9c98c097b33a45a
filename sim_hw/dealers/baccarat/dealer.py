"""Baccarat from a shoe that reads its cards, over a felt that may read them too; any book of the family."""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.games.baccarat.tableau import BANKER, HANDS, INITIAL, PLAYER, Tableau
from pitwatch.rules.play.cards import JOKER
from pitwatch.sim_hw.dealers.baccarat.shoe import ShoeInPlay, figure
from pitwatch.sim_hw.dealers.card_dealer import CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.devices.angel_eye import AngelEyeShoe
from pitwatch.sim_hw.patrons.bank import BankMarker
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"baccarat": ["shoe/angel_eye", "Baccarat"]}

FELT = "card_position/card_lines"
LEFT_IN_SHOE = 30
"""So few cards behind the cut card go through the rack's optic; a shoe given up early is lifted out."""

AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "burn-count-wrong")
ORDER = "wrong-initial-sequence"
BANK, FREE, LATE, BURN = "bank-held-too-long", "free-hands-over-limit", "late-wager", "accidental-burn"


class Baccarat(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to come about."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "third-card-rule": Fault("a third card is drawn that the tableau forbids, or left out that it requires"),
        "more-than-one-extra-card": Fault("a hand that drew its third card gets a fourth"),
        ORDER: Fault("the second card is laid to the player, the third to the banker", (FELT,)),
        "burn-count-wrong": Fault("the new shoe's burn is a card short or over"),
        "no-more-bets-not-called": Fault("the round is dealt without the call", ("panel#no-more-bets",)),
        "dealt-past-last-hand": Fault("one more hand is dealt after the last"),
        "duplicate-card": Fault("a card comes out once more than the decks hold it"),
        "foreign-card": Fault("the banker's third card is a joker", (FELT,)),
        "deck-count-mismatch": Fault(
            "more cards come into the discard rack than the decks hold", ("discard_rack#card", "discard_rack#empty")
        ),
        "result-mismatch": Fault("the shoe declares another winner than the cards show"),
        BANK: Fault("one player keeps the bank for another round", ("seats#bank-1",)),
        FREE: Fault("one hand more without wagers is dealt from the shoe", ("seats#seat-1",)),
        LATE: Fault("somebody lays a wager while the cards are dealt", ("seats#seat-1",)),
        BURN: Fault(
            "a dealer comes to the game and burns a card",
            ("panel#dealer-change | key_reader/wiegand | key_reader/osdp",),
        ),
        **CardDealer.MACHINE_FAULTS,
    }

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """Where the banker's cards may wait beside the felt, it shows no order; the shoe counts the hands itself."""
        rule = table.game.rules.get(ORDER)
        felt = rule is not None and any("card_position" in need for need in rule.needs)
        return {name: fault for name, fault in cls.FAULTS.items() if felt or name != ORDER}

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("shoe", "angel_eye")
        assert spec is not None
        game = table.game
        self._device = AngelEyeShoe(scene, spec)
        decks = int(table.options.get("decks") or game.figure("decks"))
        self._shoe = ShoeInPlay(scene, game, decks, self._device)
        self._sensors = self.contacts("seats")
        self._seats = Seats(scene, table, self._sensors, self.contacts("progressive"))
        self._bank = BankMarker(scene, game, self._sensors, self._seats)
        self._tableau = Tableau(game.tables, dict(table.options))
        self._free_at_most = figure(game, "free-hands-per-shoe", 0) if self._sensors.has("seat-1") else 0
        self._in_error: tuple[str, ...] = tuple(game.tables.get("card-in-error", ()))
        self._relieves = BURN in game.rules
        self._hands: dict[str, list[str]] = {}
        self._laid: list[tuple[str, str]] = []
        self._kept: tuple[str, str] | None = None
        self._free = 0

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self.sign_on()
        self._bank.begin()
        self._fill_shoe(None)

    def play(self, fault: str | None) -> None:
        if fault in AT_THE_RESHUFFLE or self._shoe.rounds_left == 0:
            self._change_shoe(fault)
        elif fault == "equipment-malfunction":
            self._equipment_fails()
        elif fault == "tampering-suspected":
            self.open_lid()
        elif fault == "dealt-past-last-hand":
            self._shoe.stack.move_cut_card(self.rng.randrange(6))
            while self._shoe.rounds_left != 0:
                self._round(None)
        elif fault == "duplicate-card":
            self._deal_duplicate()
            return
        elif fault == "deck-count-mismatch":
            self._change_shoe(None, extra=self.rng.randint(1, 3))
        elif fault == FREE:
            self._change_shoe(None)
            while self._free < self._free_at_most:
                self._round(None, free=True)
        elif fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._next_round()
        elif fault == BURN:
            self._burn_by_accident()
            fault = None
        self._finish_fault(fault)

    def _finish_fault(self, fault: str | None) -> None:
        done = self._round(fault, free=fault == FREE)
        while not done:  # what is wanted needs a hand with a third card
            done = self._next_round(fault)
        if fault in self._in_error:
            self._phantom_hand(fault)
        if fault in ("dealt-past-last-hand", "foreign-card"):
            self._change_shoe(None)

    def _next_round(self, fault: str | None = None) -> bool:
        if self._shoe.rounds_left == 0:
            self._change_shoe(None)
        return self._round(fault)

    # -- the shoe

    def _change_shoe(self, fault: str | None, extra: int = 0) -> None:
        """What is left of the shoe goes into the rack, with `extra` cards that do not belong there; then a shuffle."""
        self.scene.pause(5, 15)
        self._shoe.give_up()
        if extra or self._shoe.stack.left < LEFT_IN_SHOE:
            self.discard(self._shoe.stack.left + extra)
        self.empty_rack()
        self.shuffle(fault)
        self._fill_shoe(fault)

    def _fill_shoe(self, fault: str | None) -> None:
        self._free, self._kept = 0, None
        if out := self._shoe.fill(wrongly=fault == "burn-count-wrong"):
            self.discard(out)

    def _deal_duplicate(self) -> None:
        """One copy too many of a card is in the shoe, and all of them lie near its front."""
        if self._shoe.rounds_left is not None or self._shoe.stack.left < 100 or self._felt.there:
            self._change_shoe(None)  # the felt's count is of the cards it saw from the shoe's start
        card = self._shoe.stack.gather(within=40, besides=self._shoe.burned, extra=True)
        while self._shoe.stack.holds(card):
            self._round(None)

    def _draw(self, hand: str, lay_at: str | None = None, joker: bool = False) -> None:
        """Draw a card to a hand; the cut card, if it comes now, first. `lay_at`: where it is laid by mistake."""
        card = self._shoe.draw(hand, len(self._hands[hand]) + 1, joker, in_round=any(self._hands.values()))
        self._hands[hand].append(card)
        self.scene.pause(0.3, 0.6)
        self._lay(lay_at or hand, card)
        self.scene.pause(0.6, 1.0)

    def _lay(self, position: str, card: str) -> None:
        self._laid.append((position, card))
        self._felt.lay(position, card)

    def _lift(self, position: str, card: str) -> None:
        self._laid.remove((position, card))
        self._felt.lift(position, card)
        if self._felt.there:
            self.scene.pause(0.05, 0.2)

    # -- the round

    def _round(self, fault: str | None, free: bool = False) -> bool:
        """Play one round; returns whether the fault came about. `free`: nobody bets."""
        scene, seats = self.scene, self._seats
        scene.pause(10, 25)
        if fault != BANK:
            self._bank.offer()
        seats.come_and_go(leave_free=1 if fault == LATE else 0)
        if free or self._free_hand():
            self._nobody_bets()
        else:
            seats.bet()
        if self._relieves and fault is None and scene.chance(0.03):
            self.relieve()
            scene.pause(1, 3)
        self._hands = {hand: [] for hand in HANDS}
        if fault == ORDER:
            stack = self._shoe.stack
            stack.want(2, stack.peek(1)[0])  # to the shoe's own count of the hands nothing is wrong
        if fault != "no-more-bets-not-called":
            self.key("no_more_bets")
            scene.pause(0.5, 1.5)
        self._shoe.look_for_cut_card(in_round=False)
        self._deal_four(fault)
        scene.pause(2, 4)
        done = self._third_cards(fault)
        self._declare(fault)
        scene.pause(4, 10)
        self._collect(fault)
        seats.settle()
        self.key("round_over")
        self._bank.played()
        if self._shoe.rounds_left:
            self._shoe.rounds_left -= 1
        return done

    def _deal_four(self, fault: str | None) -> None:
        for number, hand in enumerate((PLAYER, BANKER, PLAYER, BANKER)):
            if fault == LATE and number == 2:
                self._seats.lay_late()
            wrong = fault == ORDER and number in (1, 2)
            self._draw(hand, lay_at=(BANKER if hand == PLAYER else PLAYER) if wrong else None)

    def _due(self) -> str | None:
        """The hand that must draw, if one must; where the document leaves it open, the dealer does either."""
        due = sorted(self._tableau.next_cards(self._hands[PLAYER], self._hands[BANKER]), key=str)
        return self.rng.choice(due)

    def _third_cards(self, fault: str | None) -> bool:
        if fault == "third-card-rule":
            return self._draw_wrongly()
        drew = []
        while (hand := self._due()) is not None:
            joker = fault == "foreign-card" and hand == BANKER
            self._draw(hand, joker=joker)
            if joker:
                return True
            drew.append(hand)
            if fault == "more-than-one-extra-card":
                self._draw(hand)
                fault = None
        return fault not in ("more-than-one-extra-card", "foreign-card")

    def _draw_wrongly(self) -> bool:
        """At the first decision: a card where none is due, none where one is, or one to the wrong hand. Where the
        document leaves the decision open nothing is wrong, and the hand is played on."""
        due = self._tableau.next_cards(self._hands[PLAYER], self._hands[BANKER])
        if len(due) > 1:
            self._third_cards(None)
            return False
        if due == {None}:
            self._draw(self.rng.choice(HANDS))
        elif self.scene.chance(0.5):
            self._draw(BANKER if due == {PLAYER} else PLAYER)
        return True

    def _declare(self, fault: str | None) -> None:
        """The shoe's own result, a little after the last card."""
        player, banker = self._hands[PLAYER], self._hands[BANKER]
        self.scene.pause(0.5, 1.5)
        if JOKER in banker:
            self._device.result("forced_quit", ())
            return
        winner = str(self._tableau.result(player, banker)["winner"])
        if fault == "result-mismatch":
            winner = self.rng.choice([each for each in (PLAYER, BANKER, "tie") if each != winner])
        self._device.result(winner, sorted(self._tableau.pairs(player, banker) or ()))

    def _collect(self, fault: str | None) -> None:
        """The cards go into the rack; where the book carries it on, not one that was drawn in error."""
        dealt = len(self._laid)
        keep = fault in self._in_error and any(len(hand) > INITIAL for hand in self._hands.values())
        self._kept = self._laid[-1] if keep else None
        for position, card in [*self._laid][: dealt - keep]:
            self._lift(position, card)
        self.discard(dealt - keep)

    # -- what goes on beside the cards

    def _free_hand(self) -> bool:
        """A patron may ask for a hand without wagers."""
        return self._free < self._free_at_most and self.scene.chance(0.05)

    def _nobody_bets(self) -> None:
        self._free += 1
        for seat in self._seats.wagers:
            self._sensors.set(seat, 0)
        self.scene.wait(1)

    def _burn_by_accident(self) -> None:
        if self._shoe.rounds_left == 0 or self._shoe.stack.before_cut < 10:
            self._change_shoe(None)
        self._next_round()
        while self._shoe.rounds_left == 0:
            self._change_shoe(None)
            self._next_round()
        self._seats.bet()  # the game is live
        self.relieve()
        self.scene.pause(1, 3)
        self._shoe.burn(1)
        self.scene.pause(1, 2)
        self.discard(1)
        self._phantom_hand(None)

    def _phantom_hand(self, fault: str | None) -> None:
        """A round without wagers, by the house's rules; the shoe is set not to follow it."""
        if fault == "third-card-rule" and self._kept is None:
            return  # a card was left out, none drawn in error
        scene = self.scene
        scene.pause(8, 15)
        drawn = 0

        def draw() -> str:
            nonlocal drawn
            drawn += 1
            card = self._shoe.stack.draw()
            self._device.outside(drawn, card)
            scene.pause(0.5, 1)
            return card

        hands: dict[str, list[str]] = {hand: [] for hand in HANDS}
        if self._kept is not None:
            self._lift(*self._kept)
            hands[PLAYER].append(self._kept[1])
            self._lay(PLAYER, self._kept[1])
            scene.wait(1)
        while (hand := min(self._tableau.next_cards(hands[PLAYER], hands[BANKER]), key=str)) is not None:
            card = draw()
            hands[hand].append(card)
            self._lay(hand, card)
            scene.pause(0.6, 1)
        scene.pause(3, 6)
        self._kept = None
        self._collect(None)
        self.key("round_over")

    def _equipment_fails(self) -> None:
        if self._rack.has("card"):
            self.stick_in_rack()
        else:
            self._change_shoe("equipment-malfunction")
