"""Blackjack from a shoe that reads its cards. Document: toledo-2020, Section Two, lines 96-514.

Patrons play by a simple strategy; the dealer keeps the house's rules. A fault that needs certain cards gets them: they
are looked for further on in the shoe and swapped to the front.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rules.blackjack_hand import Count
from rules.cards import JOKER
from rules.people import SUPERVISORS
from rules.seats import DEALER, seat_of, seat_order
from sim_hw.cards import Stack
from sim_hw.dealers.card_dealer import CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.felt import Felt
from sim_hw.scene import Scene
from sim_hw.seats import Seats
from sim_hw.shoes import shoe_of
from sim_hw.table import SimTable

FELT = "card_position/card_lines"
LAMPS = "progressive#coin-in-1"
LOCK = ("progressive#meter-lock", "@supervisor")
"""A meter that is locked out, and somebody whose key card opens it."""
KEYPAD = "progressive#hand-3-suited-7s | panel#hand-3-suited-7s"
PLACED = f"{FELT} | shoe/ndjson"
"""The places of the cards are known."""

CUT_FROM_BACK = 78
"""A deck and a half of six or eight decks behind the cut card."""
ENOUGH = 40
"""The house reshuffles while so many cards lie before the cut card: it then never comes out in a round (449)."""
AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction")


@dataclass(frozen=True)
class Rigged:
    """Ranks (or cards) for the fault: of the first seat, of the other seats, the dealer's, and what is drawn next."""

    first: str | Sequence[str] = "T9"
    others: str = "T9"
    dealer: str | Sequence[str] = "T9"
    then: str = ""


RIGGED: Mapping[str, Rigged] = {
    "wrong-card-count-dealer": Rigged(first="23", then="42"),
    "dealer-drew-against-rule": Rigged(dealer="T7"),
    "dealer-stood-against-rule": Rigged(dealer="T6"),
    "drawn-after-dealer-blackjack": Rigged(dealer="TA"),
    "player-drew-on-21": Rigged(first="56", then="T4"),
    "split-aces-one-card": Rigged(first="AA", then="564"),
    "split-order": Rigged(first="88", then="9T"),
    "split-unequal-values": Rigged(first="89", then="9T"),
    "split-too-often": Rigged(first="88", then="888TTTTT"),
    "blackjack-not-removed": Rigged(first="AK", others="56", dealer="6T", then="T"),
    "blackjack-removed-early": Rigged(first="AK", dealer="T7"),
    "progressive-jackpot-hand": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "second-jackpot-hand": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "jackpot-without-lockout": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "multiple-jackpots-same-round": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
}
"""No patron or dealer draws but as the fault wants it: all others stand on nineteen."""

JACKPOTS = (
    "progressive-jackpot-hand", "second-jackpot-hand", "jackpot-without-lockout", "multiple-jackpots-same-round",
)  # fmt: skip


@dataclass
class Hand:
    position: str
    cards: list[str] = field(default_factory=list)
    split: bool = False
    out: bool = False
    """Taken in: bust, paid, or void."""


