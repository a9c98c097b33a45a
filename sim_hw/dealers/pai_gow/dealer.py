"""Pai gow, with cards or tiles: packets from a shuffler or by hand, delivered round the table onto a felt that reads.

How many and which way round is the book's. Where the dealer has a place among the positions (the books of Ohio) the
start is drawn first and each packet delivered as it comes; else (california) all packets lie ready before the dice are
shaken, every seat gets one, and those at seats without a wager are taken back.
"""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.play.seats import DEALER
from pitwatch.sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.dealers.pai_gow.cards import Cards
from pitwatch.sim_hw.dealers.pai_gow.faults import FAULTS, SETTINGS
from pitwatch.sim_hw.dealers.pai_gow.start import Start
from pitwatch.sim_hw.devices.felt import readers
from pitwatch.sim_hw.patrons.player_bank import PlayerBank
from pitwatch.sim_hw.patrons.seats import Seats
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"pai-gow": ["card_position/card_lines", "PaiGow"], "tiles": ["card_position/card_lines", "PaiGow"]}


class PaiGow(CardDealer):
    """One call of `play` is one round, or as many as the fault needs; the cards are shuffled before each."""

    FAULTS: ClassVar[dict[str, Fault]] = FAULTS

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """Without those of parts of a hand, where no reader distinguishes parts."""
        parts = _parts_seen(table)
        return {rule: fault for rule, fault in cls.FAULTS.items() if parts or rule not in SETTINGS}

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game = table.game
        self._with_dealer = game.tables["start"]["ring"] == DEALER
        hands = int(game.figure("hands-dealt"))
        seats = [f"seat-{n}" for n in range(1, hands + (not self._with_dealer))]
        self._ring = [DEALER, *seats] if self._with_dealer else seats
        marker = self.contacts("seats")
        self._seats = Seats(scene, table, marker, self.contacts("progressive"), most=len(seats))
        self._bank = PlayerBank(scene, self._seats, marker, int(game.figure("bank-rounds-at-most")))
        self._start = Start(scene, table, self._ring, self._with_dealer, self._seats)
        self._cards = Cards(scene, table, self._ring)
        self._parts_seen = _parts_seen(table)
        self._laid: list[str] = []
        self._left_behind: list[str] = []
        self._set = False

    def begin(self) -> None:
        self._rack.set("empty", 1)

    def play(self, fault: str | None) -> None:
        if fault == "bank-held-too-long":
            self._bank.pass_on()
            for _ in range(self._bank.at_most + 1):
                self._bank.keep()
                self._round(None)
        else:
            self._bank.pass_when_due(to_house=self._with_dealer)
            self._round(fault)

    # -- a round

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(at_least=2, leave_free=1 if fault == "unbet-pile" else 0)
        if fault == "tampering-suspected":
            self.open_lid()
        self._change_deck(fault)
        seats.bet()
        scene.pause(2, 5)
        self._cards.prepare(fault, self._hands, DEALER if self._with_dealer else seats.banker)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        if self._deal(fault):
            self._take_back_unbet(fault)
            self._start.close_shaker()
            self._set_hands()
            scene.pause(3, 8)
        self._collect()
        seats.settle()
        self.key("collection_taken")
        self.key("round_over")
        self._clear_left_behind()

    def _change_deck(self, fault: str | None) -> None:
        if fault != "deck-not-alternated":
            self.key("deck_changed")
        if not self._talking.shuffle(self._cards.deck_size, fault if fault in AT_THE_SHUFFLE else None):
            self.key("cards_verified")
            self.scene.pause(30, 60)
            self.key("hand_shuffled")

    @property
    def _hands(self) -> list[str]:
        """Positions with a wager, that of the bank and the dealer's."""
        bank = [self._seats.banker] if self._seats.banker else []
        return [*self._seats.wagers, *bank, *([DEALER] if self._with_dealer else [])]

    # -- the deal

    def _deal(self, fault: str | None) -> bool:
        """Returns whether all packets were dealt."""
        self._laid = []
        jam_at = self.rng.randrange(len(self._ring)) if fault == "shuffler-fault-during-deal" else None
        touched_at = self.rng.randrange(1, len(self._ring) - 1)
        route = self._route(fault) if self._with_dealer else self._ring
        for number, at in enumerate(route):
            if number == jam_at:
                self._talking.jam()
                self.key("cards_verified")
                return False
            if number == touched_at and fault == "wager-touched-after-first-card":
                self._seats.lift_wager()
            if self._talking.there:
                self._talking.dispense(len(self._cards.piles[at]))
            if self._with_dealer:
                self._lay(at)
        self.scene.pause(0.5, 1)
        if self._cards.left_over:
            self.discard(self._cards.rest)
        if not self._with_dealer:
            for at in self._route(fault):
                self._lay(at)
        self.scene.pause(11, 20)
        return True

    def _route(self, fault: str | None) -> list[str]:
        return self._start.route(self._start.draw(fault), fault)

    def _lay(self, at: str) -> None:
        for number, card in enumerate(self._cards.piles[at]):
            self._felt.lay(at, card, after=number * 0.04)
        self._laid.append(at)
        self.scene.pause(0.5, 1)

    def _take_back_unbet(self, fault: str | None) -> None:
        """Where every seat gets a packet, those nobody bet on go to the discards."""
        self._left_behind = []
        if self._with_dealer:
            return
        unbet = [at for at in self._laid if at not in self._hands]
        if fault == "unbet-pile":
            self._left_behind = [self.rng.choice(unbet)]
        for at in unbet:
            if at not in self._left_behind:
                self._take(at)

    # -- setting and collecting

    def _set_hands(self) -> None:
        """Everybody takes up the cards and lays them down in two parts."""
        self._set = self._parts_seen and self._cards.size == 7
        for at in self._hands if self._set else ():
            if at == DEALER:
                continue  # no reader distinguishes the dealer's two hands
            pile = self._cards.piles[at]
            self._felt.gather(at, pile, 0.03)
            self.scene.pause(1, 3)
            for card in pile:
                self._felt.lay(self._part(at, card), card)
                self.scene.wait(0.03)

    def _part(self, at: str, card: str | None) -> str:
        """Where a card of a position lies."""
        front = self._cards.front.get(at, []) if self._set else []
        return f"{at}/2" if card in front else at

    def _take(self, at: str) -> None:
        """Take in the cards of a position, both parts."""
        pile = self._cards.piles[at]
        for card in pile:
            self._felt.lift(self._part(at, card), card)
            self.scene.wait(0.05)
        self.scene.pause(0.2, 0.6)
        self._laid.remove(at)
        self.discard(len(pile))

    def _collect(self) -> None:
        for at in [at for at in reversed(self._laid) if at not in self._left_behind]:
            self._take(at)
        self._set = False
        self.empty_rack()

    def _clear_left_behind(self) -> None:
        for at in list(self._laid):
            self._take(at)
        self.empty_rack()


def _parts_seen(table: SimTable) -> bool:
    """Whether the readers distinguish the two parts of a hand."""
    return any(position.endswith("/2") for position in readers(table))
