"""Baccarat from a shoe that reads its cards. Document: Section Nineteen, lines 3819-4005."""

from __future__ import annotations

from typing import ClassVar

from rules.baccarat_tableau import BANKER, HANDS, PLAYER, Tableau
from sim_hw.angel_eye import AngelEyeShoe
from sim_hw.cards import CUT_CARD_FROM_BACK, Stack
from sim_hw.dealers.card_dealer import CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.scene import Scene
from sim_hw.table import SimTable

LEFT_IN_SHOE = 30
"""So few cards behind the cut card go through the rack's optic; a shoe given up early is lifted out."""

AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "burn-count-wrong")


class Baccarat(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to come about."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "third-card-rule": Fault("a third card is drawn that the tableau forbids, or left out that it requires"),
        "more-than-one-extra-card": Fault("a hand that drew its third card gets a fourth"),
        "burn-count-wrong": Fault("the new shoe's burn is a card short or over"),
        "no-more-bets-not-called": Fault("the round is dealt without the call", ("panel#no-more-bets",)),
        "dealt-past-last-hand": Fault("one more hand is dealt after the last"),
        "duplicate-card": Fault("a card comes out once more than the decks hold it"),
        "deck-count-mismatch": Fault(
            "more cards come into the discard rack than the decks hold", ("discard_rack#card", "discard_rack#empty")
        ),
        "result-mismatch": Fault("the shoe declares another winner than the cards show"),
        **CardDealer.MACHINE_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("shoe", "angel_eye")
        assert spec is not None
        self._shoe = AngelEyeShoe(scene, spec)
        self._tableau = Tableau(table.game.tables)
        self._burn: dict[str, int] = table.game.tables.get("burn", {})
        self._hands: dict[str, list[str]] = {}
        self._rounds_left: int | None = None

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self._fill_shoe(None)

    def play(self, fault: str | None) -> None:
        extra = self.rng.randint(1, 3) if fault == "deck-count-mismatch" else 0
        if fault in AT_THE_RESHUFFLE or extra or self._rounds_left == 0:
            self._change_shoe(fault, extra)
        if fault == "equipment-malfunction":
            self._equipment_fails()
        elif fault == "tampering-suspected":
            self.open_lid()
        elif fault == "duplicate-card":
            self._deal_duplicate()
            return
        elif fault == "dealt-past-last-hand":
            self._play_last_hands()
        done = self._round(fault)
        while not done:  # the fourth card needs a hand with a third
            if self._rounds_left == 0:
                self._change_shoe(None)
            done = self._round(fault)
        if fault == "dealt-past-last-hand":
            self._change_shoe(None)

    def _play_last_hands(self) -> None:
        """The cut card comes out within the next hand, and what may still be dealt after it is dealt."""
        if self._rounds_left is None:
            self._stack.move_cut_card(self.rng.randrange(6))
        while self._rounds_left != 0:
            self._round(None)

    # -- the shoe

    def _change_shoe(self, fault: str | None, extra: int = 0) -> None:
        """What is left of the shoe goes into the rack, with `extra` cards that do not belong there; then a shuffle."""
        self.scene.pause(5, 15)
        if extra or self._stack.left < LEFT_IN_SHOE:
            self.discard(self._stack.left + extra)
        self.empty_rack()
        self.shuffle(fault)
        self._fill_shoe(fault)

    def _fill_shoe(self, fault: str | None) -> None:
        """Fill the shoe, turn its first card and burn as many as it is worth (line 3984)."""
        scene, shoe = self.scene, self._shoe
        self._stack = Stack(self.rng, int(self.table.options.get("decks", 8)), CUT_CARD_FROM_BACK)
        self._rounds_left = None
        scene.pause(5, 10)
        shoe.start()
        scene.pause(3, 6)
        first = self._stack.draw()
        count = self._burn.get(first[0], 0)
        shoe.first_card(first)
        scene.pause(0.8, 1.2)
        shoe.burn_count(count)
        if fault == "burn-count-wrong":
            count += self.rng.choice((-1, 1))
        for number in range(count):
            scene.pause(0.8, 1.3)
            shoe.card("burn", min(number + 1, 10), self._stack.draw())
        scene.pause(1, 2)
        self.discard(1 + count)

    def _deal_duplicate(self) -> None:
        """One copy too many of a card is in the shoe, and all of them lie near its front."""
        if self._rounds_left is not None or self._stack.left < 100:
            self._change_shoe(None)
        card = self._stack.gather(within=40, extra=True)
        while self._stack.holds(card):
            self._round(None)

    def _draw(self, hand: str) -> None:
        """Draw a card to a hand; the cut card, if it comes now, first."""
        self._look_for_cut_card(started=True)
        card = self._stack.draw()
        self._hands[hand].append(card)
        self._shoe.card(hand, len(self._hands[hand]), card)
        self.scene.pause(0.9, 1.6)

    def _look_for_cut_card(self, started: bool) -> None:
        """The cut card during a round: that round and one more; before its first card: that round (3996, 4005)."""
        if not self._stack.cut_card_next():
            return
        self._shoe.cut_card()
        figure = self.table.game.figure
        if started and any(self._hands.values()):
            self._rounds_left = int(figure("rounds-after-cut-card")) + 1
        else:
            self._rounds_left = int(figure("rounds-when-cut-card-first"))
        self.scene.pause(2, 4)

    # -- the round

    def _round(self, fault: str | None) -> bool:
        """Play one round; returns whether the fault came about."""
        scene = self.scene
        scene.pause(10, 25)
        self._hands = {hand: [] for hand in HANDS}
        if fault != "no-more-bets-not-called":
            self.key("no_more_bets")
            scene.pause(0.5, 1.5)
        self._look_for_cut_card(started=False)
        for hand in (PLAYER, BANKER, PLAYER, BANKER):
            self._draw(hand)
        scene.pause(2, 4)
        done = self._third_cards(fault)
        self._declare(fault)
        scene.pause(4, 10)
        self.discard(sum(len(cards) for cards in self._hands.values()))
        self.key("round_over")
        if self._rounds_left:
            self._rounds_left -= 1
        return done

    def _due(self) -> str | None:
        """The hand that must draw, if one must."""
        return next(iter(self._tableau.next_cards(self._hands[PLAYER], self._hands[BANKER])))

    def _third_cards(self, fault: str | None) -> bool:
        if fault == "third-card-rule":
            self._draw_wrongly()
            return True
        drew = []
        while (hand := self._due()) is not None:
            self._draw(hand)
            drew.append(hand)
            if fault == "more-than-one-extra-card":
                self._draw(hand)
                fault = None
        return bool(drew) or fault != "more-than-one-extra-card"

    def _draw_wrongly(self) -> None:
        """At the first decision: a card where none is due, none where one is, or one to the wrong hand."""
        due = self._due()
        if due is None:
            self._draw(self.rng.choice(HANDS))
        elif self.scene.chance(0.5):
            self._draw(BANKER if due == PLAYER else PLAYER)

    def _declare(self, fault: str | None) -> None:
        """The shoe's own result, a little after the last card."""
        player, banker = self._hands[PLAYER], self._hands[BANKER]
        winner = str(self._tableau.result(player, banker)["winner"])
        if fault == "result-mismatch":
            winner = self.rng.choice([each for each in (PLAYER, BANKER, "tie") if each != winner])
        self.scene.pause(0.5, 1.5)
        self._shoe.result(winner, sorted(self._tableau.pairs(player, banker) or ()))

    def _equipment_fails(self) -> None:
        if self._rack.has("card"):
            self.stick_in_rack()
        else:
            self._change_shoe("equipment-malfunction")