class Blackjack(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to show."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count-player": Fault("a patron gets a card too few or too many", (PLACED,)),
        "wrong-card-count-dealer": Fault("the dealer's second card is forgotten", (PLACED,)),
        "wrong-initial-sequence": Fault("two patrons are dealt to in the wrong order", (PLACED,)),
        "dealer-drew-against-rule": Fault("the dealer draws on seventeen", (PLACED,)),
        "dealer-stood-against-rule": Fault("the dealer stands on sixteen", (PLACED,)),
        "drawn-after-dealer-blackjack": Fault("a card is dealt although the peek showed blackjack", ("peek",)),
        "player-drew-on-21": Fault("a patron with twenty-one gets another card", (PLACED,)),
        "split-aces-one-card": Fault("a split ace gets two cards", (PLACED,)),
        "split-order": Fault("the second split hand is dealt to before the first", (PLACED,)),
        "split-unequal-values": Fault("an eight and a nine are split", (PLACED,)),
        "split-too-often": Fault("a hand is split four times", (FELT,)),
        "blackjack-not-removed": Fault("a third card is dealt while a paid blackjack lies there", (FELT,)),
        "blackjack-removed-early": Fault("a blackjack is paid before all have two cards", (FELT,)),
        "mid-shoe-entry": Fault("a patron who was not in the shoe's first round bets", ("seats",)),
        "cut-card-mid-round": Fault("the cut card comes out in a round"),
        "cut-card-first-card": Fault("the cut card is the first card of a round"),
        "dealt-past-cut-card": Fault("a round is dealt after the cut card", (), ("cut-card-mid-round",)),
        "relief-dealer-no-burn": Fault("a relief dealer deals at once", (PLACED, "panel#dealer-change | @dealer*2")),
        "duplicate-card": Fault("a card comes out once more than the decks hold it", (PLACED,)),
        "foreign-card": Fault("a joker comes out of the shoe", (PLACED,)),
        "deck-count-mismatch": Fault(
            "more cards come into the discard rack than the decks hold", ("discard_rack#card", "discard_rack#empty")
        ),
        "progressive-jackpot-hand": Fault("a patron whose light is lit has suited sevens", (PLACED, LAMPS, *LOCK)),
        "second-jackpot-hand": Fault(
            "a linked table hits while a jackpot is verified",
            (PLACED, LAMPS, *LOCK, "progressive#jackpot"),
            ("progressive-jackpot-hand",),
        ),
        "multiple-jackpots-same-round": Fault(
            "two patrons have three suited sevens",
            (PLACED, LAMPS, *LOCK),
            ("progressive-jackpot-hand", "second-jackpot-hand"),
        ),
        "jackpot-without-lockout": Fault(
            "the meter stays open after a jackpot", (PLACED, LAMPS, LOCK[0]), ("progressive-jackpot-hand",)
        ),
        "keyed-hand-not-seen": Fault("a hand is keyed that nobody has", (PLACED, KEYPAD)),
        "wager-while-locked-out": Fault("wagers are laid while the meter is locked out", LOCK),
        "unlocked-without-key-card": Fault("the meter is unlocked and no key card was shown", LOCK[:1]),
        **CardDealer.MACHINE_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec, felt = table.of("shoe"), table.of("card_position", "card_lines")
        assert spec is not None
        self._shoe = shoe_of(scene, spec)
        self._felt = Felt(scene, felt) if felt is not None else None
        self._peek = self.contacts("peek")
        self._meter = self.contacts("progressive")
        self._seats = Seats(scene, table, self.contacts("seats"), self._meter)
        self._count = Count(table.game.tables["points"], int(table.game.figure("target")))
        self._decks = int(table.options.get("decks", 8))
        self._order: list[str] = list(table.game.tables["initial-deal"])
        self._dealers = sorted(card for card, role in table.people.items() if role == "dealer")
        self._hands: list[Hand] = []
        self._dealer = Hand(DEALER)
        self._locked_in = False

    # -- the shoe

    def begin(self) -> None:
        self._rack.set("empty", 1)
        if self._dealers and self._reader is not None:
            self._reader.present(self._dealers[0])
            self.scene.wait(1)
        self.shuffle()
        self._fill_shoe()

    def _fill_shoe(self) -> None:
        self._stack = Stack(self.rng, self._decks, CUT_FROM_BACK if self._decks > 2 else 15)
        self._first_of_shoe = True
        self._cut_out = False
        self._burned: set[str] = set()
        self.scene.pause(5, 10)
        self._shoe.start(self._decks)
        self.scene.pause(1, 2)

    def _change_shoe(self, fault: str | None = None, extra: int = 0) -> None:
        """All cards are shuffled; with `extra`, some that do not belong go through the rack first."""
        self.scene.pause(5, 15)
        if extra:
            self.discard(self._stack.left + extra)
        self.empty_rack()
        self.shuffle(fault)
        self._fill_shoe()

    def _burn(self) -> None:
        """The first card goes to the discard rack."""
        card = self._stack.draw()
        self._burned.add(card)
        self._shoe.draw(card, "burn")
        self.scene.pause(0.8, 1.5)
        self.discard(1)

    def _give(self, hand: Hand) -> None:
        """Draw a card to a hand; the cut card, if it comes now, first."""
        if self._stack.cut_card_next():
            self._cut_out = True
            self._shoe.cut_card()
            self.scene.pause(1, 3)
        card = self._stack.draw()
        hand.cards.append(card)
        self._shoe.draw(card, hand.position)
        self.scene.pause(0.3, 0.5)
        if self._felt is not None:
            self._felt.lay(hand.position, card)
        self.scene.pause(0.4, 0.8)

    # -- a round and what goes on around it

    def play(self, fault: str | None) -> None:
        extra = self.rng.randint(1, 3) if fault == "deck-count-mismatch" else 0
        if fault in AT_THE_RESHUFFLE or extra or self._stack.before_cut < ENOUGH or self._cut_out:
            self._change_shoe(fault, extra)
        elif fault in RIGGED and (self._stack.before_cut < 3 * ENOUGH or self._stack.count("7H") < 5):
            self._change_shoe()
        if fault == "tampering-suspected":
            self.open_lid()
        if fault == "duplicate-card":
            self._deal_duplicate()
        elif fault == "dealt-past-cut-card":
            self._round("cut-card-mid-round")
            self._round(None)
        elif fault == "mid-shoe-entry" and self._first_of_shoe:
            self._round(None)
            self._round(fault)
        else:
            self._round(fault)

    def _deal_duplicate(self) -> None:
        """All copies of a card come out within a few rounds, and one more as the first card of the next."""
        while True:
            if self._stack.before_cut < 3 * ENOUGH or self.shuffled_by_hand:
                self._change_shoe()
            card = self._stack.gather(within=30, besides=self._burned)
            while self._stack.holds(card):
                self._round(None)
            if card not in self._burned:
                break
        self._duplicate = card
        self._round("duplicate-card")

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        self._come_and_go(fault)
        if fault == "wager-while-locked-out":
            self._meter.set("meter-lock", 1)
            scene.pause(5, 20)
        seats.bet()
        self._lit = seats.bet_progressive(*(seats.wagers[:2] if fault in JACKPOTS else ()))
        if fault == "relief-dealer-no-burn" or (fault is None and scene.chance(0.03)):
            self._relieve(burn=fault != "relief-dealer-no-burn")
        self._prepare_cards(fault)
        scene.pause(2, 5)
        self.key("no_more_bets")
        scene.pause(0.5, 1)
        if fault == "cut-card-first-card":
            self._cut_card_first()
        self._hands = [Hand(seat) for seat in seats.wagers]
        self._dealer = Hand(DEALER)
        self._first_of_shoe = False
        self._deal(fault)
        self._play_out(fault)
        self._key_hands(fault)
        scene.pause(2, 5)
        self._collect()
        seats.settle()
        self.key("round_over")
        self._after(fault)
        self._clear_keys()

    def _come_and_go(self, fault: str | None) -> None:
        """Where the house bars entering in the middle of a shoe, patrons change places only before its first round."""
        seats = self._seats
        pairs = ("wrong-initial-sequence", "blackjack-not-removed", "multiple-jackpots-same-round")
        barred = self.table.options.get("mid-shoe-entry") == "barred" and not self._first_of_shoe
        if fault == "mid-shoe-entry":
            self._intruder = self.rng.choice(seats.empty)
            seats.sit(self._intruder)
        elif not barred:
            seats.come_and_go(at_least=2, leave_free=1)
        assert fault not in pairs or len(seats.wagers) > 1

    def _relieve(self, burn: bool) -> None:
        """Another dealer takes over the live game and burns the first card (469)."""
        if len(self._dealers) > 1 and self._reader is not None:
            self._dealers.append(self._dealers.pop(0))
            self._reader.present(self._dealers[0])
            self.scene.wait(1)
        elif not self.key("dealer_change"):
            return
        self.scene.pause(1, 3)
        if burn:
            self._burn()

    def _cut_card_first(self) -> None:
        """No round is dealt: the cards are shuffled (495), and the round begins again from the new shoe."""
        self._stack.move_cut_card(0)
        self._stack.cut_card_next()
        self._shoe.cut_card()
        self.scene.pause(2, 5)
        self.key("round_over")
        self._change_shoe()
        self.scene.pause(2, 5)
        self.key("no_more_bets")
        self.scene.pause(0.5, 1)

    # -- the cards

    def _prepare_cards(self, fault: str | None) -> None:
        if fault == "cut-card-mid-round":
            self._stack.move_cut_card(self.rng.randrange(1, 4))
        elif fault == "duplicate-card":
            self._stack.slip_in(self._duplicate, ahead=0)
        elif fault == "foreign-card":
            self._stack.slip_in(JOKER, ahead=self.rng.randrange(4))
        elif fault is not None and fault in RIGGED:
            self._rig(RIGGED[fault], alike=2 if fault == "multiple-jackpots-same-round" else 1)
        else:
            self._avoid_jackpot()

    def _rig(self, rigged: Rigged, alike: int) -> None:
        """Swap the wanted cards forward; `alike` seats from the dealer's left get the first's, who acts first."""
        seats, stack = self._seats.wagers, self._stack
        at = 0
        passes = {"hands": 0, "dealer": 0}
        for step in self._order:
            number = passes[step]
            passes[step] += 1
            for index, _ in enumerate(seats if step == "hands" else (DEALER,)):
                wish = rigged.dealer if step == "dealer" else rigged.first if index < alike else rigged.others
                stack.want(at, wish[number])
                at += 1
        for number, rank in enumerate(rigged.then):
            stack.want(at + number, rank)

    def _avoid_jackpot(self) -> None:
        """A hand that takes the meter, which stops the game, is only planned: its up card is changed."""
        up = len(self._seats.wagers)
        if self._stack.peek(up)[0] == "7":
            self._stack.want(up, "8")

    # -- the deal

    def _deal(self, fault: str | None) -> None:
        """One card to each wager from the dealer's left, one to the dealer, and again (473-477)."""
        rng, hands = self.rng, self._hands
        victim = rng.choice(hands)
        wrong_pass = rng.randrange(2)
        too_many = self.scene.chance(0.5)
        for number, step in enumerate(self._order):
            if step == "dealer":
                if fault == "blackjack-removed-early" and number > 1:
                    self._take_in(hands[0])
                if fault == "wrong-card-count-dealer" and number > 1:
                    return
                self._give(self._dealer)
                continue
            order = list(hands)
            if fault == "wrong-initial-sequence" and number // 2 == wrong_pass:
                first = rng.randrange(len(order) - 1)
                order[first], order[first + 1] = order[first + 1], order[first]
            for hand in order:
                if fault == "wrong-card-count-player" and hand is victim and number > 1:
                    for _ in range(2 if too_many else 0):
                        self._give(hand)
                else:
                    self._give(hand)
        if fault == "wrong-card-count-player":
            self._take_in(victim)  # the hand is void (444)

    def _play_out(self, fault: str | None) -> None:
        """From the deal to the dealer's last card."""
        if self._dealer_has_blackjack():
            if fault == "drawn-after-dealer-blackjack":
                self._give(self._hands[0])
            return
        low = self._worth(self._dealer.cards[0]) < 10
        for hand in list(self._hands):
            if low and fault != "blackjack-not-removed" and self._natural(hand):
                self.scene.pause(1, 2)
                self._take_in(hand)  # announced, paid and removed before any third card (135)
        for hand in list(self._hands):
            if not hand.out:
                self._act(hand, fault if hand is self._hands[0] else None)
        if fault == "wrong-card-count-dealer":
            self._give(self._dealer)
        self._dealer_draws(fault)

    def _dealer_has_blackjack(self) -> bool:
        """The peek tells, where there is one; without it nobody knows before the hole card is turned."""
        dealer = self._dealer.cards
        if len(dealer) < 2 or self._worth(dealer[0]) < 10 or not self._peek.has("hole-checked"):
            return False
        self.scene.pause(2, 5)
        blackjack = self._natural(self._dealer)
        self._peek.set("hole-checked", 1)
        if blackjack:
            self._peek.set("blackjack", 1, after=0.1)
        self.scene.pause(1, 2)
        self._peek.set("hole-checked", 0)
        self._peek.set("blackjack", 0)
        self.scene.pause(0.5, 1)
        return blackjack

    # -- patrons

    def _worth(self, card: str) -> int:
        return self._count.worth(card) or 0

    def _natural(self, hand: Hand) -> bool:
        return not hand.split and self._count.natural([*hand.cards])

    def _total(self, hand: Hand) -> int:
        score = self._count.score(hand.cards)
        return score.total if score is not None else self._count.target

    def _act(self, hand: Hand, fault: str | None) -> None:
        """A patron plays a hand to its end."""
        pair = len(hand.cards) == 2 and hand.cards[0][0] == hand.cards[1][0] and hand.cards[0][0] in "A8"
        if (pair and not hand.split) or fault == "split-unequal-values":
            self._split(hand, fault)
            return
        if fault == "wrong-card-count-dealer":
            self._give(hand)
            self._give(hand)
        while self._wants_a_card(hand):
            self.scene.pause(0.5, 2)
            self._give(hand)
        if fault == "player-drew-on-21":
            self._give(hand)
        if self._total(hand) > self._count.target:
            self.scene.pause(0.5, 1)
            self._take_in(hand)

    def _wants_a_card(self, hand: Hand) -> bool:
        """Draws to twelve, or to seventeen against a high up card; never with an unread or foreign card in hand."""
        if self._count.score(hand.cards) is None:
            return False
        return self._total(hand) < (17 if self._worth(self._dealer.cards[0]) > 6 else 12)

    def _split(self, hand: Hand, fault: str | None) -> None:
        """A pair becomes two hands; the first gets its second card and is completed before the next (165)."""
        limit = int(self.table.game.figure("split-hands")) + (1 if fault == "split-too-often" else 0)
        aces = hand.cards[0][0] == "A"
        family = [hand]
        self._part(hand, family)
        at = 0
        while at < len(family):
            this = family[at]
            if fault == "split-order" and at == 0:
                self._give(family[1])
            if len(this.cards) < 2:
                self._give(this)
            again = this.cards[0][0] == this.cards[1][0] and not aces and len(family) < limit and self._felt is not None
            if again:
                self._part(this, family)
                continue
            if aces:
                if fault == "split-aces-one-card" and at == 0:
                    self._give(this)
            else:
                self._act(this, None)
            at += 1

    def _part(self, hand: Hand, family: list[Hand]) -> None:
        """The second card of a hand moves to a new hand of the seat, after all that are there."""
        new = Hand(f"{seat_of(hand.position)}/{len(family) + 1}", [hand.cards.pop()], split=True)
        hand.split = True
        family.append(new)
        self._hands.append(new)
        if self._felt is not None:
            self._felt.lift(hand.position, new.cards[0])
            self.scene.pause(0.3, 0.6)
            self._felt.lay(new.position, new.cards[0])
        self.scene.pause(0.5, 1)

    # -- the dealer

    def _dealer_draws(self, fault: str | None) -> None:
        """To seventeen, and nothing if no hand waits for it (498-499, 512)."""
        live = [hand for hand in self._hands if not hand.out and not self._natural(hand)]
        if not live and not self.table.options.get("buster-blackjack"):
            return
        while self._dealer_must_draw() and fault != "dealer-stood-against-rule":
            self.scene.pause(0.5, 1.5)
            self._give(self._dealer)
        if fault == "dealer-drew-against-rule":
            self._give(self._dealer)

    def _dealer_must_draw(self) -> bool:
        score = self._count.score(self._dealer.cards)
        stands = int(self.table.game.figure("dealer-stands"))
        if score is None:
            return False
        if score.total == stands and score.soft:
            return self.table.options.get("soft-17") == "draw"
        return score.total < stands

    # -- the end of the round

    def _take_in(self, hand: Hand) -> None:
        """The cards of a hand leave the layout."""
        hand.out = True
        if self._felt is not None:
            for card in hand.cards:
                self._felt.lift(hand.position, card)
                self.scene.wait(0.05)
        self.scene.wait(0.3)

    def _collect(self) -> None:
        """The dealer's own cards first, then from the far right counter-clockwise (494), all into the rack."""
        self._take_in(self._dealer)
        for hand in sorted(self._hands, key=lambda hand: seat_order(hand.position), reverse=True):
            if not hand.out:
                self._take_in(hand)
        self.discard(sum(len(hand.cards) for hand in (self._dealer, *self._hands)))

    # -- the progressive

    @property
    def _meter_hands(self) -> list[str]:
        entries: list[dict[str, Any]] = self.table.game.tables.get("progressive", [])
        return [entry["hand"] for entry in entries]

    def _key_hand(self, hand: str) -> None:
        """At the controller, where its lamp stays lit until it is keyed again, or at the panel."""
        if self._meter.has(f"hand-{hand}"):
            self._meter.set(f"hand-{hand}", 1)
        else:
            self.key(f"hand:{hand}")

    def _key_hands(self, fault: str | None) -> None:
        if fault == "keyed-hand-not-seen":
            self._key_hand("3-suited-7s")
        elif fault in JACKPOTS:
            self._key_hand("3-suited-7s")
            if fault != "jackpot-without-lockout":
                self._meter.set("meter-lock", 1, after=0.5)
        self.scene.wait(1)

    def _clear_keys(self) -> None:
        for hand in self._meter_hands:
            self._meter.set(f"hand-{hand}", 0)
        self.scene.wait(0.2)

    def _after(self, fault: str | None) -> None:
        """Who should not have entered leaves. After a jackpot the meter is locked until a supervisor has verified it
        and shown the key card (408-410)."""
        meter = self._meter
        if fault == "mid-shoe-entry":
            self._seats.leave(self._intruder)
        if fault in JACKPOTS:
            self.scene.pause(5, 30)
            meter.press("jackpot", 1.0)
            self.scene.pause(3, 30)
        if fault == "unlocked-without-key-card":
            meter.set("meter-lock", 1)
            self.scene.pause(20, 60)
            meter.set("meter-lock", 0)
            self.scene.wait(1)
        elif fault == "wager-while-locked-out" or (fault in JACKPOTS and fault != "jackpot-without-lockout"):
            if fault == "second-jackpot-hand":
                meter.press("jackpot", 1.0)
            self.scene.pause(30, 90)
            self._unlock()

    def _unlock(self) -> None:
        self.badge(*SUPERVISORS)
        self.scene.pause(1, 3)
        self._meter.set("meter-lock", 0)
        self.scene.wait(1)
