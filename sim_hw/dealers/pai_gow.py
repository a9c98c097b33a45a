"""Pai gow, with cards or tiles: packets from a shuffler or by hand, delivered round the table onto a felt that reads.

How many and which way round is the book's. Where the dealer has a place among the positions (the books of Ohio) the
start is drawn first and each packet delivered as it comes; else (california) all packets lie ready before the dice are
shaken, every seat gets one, and those at seats without a wager are taken back.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

from rules.cards import DECK, JOKER
from rules.games.pai_gow.house_way import HouseWay
from rules.hands.joker_hands import WILD, Ranking
from rules.seats import DEALER
from sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, TALKS, CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.felt import readers
from sim_hw.reporter import Reporter
from sim_hw.scene import Scene
from sim_hw.seats import Seats
from sim_hw.table import SimTable

DICE = "dice/ndjson"
BANK = "seats#bank-1"
RACK = "discard_rack#card"
UNREADABLE = None

SETTINGS = ("foul-hand", "fouled-count", "house-way-not-followed")


class PaiGow(CardDealer):
    """One call of `play` is one round, or as many as the fault needs; the cards are shuffled before each."""

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("a packet has a card too few or too many"),
        "packet-order": Fault(
            "two packets are delivered in the wrong order, or the first to the wrong position", (DICE,)
        ),
        "remaining-cards-not-four": Fault("a card too few or too many is left over", (TALKS, RACK)),
        "unbet-pile": Fault("a packet stays at a seat without a wager", ("seats#seat-1",)),
        "foul-hand": Fault("a player sets two cards that outrank the five"),
        "fouled-count": Fault("a player sets three cards in front and four behind"),
        "house-way-not-followed": Fault("the player-dealer's hand is set otherwise", (BANK,)),
        "wager-touched-after-first-card": Fault("a wager is lifted while the cards are dealt", ("seats#seat-1",)),
        "shaker-under-shaken": Fault("the shaker is shaken twice", (DICE,)),
        "bank-held-too-long": Fault("a seat banks for a round more than it may", (BANK,)),
        "deck-not-alternated": Fault("the same deck is dealt again", ("panel#deck-changed",)),
        "duplicate-card": Fault("a card of another deck is among the cards"),
        "shuffler-fault-during-deal": Fault("the machine jams while it deals", (TALKS,)),
        **CardDealer.TALKING_FAULTS,
    }

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game = table.game
        self._parts_seen = _parts_seen(table)
        dice = table.of("dice", "ndjson")
        self._dice = Reporter(scene, dice) if dice is not None else None
        self._start: dict[str, str] = game.tables["start"]
        self._with_dealer = self._start["ring"] == DEALER
        hands = int(game.figure("hands-dealt"))
        seats = [f"seat-{n}" for n in range(1, hands + (not self._with_dealer))]
        self._ring = [DEALER, *seats] if self._with_dealer else seats
        self._size = int(game.figure("cards-per-hand"))
        self._marker = self.contacts("seats")
        self._seats = Seats(scene, table, self._marker, self.contacts("progressive"), most=len(seats))
        self._at_most = int(game.figure("bank-rounds-at-most"))
        joker = table.options.get("joker") or game.tables.get("joker")
        self._ranking = Ranking(joker, game.tables["ace-to-five"]) if joker else None
        chart: dict[str, Any] | None = game.tables.get("house-way")
        self._house_way = HouseWay(chart, self._ranking, joker == WILD) if chart and self._ranking else None
        self._banked = 0
        self._left_behind: list[str] = []
        self._set = False

    def begin(self) -> None:
        self._rack.set("empty", 1)

    def play(self, fault: str | None) -> None:
        if fault == "bank-held-too-long":
            self._pass_bank()
            for _ in range(self._at_most + 1):
                self._round(None)
        else:
            if self._banked >= self._at_most or self._seats.banker is None:
                self._pass_bank(house=self._with_dealer)
            self._round(fault)

    # -- who plays, who banks

    def _pass_bank(self, house: bool = False) -> None:
        """The bank goes to another seat, or back to the house: the marker lies at no seat."""
        marker, seats, before = self._marker, self._seats, self._seats.banker
        self._banked = 0
        if not marker.has("bank-1") or (house and before is None):
            return
        if before is not None:
            marker.set("bank-" + before[5:], 0)
            seats.banker = None
            self.scene.wait(0.5)
        if house:
            self.scene.wait(12)
            return
        seats.come_and_go(at_least=2)
        seat = self.rng.choice([each for each in seats.wagers if each != before])
        seats.give_bank(seat)
        marker.set("bank-" + seat[5:], 1)
        self.scene.wait(1)

    # -- a round

    def _round(self, fault: str | None) -> None:
        scene, seats = self.scene, self._seats
        seats.come_and_go(at_least=2, leave_free=1 if fault == "unbet-pile" else 0)
        if fault == "tampering-suspected":
            self.open_lid()
        self._change_deck(fault)
        seats.bet()
        scene.pause(2, 5)
        self._prepare_cards(fault)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        if self._deal(fault):
            self._take_back_unbet(fault)
            self._close_shaker()
            self._set_hands(fault)
            scene.pause(3, 8)
        self._collect()
        seats.settle()
        self.key("collection_taken")
        self.key("round_over")
        self._clear_left_behind()
        self._banked += 1

    def _change_deck(self, fault: str | None) -> None:
        if fault != "deck-not-alternated":
            self.key("deck_changed")
        if not self._talking.shuffle(self._deck_size, fault if fault in AT_THE_SHUFFLE else None):
            self.key("cards_verified")
            self.scene.pause(30, 60)
            self.key("hand_shuffled")

    @property
    def _deck_size(self) -> int:
        return len(self._ring) * self._size + self._left_over

    @property
    def _left_over(self) -> int:
        figures = self.table.game.figures
        return int(figures["cards-left-over"].value) if "cards-left-over" in figures else 0

    @property
    def _hands(self) -> list[str]:
        """Positions with a wager, that of the bank and the dealer's."""
        bank = [self._seats.banker] if self._seats.banker else []
        return [*self._seats.wagers, *bank, *([DEALER] if self._with_dealer else [])]

    @property
    def _house(self) -> str | None:
        return DEALER if self._with_dealer else self._seats.banker

    # -- the cards

    def _prepare_cards(self, fault: str | None) -> None:
        while True:
            cards = self._shuffled()
            self._piles = {at: [cards.pop() for _ in range(self._size)] for at in self._ring}
            self._rest = len(cards)
            self._spoil(fault, cards)
            if self._choose_settings(fault):
                break

    def _spoil(self, fault: str | None, cards: list[str | None]) -> None:
        """What is wrong with the packets, or with the `cards` left over."""
        if fault == "remaining-cards-not-four":
            self._rest += self.rng.choice((-1, 1))
        elif fault == "duplicate-card":
            one, other = self.rng.sample(self._hands, 2)
            self._piles[one][0] = next(card for card in self._piles[other] if card != JOKER)
        elif fault == "wrong-card-count":
            pile = self._piles[self.rng.choice(self._hands)]
            if cards and self.scene.chance(0.5):
                pile.append(cards.pop())
                self._rest -= 1
            else:
                pile.pop()
                self._rest += 1

    def _shuffled(self) -> list[str | None]:
        """A deck; tiles have no names that a reader knows."""
        if self._ranking is None:
            return [UNREADABLE] * self._deck_size
        cards: list[str | None] = [*DECK, JOKER]
        self.rng.shuffle(cards)
        return cards

    def _choose_settings(self, fault: str | None) -> bool:
        """Which cards everybody will set in front; False if these cards do not allow of the fault."""
        self._front: dict[str, list[str | None]] = {}
        wrong = None
        if fault in SETTINGS:
            house = fault == "house-way-not-followed"
            wrong = self._house if house else self.rng.choice([at for at in self._hands if at != self._house])
        for at in self._hands:
            front = self._front_of(at, fault if at == wrong else None)
            if front is None:
                return False
            self._front[at] = front
        return True

    def _front_of(self, at: str, fault: str | None) -> list[str | None] | None:
        pile, ranking = self._piles[at], self._ranking
        if ranking is None or len(pile) != self._size:
            return pile[:2]
        cards = [card for card in pile if card is not None]
        if fault == "fouled-count":
            return list(cards[:3])
        way = self._house_way.lows(cards) if self._house_way is not None else None
        fronts = [list(two) for two in combinations(cards, 2)]
        self.rng.shuffle(fronts)
        for front in fronts:
            foul = ranking.foul([card for card in cards if card not in front], front)
            fits = way is None or frozenset(front) in way
            if fault == "foul-hand":
                right = foul
            elif fault == "house-way-not-followed":
                right = way is not None and not fits and not foul
            else:
                right = not foul and fits
            if right:
                return list(front)
        return None

    # -- the start

    def _draw_start(self, fault: str | None) -> str:
        """Shake three dice and count their total round the table; returns where the delivery begins."""
        scene = self.scene
        scene.pause(2, 4)
        total = sum(self.rng.randint(1, 6) for _ in range(3))
        if self._dice is not None:
            self._dice.say("shaker_count", shakes=2 if fault == "shaker-under-shaken" else self.rng.randint(3, 5))
            scene.pause(1, 2)
            self._dice.say("start_number", number=total)
        scene.pause(1, 2)
        one = self._seats.banker or DEALER
        at = self._ring.index(one) if one in self._ring else 0
        steps = total - 1 if self._start["counts"] == "clockwise" else 1 - total
        return self._ring[(at + steps) % len(self._ring)]

    def _wrong_start(self, start: str) -> str:
        """A position that the number names neither way round."""
        one = self._seats.banker or DEALER
        at = self._ring.index(one) if one in self._ring else 0
        other = self._ring[(2 * at - self._ring.index(start)) % len(self._ring)]
        return self.rng.choice([each for each in self._ring if each not in (start, other)])

    def _route(self, start: str, fault: str | None) -> list[str]:
        swap = fault == "packet-order" and self.scene.chance(0.5)
        if fault == "packet-order" and not swap and (self._with_dealer or self._seats.banker):
            start = self._wrong_start(start)
        at, step = self._ring.index(start), 1 if self._start["delivers"] == "clockwise" else -1
        route = [self._ring[(at + step * n) % len(self._ring)] for n in range(len(self._ring))]
        if fault == "packet-order" and (swap or not (self._with_dealer or self._seats.banker)):
            first = self.rng.randrange(1, len(route) - 1)
            route[first], route[first + 1] = route[first + 1], route[first]
        return route

    # -- the deal

    def _deal(self, fault: str | None) -> bool:
        """Returns whether all packets were dealt."""
        self._laid: list[str] = []
        jam_at = self.rng.randrange(len(self._ring)) if fault == "shuffler-fault-during-deal" else None
        touched_at = self.rng.randrange(1, len(self._ring) - 1)
        route = self._route(self._draw_start(fault), fault) if self._with_dealer else list(self._ring)
        for number, at in enumerate(route):
            if number == jam_at:
                self._talking.jam()
                self.key("cards_verified")
                return False
            if number == touched_at and fault == "wager-touched-after-first-card":
                self._seats.lift_wager()
            if self._talking.there:
                self._talking.dispense(len(self._piles[at]))
            if self._with_dealer:
                self._lay(at)
        self.scene.pause(0.5, 1)
        if self._left_over:
            self.discard(self._rest)
        if not self._with_dealer:
            for at in self._route(self._draw_start(fault), fault):
                self._lay(at)
        self.scene.pause(11, 20)
        return True

    def _lay(self, at: str) -> None:
        for number, card in enumerate(self._piles[at]):
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

    def _take(self, at: str) -> None:
        """Take in the cards of a position, both parts."""
        front = self._front.get(at, []) if self._set else []
        for card in self._piles[at]:
            self._felt.lift(f"{at}/2" if card in front and self._parts_seen else at, card)
            self.scene.wait(0.05)
        self.scene.pause(0.2, 0.6)
        self._laid.remove(at)
        self.discard(len(self._piles[at]))

    def _close_shaker(self) -> None:
        """Covered, shaken once and put aside; told for the games of Ohio only."""
        if self._dice is not None and "shakes-at-least" in self.table.game.figures:
            self._dice.say("shaker_count", shakes=1)
            self.scene.pause(0.5, 1)

    # -- setting and collecting

    def _set_hands(self, fault: str | None) -> None:
        """Everybody takes up the cards and lays them down in two parts; some look first."""
        self._set = self._parts_seen and self._size == 7
        for at in self._hands if self._set else ():
            if at == DEALER:
                continue  # no reader tells the dealer's two hands apart
            pile = self._piles[at]
            for card in pile:
                self._felt.lift(at, card)
                self.scene.wait(0.03)
            self.scene.pause(1, 3)
            for card in pile:
                self._felt.lay(f"{at}/2" if card in self._front[at] else at, card)
                self.scene.wait(0.03)

    def _collect(self) -> None:
        for at in [at for at in reversed(self._laid) if at not in self._left_behind]:
            self._take(at)
        self._set = False
        self.empty_rack()

    def _clear_left_behind(self) -> None:
        for at in list(self._laid):
            self._take(at)
        self.empty_rack()

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """Without those of parts of a hand, where no reader tells parts apart."""
        parts = _parts_seen(table)
        return {rule: fault for rule, fault in cls.FAULTS.items() if parts or rule not in SETTINGS}


def _parts_seen(table: SimTable) -> bool:
    """Whether the readers tell the two parts of a hand apart."""
    return any(position.endswith("/2") for position in readers(table))
