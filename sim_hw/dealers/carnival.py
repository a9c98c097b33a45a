"""Poker against the dealer or a pay table, dealt in packets by a shuffler onto a felt that reads cards.

How many cards go where, what is turned when, and which hands take the meter is the book's. Documents: toledo-2020,
Sections Nine to Twenty-Three; columbus-2016; the player-dealer games of california.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rules.cards import JOKER
from rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from rules.games.carnival.showdown import Showdown
from rules.people import SUPERVISORS
from rules.records import VOIDING
from rules.seats import DEALER, is_seat
from sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, TALKS, CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.poker_deals import PokerDeals, Target
from sim_hw.scene import Scene
from sim_hw.seats import Seats
from sim_hw.table import SimTable

FELT = "card_position/card_lines"
LAMPS = "progressive#coin-in-1"
LOCK = "progressive#meter-lock"
BANK = "bank-held-too-long"
ALTERNATE = "deck-not-alternated"
SEVERAL = "multiple-jackpots-same-round"
UNLOCKED = "unlocked-without-key-card"
LOCKED_OUT = "wager-while-locked-out"
NOT_LOCKED = "jackpot-without-lockout"
PREMIUM = "premium-hand-unverified"
LATE = "late-bet-change"
BURN = "burn"


class Carnival(CardDealer):
    """One call of `play` is one round, or as many as the fault needs; the cards are shuffled before each."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("the machine puts a card too few or too many in a packet"),
        "shuffler-fault-during-deal": Fault("the machine jams while it deals", (f"shuffler#jam | {TALKS}",)),
        "deck-count-mismatch": Fault("the machine counts a card too many, and deals", (TALKS,)),
        "packet-order": Fault("two packets are laid down in the wrong order", (FELT,)),
        "unbet-pile": Fault("a packet is laid at a seat without a wager, and moved or left there", (FELT, "seats")),
        "duplicate-card": Fault("a card of another deck is among the cards", (FELT,)),
        "foreign-card": Fault("a joker is among the cards", (FELT,)),
        "deal-before-shuffle-complete": Fault("the round is dealt from a deck that was not shuffled"),
        LATE: Fault("a wager is laid or taken back while the cards are dealt", ("seats", "panel#no-more-bets")),
        ALTERNATE: Fault("the deck is not changed for the other", ("panel#deck-changed",)),
        "two-decks-in-discard-rack": Fault(
            "the rack is not emptied of the last deck", ("discard_rack#card", "discard_rack#empty")
        ),
        BANK: Fault("one player keeps the bank for another round", ("seats#bank-1",)),
        **CardDealer.MACHINE_FAULTS,
    }

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """With those of the hands that come off the game's meter, and of verifying high hands where that shows."""
        faults = dict(cls.FAULTS)
        shows = {"key-card": "@supervisor", "panel-key": "panel#supervisor"}.get(str(table.options.get("verification")))
        if shows is not None:
            faults[PREMIUM] = Fault("nobody verifies a high hand", (FELT, shows))
        if JOKER in _deck_of(table):
            del faults["foreign-card"]  # the readers' codes hold nothing else
        meter = _meter_hands(table)
        if not meter:
            return faults
        announce, second = meter[0]["announce"], meter[0]["second"]
        seen, keys = (FELT, LAMPS, LOCK), "progressive#hand-" + meter[0]["hand"]
        opens = "@" + _unlockers(table)[0]
        any_key = " | ".join(f"progressive#hand-{entry['hand']}" for entry in table.game.tables["progressive"])
        faults["keyed-hand-not-seen"] = Fault("a hand is keyed that nobody has", (FELT, any_key))
        faults[announce] = Fault("a patron with a progressive wager is dealt a jackpot hand", seen)
        faults[second] = Fault(
            "while it is verified a linked table hits it too", (*seen, keys, "progressive#jackpot"), (announce,)
        )
        faults[SEVERAL] = Fault("two patrons have a jackpot hand", (*seen, "seats#seat-2"), (announce, second))
        faults[NOT_LOCKED] = Fault("the meter stays open after a jackpot", seen, (announce,))
        faults[LOCKED_OUT] = Fault("a progressive wager is laid while the meter is locked", seen, (announce,))
        faults[UNLOCKED] = Fault("the meter is unlocked without a key card", (*seen, opens), (announce,))
        return faults

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        self._meter = self.contacts("progressive")
        self._sensors = self.contacts("seats")
        self._seats = Seats(scene, table, self._sensors, self._meter)
        self._plan = DealPlan(table.game)
        self._showdown = Showdown(table.game)
        self._deals = PokerDeals(table.game, self.rng)
        self._entries: list[dict[str, Any]] = table.game.tables.get("progressive", [])
        self._jackpots = self._jackpot_rules()
        self._alternates = ALTERNATE in table.game.rules
        at_most = table.game.figures.get("bank-rounds-at-most")
        self._bank_at_most: int = at_most.value if at_most is not None and self._sensors.has("bank-1") else 0
        self._held = 0

    def _jackpot_rules(self) -> tuple[str, ...]:
        rules = [name for entry in _meter_hands(self.table) for name in (entry["announce"], entry["second"])]
        return (*rules, SEVERAL, NOT_LOCKED, LOCKED_OUT, UNLOCKED) if rules else ()

    def begin(self) -> None:
        self._rack.set("empty", 1)
        if self._bank_at_most:
            self._give_bank("seat-1")

    def play(self, fault: str | None) -> None:
        if fault == BANK:
            while self._held < self._bank_at_most:
                self._round(None)
        elif self._bank_at_most and self._held >= self._bank_at_most:
            self._pass_bank()
        self._round(fault)

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(
            at_least=2 if fault in ("packet-order", SEVERAL) else 1,
            leave_free=1 if fault in ("unbet-pile", LATE) else 0,
        )
        if self._alternates and fault != ALTERNATE:
            self.key("deck_changed")
        if fault != "two-decks-in-discard-rack":
            self.empty_rack()
        if fault == "tampering-suspected":
            self.open_lid()
        if fault != "deal-before-shuffle-complete":
            self.shuffle(fault if fault in AT_THE_SHUFFLE else None)
        seats.bet()
        self._lit = seats.bet_progressive()
        scene.pause(3, 8)
        self._prepare_cards(fault)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        if self._deal(fault):
            self._unload()
            self._turn_and_decide()
            self._settle(fault)
        self._collect()
        seats.settle()
        self.key("round_over")
        self._clear_keys()
        if fault in self._jackpots:
            self._verify_jackpot(fault)
        if fault not in self.table.game.rules or self.table.game.rules[fault].disposition not in VOIDING:
            self._held += 1

    def shuffle_time(self) -> float:
        return self.rng.uniform(12, 25)

    # -- the bank

    def _give_bank(self, seat: str) -> None:
        if self._seats.banker is not None:
            self._sensors.set("bank-" + self._seats.banker[5:], 0)
        self._seats.give_bank(seat)
        self._sensors.set("bank-" + seat[5:], 1)
        self._held = 0
        self.scene.wait(1)

    def _pass_bank(self) -> None:
        """Clockwise, to the next seat with a place for the marker."""
        banks = [f"seat-{n}" for n in range(1, 10) if self._sensors.has(f"bank-{n}")]
        self._give_bank(banks[(banks.index(self._seats.banker or banks[-1]) + 1) % len(banks)])

    # -- the cards

    def _prepare_cards(self, fault: str | None) -> None:
        """What everybody will get. A hand that takes the meter, which stops the game, is only planned."""
        wagers = self._seats.wagers
        self._slots = self._plan.packets(self._plan.in_order(wagers, self._seats.banker))
        fixed: dict[Target, str] = {}
        self._winners: list[str] = []
        self._premium: str | None = None
        if fault in self._jackpots:
            self._winners = self.rng.sample(wagers, 2 if fault == SEVERAL else 1)
            missing = [seat for seat in self._winners if seat not in self._lit]
            self._lit += self._seats.bet_progressive(*missing) if missing else []
            if fault == SEVERAL:
                fixed = self._deals.two_jackpots(self._slots, self._winners)
            else:
                entry = self.rng.choice(_meter_hands(self.table))
                fixed = self._deals.jackpot(self._slots, self._winners[0], entry)
        elif fault == PREMIUM:
            self._premium = self.rng.choice(wagers)
            fixed = self._deals.premium(self._slots, self._premium)
        self._piles, self._rest = self._deals.deal(self._slots, fixed, self._as_planned)
        self._spoil_cards(fault)

    def _as_planned(self, piles: dict[str, list[str]]) -> bool:
        """Whether nobody takes the meter, or has a high hand unverified, but those who are to."""
        cards = self._counted(piles)
        if self._premium and any(self._showdown.premium(cards, s) for s in self._seats.wagers if s != self._premium):
            return False
        return {seat for seat in self._lit if self._takes_the_meter(piles, seat)} == set(self._winners)

    def _spoil_cards(self, fault: str | None) -> None:
        if fault == "foreign-card":
            self._piles[self.rng.choice(list(self._piles))][0] = JOKER
        elif fault == "duplicate-card":
            one, other = self.rng.sample(list(self._piles), 2)
            self._piles[one][0] = self._piles[other][-1]
        elif fault == "wrong-card-count":
            dealt = [position for position in self._piles if is_seat(position) or position in self._plan.fixed]
            position = self.rng.choice(dealt)
            if self.scene.chance(0.5):
                self._piles[position].append(self._rest.pop())
            else:
                self._piles[position].pop()

    def _counted(self, piles: dict[str, list[str]]) -> dict[str, list[str | None]]:
        """The piles as they count, the burned card left out."""
        cards: dict[str, list[str | None]] = {position: list(pile) for position, pile in piles.items()}
        if self._plan.burned and COMMUNITY in cards:
            cards[COMMUNITY] = cards[COMMUNITY][: -self._plan.burned]
        return cards

    def _takes_the_meter(self, piles: dict[str, list[str]], seat: str) -> bool:
        names = self._showdown.progressive(self._counted(piles), seat) or ()
        return any(entry["hand"] in names for entry in _meter_hands(self.table))

    # -- the deal

    def _deal(self, fault: str | None) -> bool:
        """Packet after packet. Returns whether all were dealt."""
        places = [position for position, _ in self._slots]
        seats = [number for number, position in enumerate(places) if is_seat(position)]
        jam_at = self.rng.randrange(len(self._slots)) if fault == "shuffler-fault-during-deal" else None
        if fault == "packet-order":
            first = self.rng.randrange(len(seats) - 1)
            one, next_ = seats[first], seats[first + 1]
            places[one], places[next_] = places[next_], places[one]
        astray = self.rng.choice(seats) if fault == "unbet-pile" else None
        late = self.rng.randrange(len(seats)) if fault == LATE else None
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
            if number == late and number < len(places) - 1:
                self._change_wager()
        self.scene.pause(11, 20)
        self._burn()
        return True

    def _packet(self, cards: int) -> None:
        """The machine runs and puts out a packet; the dealer takes it."""
        if self._talking.there:
            self._talking.dispense(cards)
            return
        lines, rng = self._machine.lines, self.rng
        lines.set("motor", 1)
        after = rng.uniform(0.25, 0.5)
        for _ in range(cards):
            lines.pulse("card-exit", rng.uniform(25, 45), after=after)
            after += rng.uniform(0.11, 0.16)
        lines.set("motor", 0, after=after + 0.1)
        self.scene.wait(after + rng.uniform(0.75, 1.2))

    def _spot(self, position: str) -> str:
        """Where the cards of a position lie: those of the player who banks at that player's seat."""
        return self._seats.banker if position == DEALER and self._seats.banker is not None else position

    def _lay(self, position: str, at: str) -> None:
        if not self._felt.there:
            return
        for number, card in enumerate(self._piles[position]):
            self._felt.lay(self._spot(at), card, after=number * 0.04)
        self.scene.wait(0.3)

    def _lay_astray(self, position: str) -> None:
        """At a seat without a wager; the dealer sees it and moves the packet where it belongs."""
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
        self._piles[seat] = [self._rest.pop() for _ in range(self._plan.need(seat))]
        self._packet(len(self._piles[seat]))
        self._lay(seat, seat)
        self._laid.append(seat)

    def _change_wager(self) -> None:
        """Somebody lays a wager, or takes one back, while the cards are dealt."""
        if self.scene.chance(0.5):
            self._sensors.set(self.rng.choice(self._seats.empty), 1)
        else:
            self._sensors.set(self.rng.choice(self._seats.wagers), 0)
        self.scene.wait(0.8)

    def _jam_in_packet(self, pile: list[str]) -> None:
        """The machine jams after part of a packet; the cards are verified and shuffled again (87)."""
        if self._talking.there:
            self._talking.jam()
        else:
            self._stop_in_packet(self.rng.randrange(len(pile)))
        self.scene.pause(20, 60)
        self.key("cards_verified")

    def _stop_in_packet(self, cards: int) -> None:
        """The machine runs, puts out some of the cards and jams."""
        lines = self._machine.lines
        lines.set("motor", 1)
        self.scene.wait(0.3)
        for _ in range(cards):
            lines.pulse("card-exit", self.rng.uniform(25, 45))
            self.scene.wait(0.13)
        self._machine.jam()

    def _unload(self) -> None:
        """What is left in the machine goes into the discard rack."""
        if self._rack.has("card"):
            self.discard(len(self._rest))

    def _burn(self) -> None:
        """The bottom card of those for the board is burned (3323)."""
        self._burned: list[str] = []
        for _ in range(self._plan.burned):
            card = self._piles[COMMUNITY].pop()
            self._burned.append(card)
            if self._felt.there:
                self._felt.lift(COMMUNITY, card)
                self._felt.lay(BURN, card, after=0.6)
            self.scene.pause(1, 2)

    # -- after the deal

    def _turn_and_decide(self) -> None:
        """Patrons play or fold, and the dealer turns the community cards, some at a time."""
        board = list(self._piles.get(COMMUNITY, []))
        for cards in (*self.table.game.tables.get("turns", []), 0):
            for _ in self._seats.wagers:
                self.scene.pause(1, 3)
            for card in board[:cards]:
                if self._felt.there:
                    self._felt.lift(COMMUNITY, card)
                    self._felt.lay(COMMUNITY, card, after=0.4)
                self.scene.wait(0.6)
            board = board[cards:]

    def _held_hands(self) -> dict[str, tuple[str, ...]]:
        """The progressive hands by seat."""
        cards: dict[str, list[str | None]] = {position: list(pile) for position, pile in self._piles.items()}
        return {seat: self._showdown.progressive(cards, seat) or () for seat in self._seats.wagers}

    def _settle(self, fault: str | None) -> None:
        """The dealer's hand is turned, hands are compared, a hand for the progressive is keyed (1844)."""
        self.scene.pause(2, 4)
        self._verify_premium(fault)
        held = self._held_hands()
        if fault == "keyed-hand-not-seen":
            known = {name for names in held.values() for name in names}
            wrong = [entry["hand"] for entry in self._entries if entry["hand"] not in known]
            self._key_hand(self.rng.choice([hand for hand in wrong if self._meter.has(f"hand-{hand}")]))
        if self._winners:
            for seat in self._winners:
                self._register(seat, held[seat][0], fault)
        else:
            for seat in self._lit:
                if held[seat]:
                    self._key_hand(held[seat][0])
        self.scene.pause(2, 6)

    def _verify_premium(self, fault: str | None) -> None:
        shown_by = self.table.options.get("verification", "unseen")
        cards: dict[str, list[str | None]] = {position: list(pile) for position, pile in self._piles.items()}
        if fault == PREMIUM or not any(self._showdown.premium(cards, seat) for seat in self._seats.wagers):
            return
        if shown_by == "key-card":
            self.badge(*SUPERVISORS)
        elif shown_by == "panel-key":
            self.key("supervisor")

    def _key_hand(self, hand: str) -> None:
        """Its lamp stays lit until it is keyed again: by mistake, or once it is paid."""
        self._meter.set(f"hand-{hand}", 1)
        self.scene.pause(0.5, 2)

    def _clear_keys(self) -> None:
        for entry in self._entries:
            self._meter.set(f"hand-{entry['hand']}", 0)
        self.scene.wait(0.2)

    def _register(self, seat: str, hand: str, fault: str | None) -> None:
        """A jackpot hand is keyed, the meter registers it and is locked out."""
        meter = self._meter
        self._key_hand(hand)
        meter.press("jackpot-" + seat[5:], 1.0)
        self.scene.wait(1.5)
        if fault != NOT_LOCKED:
            meter.set("meter-lock", 1)
        if fault == _meter_hands(self.table)[0]["second"]:
            self.scene.pause(2, 20)
            meter.press("jackpot", 1.0)
            self.scene.wait(1.5)
        self._clear_keys()

    def _collect(self) -> None:
        """The cards are taken in from the dealer's right."""
        cards = 0
        for position in reversed(self._laid):
            for card in self._piles[position]:
                cards += 1
                if self._felt.there:
                    self._felt.lift(self._spot(position), card)
                    self.scene.wait(0.05)
            self.scene.pause(0.2, 0.6)
        if self._plan.burned and len(self._laid) >= len(self._slots):
            cards += len(self._burned)
            if self._felt.there:
                for card in self._burned:
                    self._felt.lift(BURN, card)
        if self._rack.has("card"):
            self.discard(cards)

    def _verify_jackpot(self, fault: str | None) -> None:
        """The meter is locked until somebody of rank has verified the jackpot and shown the key card."""
        meter = self._meter
        self.scene.pause(20, 60)
        if fault == LOCKED_OUT:
            seat = self._seats.wagers[0]
            meter.set("coin-in-" + seat[5:], 1)
            self.scene.pause(2, 5)
            meter.set("coin-in-" + seat[5:], 0)
        self.scene.pause(10, 30)
        if fault != UNLOCKED:
            self.badge(*_unlockers(self.table))
        self.scene.pause(1, 3)
        meter.set("meter-lock", 0)
        self.scene.wait(1)


def _meter_hands(table: SimTable) -> list[dict[str, Any]]:
    """The hands that come off the meter."""
    return [entry for entry in table.game.tables.get("progressive", []) if entry.get("meter")]


def _unlockers(table: SimTable) -> tuple[str, ...]:
    least = table.game.figures.get("unlock-by")
    return SUPERVISORS[SUPERVISORS.index(least.value) :] if least is not None else SUPERVISORS


def _deck_of(table: SimTable) -> tuple[str, ...]:
    jokers = table.game.figures.get("jokers")
    return (JOKER,) if jokers is not None and jokers.value else ()
