"""Poker against the dealer, dealt in packets by a shuffler onto a felt that reads cards. Document: toledo-2020,
Section Nine, lines 1759-1913, with lines 83-87. How many cards go where is the book's.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rules.cards import DECK, JOKER
from rules.deal_plan import DealPlan
from rules.people import SUPERVISORS
from rules.three_card import HANDS, HEIGHT, strength
from sim_hw.cards import Stack
from sim_hw.dealers.card_dealer import CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.felt import Felt
from sim_hw.scene import Scene
from sim_hw.seats import Seats
from sim_hw.table import SimTable

FELT = "card_position/card_lines"
METER = "progressive/lines"
AT_THE_SHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction")
CARDS = 3
"""Cards of a hand that the progressive looks at."""
MINI_ROYAL_SPADES = ("AS", "KS", "QS")


class Carnival(CardDealer):
    """One call of `play` is one round; the cards are shuffled before each."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("the machine puts a card too few or too many in a packet"),
        "shuffler-fault-during-deal": Fault("the machine jams while it deals", ("shuffler#jam",)),
        "packet-order": Fault("two packets are laid down in the wrong order", (FELT,)),
        "unbet-pile": Fault("a packet is laid at a seat without a wager, and moved or left there", (FELT, "seats")),
        "duplicate-card": Fault("a card of another deck is among the cards", (FELT,)),
        "foreign-card": Fault("a joker is among the cards", (FELT,)),
        "keyed-hand-not-seen": Fault("a hand is keyed that nobody has", (FELT, METER)),
        "mini-royal-spades-jackpot": Fault(
            "a patron with a progressive wager is dealt the jackpot hand", (FELT, METER)
        ),
        "second-mini-royal-spades": Fault(
            "while the jackpot is verified a linked table hits it too",
            (FELT, "progressive#jackpot"),
            ("mini-royal-spades-jackpot",),
        ),
        **CardDealer.MACHINE_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        felt = table.of("card_position", "card_lines")
        self._felt = Felt(scene, felt) if felt is not None else None
        self._meter = self.contacts("progressive")
        self._seats = Seats(scene, table, self.contacts("seats"), self._meter)
        self._plan = DealPlan(table.game)
        self._meter_hands: list[dict[str, Any]] = table.game.tables.get("progressive", [])

    def play(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(at_least=2 if fault == "packet-order" else 1, leave_free=1 if fault == "unbet-pile" else 0)
        if fault == "tampering-suspected":
            self.open_lid()
        self.shuffle(fault if fault in AT_THE_SHUFFLE else None)
        seats.bet()
        self._lit = seats.bet_progressive()
        scene.pause(3, 8)
        self._prepare_cards(fault)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        if self._deal(fault):
            self._decide()
            self._settle(fault)
        self._collect()
        seats.settle()
        self.key("round_over")
        self._clear_keys()
        if fault in ("mini-royal-spades-jackpot", "second-mini-royal-spades"):
            self._verify_jackpot(fault)

    def shuffle_time(self) -> float:
        return self.rng.uniform(12, 25)

    # -- the cards

    def _prepare_cards(self, fault: str | None) -> None:
        """What everybody will get. A hand that takes the meter, which stops the game, is only planned."""
        seats = self._seats
        if fault in ("mini-royal-spades-jackpot", "second-mini-royal-spades") and not self._lit:
            self._lit = seats.bet_progressive(seats.wagers[0])
        while True:
            stack = Stack(self.rng, 1, None)
            self._slots = self._plan.packets(seats.wagers)
            self._piles = {position: [stack.draw() for _ in range(cards)] for position, cards in self._slots}
            if not any(self._takes_the_meter(seat) for seat in self._lit):
                break
        self._rest = stack
        if fault in ("mini-royal-spades-jackpot", "second-mini-royal-spades"):
            self._deal_jackpot(self.rng.choice(self._lit))
        elif fault == "foreign-card":
            self._piles[self.rng.choice(list(self._piles))][0] = JOKER
        elif fault == "duplicate-card":
            one, other = self.rng.sample(list(self._piles), 2)
            self._piles[one][0] = self._piles[other][-1]
        elif fault == "wrong-card-count":
            position = self.rng.choice(list(self._piles))
            if self.scene.chance(0.5):
                self._piles[position].append(stack.draw())
            else:
                self._piles[position].pop()

    def _takes_the_meter(self, seat: str) -> bool:
        names = self._progressive_hands(self._piles[seat])
        return any(entry.get("meter") and entry["hand"] in names for entry in self._meter_hands)

    def _progressive_hands(self, cards: list[str]) -> list[str]:
        """The names, best first, under which the book's progressive pays a hand."""
        if len(cards) != CARDS or JOKER in cards or len(set(cards)) < CARDS:
            return []
        place, *heights = strength(cards)
        return [
            entry["hand"]
            for entry in self._meter_hands
            if entry["of"] == HANDS[place]
            and ("top" not in entry or heights[0] == HEIGHT[entry["top"]])
            and ("suit" not in entry or cards[0][1] == entry["suit"])
        ]

    def _deal_jackpot(self, seat: str) -> None:
        self._jackpot = seat
        self._piles[seat] = list(MINI_ROYAL_SPADES)
        rest = [card for card in DECK if card not in MINI_ROYAL_SPADES]
        self.rng.shuffle(rest)
        for position, pile in self._piles.items():
            if position != seat:
                self._piles[position] = [rest.pop() for _ in pile]

    # -- the deal

    def _deal(self, fault: str | None) -> bool:
        """Packet after packet, from the dealer's left, the dealer's last (1912). Returns whether all were dealt."""
        jam_at = self.rng.randrange(len(self._slots)) if fault == "shuffler-fault-during-deal" else None
        places = [position for position, _ in self._slots]
        if fault == "packet-order":
            first = self.rng.randrange(len(self._seats.wagers) - 1)
            places[first], places[first + 1] = places[first + 1], places[first]
        astray = self.rng.randrange(len(self._seats.wagers)) if fault == "unbet-pile" else None
        self._laid: list[str] = []
        for number, position in enumerate(places):
            if number == jam_at:
                self._jam_in_packet(self._piles[position])
                return False
            self._packet(len(self._piles[position]))
            if number == astray and self.scene.chance(0.5):
                self._lay_astray(position)
            else:
                self._lay(position, position)
                if number == astray:
                    self._deal_to_nobody()
            self._laid.append(position)
            self.scene.pause(0.3, 1)
        self.scene.pause(11, 20)
        return True

    def _packet(self, cards: int) -> None:
        """The machine runs and puts out a packet; the dealer takes it."""
        lines, rng = self._machine.lines, self.rng
        lines.set("motor", 1)
        after = rng.uniform(0.25, 0.5)
        for _ in range(cards):
            lines.pulse("card-exit", rng.uniform(25, 45), after=after)
            after += rng.uniform(0.11, 0.16)
        lines.set("motor", 0, after=after + 0.1)
        self.scene.wait(after + rng.uniform(0.75, 1.2))

    def _lay(self, position: str, at: str) -> None:
        if self._felt is None:
            return
        for number, card in enumerate(self._piles[position]):
            self._felt.lay(at, card, after=number * 0.04)
        self.scene.wait(0.2)

    def _lay_astray(self, position: str) -> None:
        """At a seat without a wager; the dealer sees it and moves the packet where it belongs."""
        assert self._felt is not None
        wrong = self.rng.choice(self._seats.empty)
        self._lay(position, wrong)
        self.scene.pause(1, 3)
        for card in self._piles[position]:
            self._felt.lift(wrong, card)
            self.scene.wait(0.05)
        self.scene.wait(0.5)
        self._lay(position, position)

    def _deal_to_nobody(self) -> None:
        """One packet more, at a seat without a wager."""
        seat = self.rng.choice(self._seats.empty)
        self._piles[seat] = [self._rest.draw() for _ in range(self._slots[0][1])]
        self._packet(len(self._piles[seat]))
        self._lay(seat, seat)
        self._laid.append(seat)

    def _jam_in_packet(self, pile: list[str]) -> None:
        """The machine jams after part of a packet; the cards are verified and shuffled again (87)."""
        lines = self._machine.lines
        lines.set("motor", 1)
        self.scene.wait(0.3)
        for _ in range(self.rng.randrange(len(pile))):
            lines.pulse("card-exit", self.rng.uniform(25, 45))
            self.scene.wait(0.13)
        self._machine.jam()
        self.scene.pause(20, 60)
        self.key("cards_verified")

    # -- after the deal

    def _decide(self) -> None:
        """Patrons play or fold; the cards of a hand that folds are taken in."""
        self._folded = [seat for seat in self._seats.wagers if self.scene.chance(0.25)]
        for _ in self._seats.wagers:
            self.scene.pause(1, 3)

    def _settle(self, fault: str | None) -> None:
        """The dealer's hand is turned, hands are compared, a hand for the progressive is keyed (1844)."""
        self.scene.pause(2, 4)
        held = {seat: self._progressive_hands(self._piles[seat]) for seat in self._seats.wagers}
        if fault == "keyed-hand-not-seen":
            known = {name for names in held.values() for name in names}
            wrong = [entry["hand"] for entry in self._meter_hands if entry["hand"] not in known]
            self._key_hand(self.rng.choice([hand for hand in wrong if self._meter.has(f"hand-{hand}")]))
        for seat in self._lit:
            if held[seat]:
                self._key_hand(held[seat][0])
        self.scene.pause(2, 6)

    def _key_hand(self, hand: str) -> None:
        """Its lamp stays lit until it is keyed again: by mistake, or once it is paid."""
        self._meter.set(f"hand-{hand}", 1)
        self.scene.pause(0.5, 2)

    def _clear_keys(self) -> None:
        for entry in self._meter_hands:
            self._meter.set(f"hand-{entry['hand']}", 0)
        self.scene.wait(0.2)

    def _collect(self) -> None:
        """The cards are taken in from the dealer's right."""
        if self._felt is None:
            return
        for position in reversed(self._laid):
            for card in self._piles[position]:
                self._felt.lift(position, card)
                self.scene.wait(0.05)
            self.scene.pause(0.2, 0.6)

    def _verify_jackpot(self, fault: str) -> None:
        """The meter registers the jackpot and is locked until a supervisor has verified it."""
        meter = self._meter
        meter.press("jackpot-" + self._jackpot[5:], 1.0)
        self.scene.wait(1.5)
        meter.set("meter-lock", 1)
        if fault == "second-mini-royal-spades":
            self.scene.pause(2, 20)
            meter.press("jackpot", 1.0)
        self.scene.pause(30, 90)
        self.badge(*SUPERVISORS)
        self.scene.pause(1, 3)
        meter.set("meter-lock", 0)
        self.scene.wait(1)
