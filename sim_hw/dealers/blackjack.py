"""Blackjack and its relatives from a shoe that reads its cards, as the game's book has it; lines are those of
toledo-2020, Section Two.

Patrons play by a simple strategy; the dealer keeps the house's rules. A fault that needs certain cards gets them: they
are looked for further on in the shoe and swapped to the front.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from rules.cards import JOKER
from rules.games.blackjack.deal import left_of, spot_by_spot
from rules.games.blackjack.house import House
from rules.people import SUPERVISORS
from rules.seats import DEALER, seat_of, seat_order
from sim_hw.bank import BankMarker
from sim_hw.cards import Stack
from sim_hw.dealers import blackjack_faults
from sim_hw.dealers.blackjack_faults import BANK, CHART, JACKPOTS, RIGGED, Rigged
from sim_hw.dealers.card_dealer import CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.scene import Scene
from sim_hw.seats import Seats
from sim_hw.shoes import shoe_of
from sim_hw.table import SimTable

CUT_FROM_BACK = 78
"""A deck and a half of six or eight decks behind the cut card."""
ENOUGH = 40
"""The house reshuffles while so many cards lie before the cut card: it then never comes out in a round (449)."""
MOST_HANDS = 4
"""Hands that patrons make by splitting where the book sets no limit."""
WITH_CARDS = (*RIGGED, CHART, "split-too-often")
"""Faults that need certain cards."""
WRONG_EXCHANGES = ("invalid-zappit", "second-zappit", "zappit-cards-not-discarded")
AT_THE_RESHUFFLE = ("shuffler-fault-during-shuffle", "shuffle-count-failed", "equipment-malfunction")


@dataclass
class Hand:
    position: str
    cards: list[str] = field(default_factory=list)
    split: bool = False
    """Came of a split, an exchange or a switch: no blackjack."""
    out: bool = False
    """Taken in: bust, paid, or void."""


class Blackjack(CardDealer):
    """One call of `play` is one round, or as many as the fault needs to show."""

    FAULTS: ClassVar[dict[str, Fault]] = blackjack_faults.FAULTS

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        spec = table.of("shoe")
        assert spec is not None
        self._shoe = shoe_of(scene, spec)
        self._peek = self.contacts("peek")
        self._meter = self.contacts("progressive")
        self._seats = Seats(scene, table, self.contacts("seats"), self._meter)
        game = table.game
        figures = {name: figure.value for name, figure in game.figures.items()}
        self.house = House(game, table.options)
        self._count = self.house.count
        self._decks = int(table.options.get("decks") or figures["decks"])
        self._left_out, self._jokers = str(figures.get("ranks-left-out", "")), int(figures.get("jokers", 0))
        self._each_round = game.tables.get("deck-lasts") == "round"
        self._spots = int(figures.get("hands-a-seat", 1))
        self._enough = ENOUGH * self._spots
        self._exchanges: list[int] = game.tables.get("exchange", {}).get("totals", [])
        self._board: dict[str, int] | None = game.tables.get("board")
        self._only_for_live = bool(figures.get("draws-only-for-live-hands"))
        self._always = bool(figures.get("always-completes")) or any(
            table.options.get(name) is True for name in game.tables.get("completes-hand-for", ())
        )
        self._looks = "peek-from" in figures or self._board is not None or "drawn-after-dealer-blackjack" in game.rules
        self._order: list[str] = list(game.tables["initial-deal"])
        self._bank = BankMarker(scene, game, self.contacts("seats"), self._seats)
        self._hands: list[Hand] = []
        self._dealer = Hand(DEALER)
        self._unread: str | None = None
        """The dealer's hole card, if the felt could not read it."""

    # -- the shoe

    def begin(self) -> None:
        self._rack.set("empty", 1)
        self.sign_on()
        self._bank.begin()
        self.shuffle()
        self._fill_shoe()

    def _fill_shoe(self) -> None:
        cut = None if self._each_round else CUT_FROM_BACK if self._decks > 2 else 15
        self._stack = Stack(self.rng, self._decks, cut, self._left_out, self._jokers)
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
        if self._felt.there:
            self._felt.lay(hand.position, None if hand is self._dealer and card == self._unread else card)
        self.scene.pause(0.4, 0.8)

    # -- a round and what goes on around it

    def play(self, fault: str | None) -> None:
        extra = self.rng.randint(1, 3) if fault == "deck-count-mismatch" else 0
        if fault in AT_THE_RESHUFFLE or extra or self._stack.before_cut < self._enough or self._cut_out:
            self._change_shoe(fault, extra)
        elif fault in WITH_CARDS and (self._stack.before_cut < 3 * self._enough or self._stack.count("7H") < 5):
            self._change_shoe()
        if fault == "tampering-suspected":
            self.open_lid()
        if fault == "duplicate-card" and not self._each_round:
            self._deal_duplicate()
        elif fault == BANK:
            while self._bank.held < self._bank.at_most:
                self._next_round()
            self._next_round(fault)
        elif fault == "dealt-past-cut-card":
            self._round("cut-card-mid-round")
            self._round(None)
        elif fault == "mid-shoe-entry" and self._first_of_shoe:
            self._round(None)
            self._round(fault)
        else:
            self._round(fault)

    def _next_round(self, fault: str | None = None) -> None:
        if self._each_round or self._stack.before_cut < self._enough:
            self._change_shoe()
        self._round(fault)

    def _deal_duplicate(self) -> None:
        """All copies of a card come out within a few rounds, and one more as the first card of the next."""
        while True:
            if self._stack.before_cut < 3 * self._enough or self.shuffled_by_hand:
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
        if fault != BANK:
            self._bank.offer()
        self._come_and_go(fault)
        if fault == "wager-while-locked-out":
            self._meter.set("meter-lock", 1)
            scene.pause(5, 20)
        seats.bet()
        self._lit = seats.bet_progressive(*(seats.wagers[:2] if fault in JACKPOTS else ()))
        relieves = fault is None and "relief-dealer-no-burn" in self.table.game.rules and scene.chance(0.03)
        if fault == "relief-dealer-no-burn" or relieves:
            self._relieve(burn=fault != "relief-dealer-no-burn")
        self._hands = [Hand(position) for position in self._places()]
        self._dealer, self._unread = Hand(DEALER), None
        self._prepare_cards(fault)
        scene.pause(2, 5)
        self.key("no_more_bets")
        scene.pause(0.5, 1)
        if fault == "cut-card-first-card":
            self._cut_card_first()
        self._first_of_shoe = False
        self._deal(fault)
        self._play_out(fault)
        self._second_half(fault)
        self._key_hands(fault)
        scene.pause(2, 5)
        self._collect()
        seats.settle()
        self.key("round_over")
        self._bank.played()
        self._after(fault)
        self._clear_keys()

    def _places(self) -> list[str]:
        """The hands of the round in the order of the deal."""
        seats = self._seats.wagers
        hands = [seat if spot == 1 else f"{seat}/{spot}" for seat in seats for spot in range(1, self._spots + 1)]
        if self.table.game.tables.get("deal-starts") == "bank-left" and self._seats.banker is not None:
            return left_of(self._seats.banker, hands)[0]
        return spot_by_spot(hands)[0] if self.table.options.get("spots-dealt") == "spot-by-spot" else hands

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
        if not self.relieve():
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
            self._stack.slip_in(*((self._stack.peek(0), 1) if self._each_round else (self._duplicate, 0)))
        elif fault == "foreign-card":
            self._stack.slip_in(JOKER, ahead=self.rng.randrange(4))
        elif fault in WITH_CARDS:
            self._rig(self._rigged(str(fault)), alike=2 if fault == "multiple-jackpots-same-round" else 1)
            if fault == "hole-card-early":
                self._unread = self._stack.peek(2 * len(self._hands) + 1)
        else:
            self._avoid_jackpot()

    def _rigged(self, fault: str) -> Rigged:
        """The cards for a fault in this game."""
        if fault == CHART:
            stands_early = self.house.player_stands(["TS", "9S"])
            return Rigged(then="4") if stands_early else RIGGED["player-drew-on-21"]
        if fault == "split-too-often":
            rank = min("8K", key=self._split_limit)
            return Rigged(first=2 * rank, then=(self._split_limit(rank) - 1) * rank + "TTTTT")
        naturals = self.table.game.tables.get("naturals")
        if fault == "drawn-after-dealer-blackjack" and naturals:
            (one, *_), (other, *_) = naturals[0]["cards"]
            return Rigged(dealer=(other, one))
        return RIGGED[fault]

    def _split_limit(self, card: str) -> int:
        """Hands that a hand of such cards may become."""
        figures = self.table.game.figures
        kind = "aces" if card[0] == "A" else "tens" if card[0] in "TJQK" else ""
        if kind == "aces" and self.table.options.get("resplit-aces") is False:
            return 2
        figure = figures.get(f"split-hands-{kind}") or figures.get("split-hands")
        return int(figure.value) if figure is not None else MOST_HANDS

    def _rig(self, rigged: Rigged, alike: int) -> None:
        """Swap the wanted cards forward; `alike` hands of those dealt to first get the first's, who acts first."""
        hands, stack = self._hands, self._stack
        at = 0
        passes = {"hands": 0, "dealer": 0}
        for step in self._order:
            number = passes[step]
            passes[step] += 1
            for index, _ in enumerate(hands if step == "hands" else (DEALER,)):
                wish = rigged.dealer if step == "dealer" else rigged.first if index < alike else rigged.others
                stack.want(at, wish[number])
                at += 1
        for number, rank in enumerate(rigged.then):
            stack.want(at + number, rank)

    def _avoid_jackpot(self) -> None:
        """A hand that takes the meter, which stops the game, is only planned: its up card is changed."""
        up = len(self._hands)
        if self._meter_hands and self._stack.peek(up)[0] == "7":
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
        if fault == "zappit-before-dealer-check":
            self._exchange(self._hands[0])
        elif fault == "switch-before-dealer-check":
            self._switch(self._hands[:2], 1)
        if self._dealer_has_blackjack():
            if fault == "drawn-after-dealer-blackjack":
                self._give(self._hands[0])
            return
        if self._unread is not None and self._felt.there:
            self._felt.lay(DEALER, self._unread)
        low = self._worth(self._dealer.cards[0]) < 10
        for hand in list(self._hands):
            if low and fault != "blackjack-not-removed" and self._natural(hand):
                self.scene.pause(1, 2)
                self._take_in(hand)  # announced, paid and removed before any third card (135)
        for hand in self._in_turn():
            if not hand.out:
                if fault is None or (fault == "switch-not-second-cards" and hand is self._hands[0]):
                    self._may_switch(hand, 1 if fault is None else 0)
                self._act(hand, fault if hand is self._hands[0] else None)
        if fault == "wrong-card-count-dealer":
            self._give(self._dealer)
        self._dealer_draws(fault)

    def _dealer_has_blackjack(self) -> bool:
        """The peek tells, where there is one; without it nobody knows before the hole card is turned."""
        dealer = self._dealer.cards
        if len(dealer) < 2 or not self._looks or not self._peek.has("hole-checked"):
            return False
        naturals: list[dict[str, Any]] = self.table.game.tables.get("naturals", [])
        begins = [{dealer[0], dealer[0][0]} & {*one, *other} for one, other in (each["cards"] for each in naturals)]
        if not (any(begins) if naturals else self._worth(dealer[0]) >= 10):
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

    def _in_turn(self) -> list[Hand]:
        """The hands as they act: seat after seat as they were dealt to, of a seat the left one first."""
        seats = list(dict.fromkeys(seat_of(hand.position) for hand in self._hands))
        return sorted(self._hands, key=lambda hand: (seats.index(seat_of(hand.position)), seat_order(hand.position)))

    def _worth(self, card: str) -> int:
        return self._count.worth(card) or 0

    def _natural(self, hand: Hand) -> bool:
        return not hand.split and self._count.natural([*hand.cards])

    def _total(self, hand: Hand) -> float:
        score = self._count.score(hand.cards, hand.split)
        return score.total if score is not None else self._count.target

    def _act(self, hand: Hand, fault: str | None) -> None:
        """A patron plays a hand to its end."""
        if (self._is_pair(hand) and not hand.split) or fault in ("split-unequal-values", "split-too-often"):
            self._split(hand, fault)
            return
        if fault in WRONG_EXCHANGES or self._may_exchange(hand, fault):
            self._exchange(hand, beside=fault == "zappit-cards-not-discarded")
            if fault == "second-zappit":
                self._exchange(hand)
        if fault == "wrong-card-count-dealer":
            self._give(hand)
            self._give(hand)
        while self._wants_a_card(hand):
            self.scene.pause(0.5, 2)
            self._give(hand)
        if fault in ("player-drew-on-21", CHART) or fault == "too-many-cards":
            self._give(hand)
        if self._total(hand) > self._count.target:
            self.scene.pause(0.5, 1)
            self._take_in(hand)

    def _wants_a_card(self, hand: Hand) -> bool:
        """Draws to twelve, or to seventeen against a high up card, where the house lets it; never with an unread or
        foreign card in hand."""
        cards = [*hand.cards]
        if self._count.score(cards) is None or self.house.player_stands(cards, hand.split) is not False:
            return False
        if self.house.full(cards):
            return False
        return self._total(hand) < (17 if self._worth(self._dealer.cards[0]) > 6 else 12)

    @staticmethod
    def _is_pair(hand: Hand) -> bool:
        """A pair that patrons split."""
        return len(hand.cards) == 2 and hand.cards[0][0] == hand.cards[1][0] and hand.cards[0][0] in "A8"

    # -- an exchange, a switch

    def _may_exchange(self, hand: Hand, fault: str | None) -> bool:
        """Whether a patron gives back two cards that may go back."""
        if fault is not None or hand.split or not self._exchanges:
            return False
        score = self._count.score(hand.cards)
        allowed = score is not None and not score.soft and score.total in self._exchanges
        return allowed and self.scene.chance(0.7)

    def _exchange(self, hand: Hand, beside: bool = False) -> None:
        """The cards go to the rack and two new ones are dealt; `beside`: before the old ones are gone."""
        old, hand.split = list(hand.cards), True
        if beside:
            self._give(hand)
            self._give(hand)
        if self._felt.there:
            for card in old:
                self._felt.lift(hand.position, card)
                self.scene.wait(0.05)
        self.discard(len(old))
        del hand.cards[: len(old)]
        if not beside:
            self._give(hand)
            self._give(hand)

    def _may_switch(self, hand: Hand, place: int) -> None:
        """The patron of this first hand may switch with the other; cards at `place` change places."""
        if self._spots < 2 or "/" in hand.position:
            return
        hands = [each for each in self._hands if seat_of(each.position) == hand.position][:2]
        ready = not any(each.out or self._natural(each) or self._count.score(each.cards) is None for each in hands)
        if not place or (ready and self.scene.chance(0.4)):
            self._switch(hands, place)

    def _switch(self, hands: list[Hand], place: int) -> None:
        """The cards at this place of two hands change places: both are lifted, then laid (2815-2821)."""
        one, other = hands
        if self._felt.there:
            for hand in hands:
                self._felt.lift(hand.position, hand.cards[place])
                self.scene.pause(0.2, 0.4)
        one.cards[place], other.cards[place] = other.cards[place], one.cards[place]
        for hand in hands:
            hand.split = True
            if self._felt.there:
                self._felt.lay(hand.position, hand.cards[place])
                self.scene.pause(0.2, 0.4)
        self.scene.pause(0.5, 1)

    def _split(self, hand: Hand, fault: str | None) -> None:
        """A pair becomes two hands; the first gets its second card and is completed before the next (165)."""
        limit = self._split_limit(hand.cards[0]) + (1 if fault == "split-too-often" else 0)
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
            again = this.cards[0][0] == this.cards[1][0] and not aces and len(family) < limit and self._felt.there
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
        seat = seat_of(hand.position)
        number = len([each for each in self._hands if seat_of(each.position) == seat]) + 1
        new = Hand(f"{seat}/{number}", [hand.cards.pop()], split=True)
        hand.split = True
        family.append(new)
        self._hands.append(new)
        if self._felt.there:
            self._felt.lift(hand.position, new.cards[0])
            self.scene.pause(0.3, 0.6)
            self._felt.lay(new.position, new.cards[0])
        self.scene.pause(0.5, 1)

    # -- the dealer

    def _dealer_draws(self, fault: str | None) -> None:
        """By the house's rule, and nothing if no hand waits for it (498-499, 512)."""
        live = [hand for hand in self._hands if not hand.out and not self._natural(hand)]
        if not live and not self._always:
            return
        while self._dealer_must_draw() and fault != "dealer-stood-against-rule":
            self.scene.pause(0.5, 1.5)
            self._give(self._dealer)
        if fault == "dealer-drew-against-rule":
            self._give(self._dealer)

    def _dealer_must_draw(self) -> bool:
        return self.house.dealer_stands([*self._dealer.cards]) is False

    def _second_half(self, fault: str | None) -> None:
        """The dealer's hand is pushed to the middle and filled up; the dealer gets two more cards."""
        if self._board is None:
            return
        for hand in self._hands:
            if not hand.out:
                self._take_in(hand)
        board, dealers = Hand("community"), self._dealer
        hole = Hand(DEALER)
        if self._felt.there:
            for card in dealers.cards:
                self._felt.lift(DEALER, card)
                self.scene.wait(0.1)
            for card in dealers.cards[: self._board["cards"]]:
                self._felt.lay(board.position, card)
                self.scene.wait(0.1)
        wrong = self.rng.choice((-1, 1)) if fault == "community-count" else 0
        for _ in range(max(0, self._board["cards"] - len(dealers.cards) + wrong)):
            self._give(board)
        for _ in range(self._board["hole"]):
            self._give(hole)
        self.scene.pause(2, 5)
        self._hands += [board, hole]

    # -- the end of the round

    def _take_in(self, hand: Hand) -> None:
        """The cards of a hand leave the layout."""
        hand.out = True
        if self._felt.there:
            for card in hand.cards:
                self._felt.lift(hand.position, card)
                self.scene.wait(0.05)
        self.scene.wait(0.3)

    def _collect(self) -> None:
        """The dealer's own cards first, then from the far right counter-clockwise (494), all into the rack."""
        if self._board is None:
            self._take_in(self._dealer)
        elif self._felt.there:
            for card in self._dealer.cards[: self._board["cards"]]:
                self._felt.lift("community", card)
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
