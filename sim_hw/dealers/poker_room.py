"""Poker among patrons, dealt by hand onto a felt that reads cards: any game whose streets are in the book.

Patrons fold, draw and peek at their cards; the dealer burns, deals, calls each betting round complete where the panel
has the key, and takes the document's way out where the stub runs short.
"""

from __future__ import annotations

from collections import deque
from typing import ClassVar

from rules.cards import DECK, JOKER
from rules.games.poker.bad_beat import QUADS, BadBeat
from rules.games.poker.pots import Pots
from rules.games.poker.streets import COMMUNITY, Street, Streets
from rules.seats import is_seat, seat_order
from sim_hw import poker_jackpots
from sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, TALKS, CardDealer
from sim_hw.dealers.dealer import Fault
from sim_hw.felt import readers
from sim_hw.poker_players import PokerPlayers
from sim_hw.scene import Scene
from sim_hw.table import SimTable

SHUFFLED_KEY = "panel#hand-shuffled"
CALL = "panel#no-more-bets"

SHORT_STUB = ("stub-short", "stub-plus-burns-short", "stub-last-card-used")
JACKPOTS = ("bad-beat-jackpot", "mini-bad-beat-jackpot", "too-few-players", "hole-cards-not-used")
JACKPOT_COUNT = "wrong-card-count-at-jackpot"

MOST = 6
"""Hands dealt where the stub is to suffice: seven times seven cards and the burns are more than a deck."""

FULL = 8
"""Hands of stud that run a deck short; seven of a draw game do."""


class PokerRoom(CardDealer):
    """One call of `play` is one hand; the cards are shuffled before each. READS_DOWN: cards that lie face down are read
    too; without it they are read when they are turned."""

    READS_DOWN = True

    FAULTS: ClassVar[dict[str, Fault]] = {
        "wrong-card-count": Fault("a hand gets a card too many or too few, or the flop has four cards"),
        "burn-missing": Fault("a street is dealt without a burn"),
        "burn-extra": Fault("two cards are burned"),
        "premature-deal": Fault("a street begins before the betting is called complete, or before the last is dealt"),
        "stub-short": Fault("so many stay in that the stub runs short; burn cards are shuffled in"),
        "stub-plus-burns-short": Fault(
            "nobody folds: even with the burn cards the stub is short", (SHUFFLED_KEY,), ("stub-short",)
        ),
        "stub-last-card-used": Fault("the last card of the stub is dealt in a draw", (), ("stub-short",)),
        "draw-count-mismatch": Fault("a patron gets a card more or fewer than he discarded"),
        "duplicate-card": Fault("a card of another deck is among the cards"),
        "foreign-card": Fault("a card that the deck does not hold is among the cards"),
        "bad-beat-jackpot": Fault("a hand high enough for the jackpot is beaten"),
        "mini-bad-beat-jackpot": Fault("aces full are beaten by four of a kind"),
        "too-few-players": Fault("the jackpot hand comes with three patrons dealt in"),
        "hole-cards-not-used": Fault("four of a kind without a pocket pair is beaten"),
        JACKPOT_COUNT: Fault(
            "the deck of a jackpot hand is a card short in the machine", (TALKS,),
            ("bad-beat-jackpot", "shuffle-count-failed"),
        ),
        **CardDealer.TALKING_FAULTS,
    }  # fmt: skip

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game = table.game
        self._streets = Streets(game, table.options)
        self._bad_beat = BadBeat(game, table.options)
        self._discards_one = any(phase.id == "discard" for phase in game.phases)
        self._full_deck = self._whole_deck()
        self._wagers = self.contacts("seats")
        seats = sorted((place for place in readers(table) if is_seat(place)), key=seat_order)
        figures = [game.figures[name].value for name in ("players-at-most", "hands-at-most", "seats-at-most")
                   if name in game.figures]  # fmt: skip
        self._most = min([*figures, len(seats)])
        self._players = PokerPlayers(self.rng, seats, min(MOST, self._most), fixed=False)

    def _whole_deck(self) -> list[str]:
        figures = self.table.game.figures
        left_out = figures["ranks-left-out"].value if "ranks-left-out" in figures else ""
        jokers = figures["jokers"].value if "jokers" in figures else 0
        return [card for card in DECK if card[0] not in left_out] + [JOKER] * jokers

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """A street without a burn can be told wherever burns are required; what the book has not is no fault here."""
        streets = Streets(table.game, table.options).all
        possible = dict(cls.FAULTS)
        if not any(street.needs_burn for street in streets):
            possible.pop("burn-missing")
        return possible

    # -- one hand

    def play(self, fault: str | None) -> None:
        scene = self.scene
        if fault == "tampering-suspected":
            self.open_lid()
        self._seat(fault)
        self._shuffle(fault if fault in AT_THE_SHUFFLE else None)
        self._set_up(fault)
        for seat in self._order:
            self._wagers.set(seat, 1)
        scene.pause(1, 4)
        self.key("no_more_bets")
        scene.pause(0.5, 1.5)
        for index in range(len(self._streets.all)):
            if len(self._live) < 2 or not self._street(index):
                break
        self._finish_hand()
        if fault == JACKPOT_COUNT:
            self._shuffle("shuffle-count-failed")

    def _seat(self, fault: str | None) -> None:
        draws = self._streets.draws
        if fault in SHORT_STUB:
            full = min(self._most, 7 if draws else FULL)
            self._players.next_hand(full, full)
        elif fault == "too-few-players":
            self._players.next_hand(2, 3)
        elif fault in (*JACKPOTS, JACKPOT_COUNT):
            self._players.next_hand(4)
        else:
            self._players.next_hand(2 if fault is None else 3)

    def _shuffle(self, fault: str | None) -> None:
        if not self._talking.shuffle(len(self._full_deck), fault):
            self.scene.pause(20, 60)
            self.key("hand_shuffled")

    def _set_up(self, fault: str | None) -> None:
        """Everybody's seat, the cards, and in which street the fault comes."""
        self._order = self._players.order()
        self._live = list(self._order)
        self._hands: dict[str, list[str]] = {seat: [] for seat in self._order}
        self._down: dict[str, list[str]] = {seat: [] for seat in self._order}
        self._board: list[str] = []
        self._burned: list[str] = []
        self._thrown: list[str] = []
        deck = list(self._full_deck)
        self.rng.shuffle(deck)
        self._stub = deque(deck)
        self._fault = fault
        self._stays = fault is not None
        self._mixed = False
        self._victim = self.rng.choice(self._order)
        self._variant = self._choose_variant(fault)
        self._at = self._choose_street(fault)
        if fault in JACKPOTS or fault == JACKPOT_COUNT:
            self._rig("bad-beat-jackpot" if fault in ("too-few-players", JACKPOT_COUNT) else fault)
        elif fault == "duplicate-card":
            self._stub[self.rng.randrange(1, self._sure_cards())] = self._stub[0]
        elif fault == "foreign-card":
            foreign = [card for card in (*DECK, JOKER) if card not in self._full_deck]
            self._stub[self.rng.randrange(self._sure_cards())] = self.rng.choice(foreign)

    def _sure_cards(self) -> int:
        """Cards that are laid where a reader sees them, whatever happens: those of the first street."""
        return self._streets[0].cards * len(self._order)

    def _choose_variant(self, fault: str | None) -> str:
        streets = self._streets
        if fault == "wrong-card-count":
            extra = ["extra"] if self._sure_cards() < len(self._stub) else []
            return self.rng.choice([*extra, "short", *(["board"] if streets.board else [])])
        if fault == "premature-deal":
            late = streets.board > 0
            return self.rng.choice([*(["call"] if self.table.has(CALL) else []), *(["late"] if late else [])])
        if fault == "draw-count-mismatch":
            return self.rng.choice(["more", "fewer"])
        return ""

    def _choose_street(self, fault: str | None) -> int:
        """The street that the fault is in."""
        streets = self._streets.all
        last = len(streets) - 1
        if fault == "burn-missing":
            return self.rng.choice([i for i, street in enumerate(streets) if street.needs_burn])
        if fault == "burn-extra":
            return self.rng.choice([i for i, street in enumerate(streets) if street.burn])
        if fault == "premature-deal":
            dealt = [i for i, street in enumerate(streets) if not street.draw]
            return self.rng.choice(dealt[2:]) if self._variant == "call" else 1
        if fault == "wrong-card-count" and self._variant == "short":
            return last if streets[last].deals_hands else 0
        if fault == "draw-count-mismatch":
            return next(i for i, street in enumerate(streets) if street.draw)
        return 0

    def _rig(self, fault: str) -> None:
        """The jackpot hand lies in the stub where it will be dealt; nobody else's comes near it."""
        holders = self.rng.sample(self._order, 2)
        own, board = poker_jackpots.hands(fault, self._streets.board > 0, self._streets.need(self._streets.last))
        fixed = dict(zip(holders, own, strict=True))
        rest = [card for card in self._stub if card not in {*board, *own[0], *own[1]}]
        pot, size = Pots(self.table.game, self.table.options).all[0], len(own[0])
        others = [seat for seat in self._order if seat not in fixed]
        while True:
            self.rng.shuffle(rest)
            piles = {seat: rest[number * size : (number + 1) * size] for number, seat in enumerate(others)}
            strengths = [pot.strength(pile, board) for pile in piles.values()]
            if all(strength is not None and strength[0] < QUADS for strength in strengths):
                break
        del rest[: size * len(others)]
        self._stub = deque(self._in_dealing_order({**piles, **fixed}, board, rest))

    def _in_dealing_order(self, piles: dict[str, list[str]], board: list[str], rest: list[str]) -> list[str]:
        hands, common, stub = {seat: list(cards) for seat, cards in piles.items()}, list(board), []
        for street in self._streets.all:
            stub += [rest.pop() for _ in range(street.burn or 0)]
            if street.to == COMMUNITY:
                stub += [common.pop(0) for _ in range(street.cards)]
            for _ in range(street.cards if street.deals_hands else 0):
                stub += [hands[seat].pop(0) for seat in self._order]
        return [*stub, *rest]

    # -- streets

    def _street(self, index: int) -> bool:
        """Deal one street and let the patrons bet; returns whether the hand goes on."""
        street = self._streets[index]
        if street.draw:
            if index == 1 or self._streets[index - 1].to != COMMUNITY:
                self._discard(index)
            self._draw(index)
        else:
            if index + 1 < len(self._streets.all) and self._streets[index + 1].draw and street.to == COMMUNITY:
                self._discard(index + 1)
            if not self._suffices(street):
                return self._short_stub(index)
            self._burn(index)
            self._deal(index)
        follows = index + 1 < len(self._streets.all) and self._streets[index + 1].draw > 0 and street.to == COMMUNITY
        if not follows:
            self._bet(index)
        return True

    def _suffices(self, street: Street) -> bool:
        owed = len(self._live) if street.deals_hands else 1
        return len(self._stub) >= street.cards * owed + (street.burn or 0 if street.needs_burn else 0)

    def _burn(self, index: int) -> None:
        street = self._streets[index]
        times = street.burn or 0
        if street.burn_optional and self._fault is None:
            times = self.rng.choice((0, 1))
        if street.burn is None and index and self._fault in SHORT_STUB:
            times = 1
        if index == self._at and self._fault == "burn-missing":
            times = 0
        if index == self._at and self._fault == "burn-extra":
            times = 2
        for _ in range(times):
            self._lay_burn(self._stub.popleft())

    def _lay_burn(self, card: str) -> None:
        self._burned.append(card)
        self._felt.lay("burn", card if self.READS_DOWN else None)
        self.scene.pause(0.4, 0.9)

    def _deal(self, index: int) -> None:
        street = self._streets[index]
        if street.to == COMMUNITY:
            extra = index == 1 and self._fault == "wrong-card-count" and self._variant == "board"
            for number in range(street.cards + extra):
                self._lay_on_board(after=number * 0.15)
            self.scene.pause(0.6, 1.2)
        else:
            self._deal_to_hands(index, street)
        late = self._fault == "premature-deal" and self._variant == "late" and index == 1
        if late:
            self._lay_down(self._victim, down=True)

    def _deal_to_hands(self, index: int, street: Street) -> None:
        late = self._fault == "premature-deal" and self._variant == "late" and index == 0
        short = self._fault == "wrong-card-count" and self._variant == "short" and index == self._at
        for lap in range(street.cards):
            for seat in [seat for seat in self._order if seat in self._live]:
                if (late or short) and seat == self._victim and lap == street.cards - 1:
                    continue
                self._lay_down(seat, down=index == 0 or index == self._streets.last)
                self.scene.pause(0.15, 0.4)
        if self._fault == "wrong-card-count" and self._variant == "extra" and index == 0:
            self._lay_down(self._victim, down=True)
        self.scene.pause(0.5, 1)

    def _lay_down(self, seat: str, down: bool) -> None:
        card = self._stub.popleft()
        self._hands[seat].append(card)
        hidden = down and not self.READS_DOWN
        if hidden:
            self._down[seat].append(card)
        self._felt.lay(seat, None if hidden else card)

    def _lay_on_board(self, after: float = 0.0) -> None:
        card = self._stub.popleft()
        self._board.append(card)
        self._felt.lay(COMMUNITY, card, after)

    # -- what patrons do

    def _bet(self, index: int) -> None:
        """Some fold, some look at their cards; the betting is called complete, but for the fault."""
        for seat in list(self._live):
            self.scene.pause(1, 4)
            folds = self._folds(index)
            if folds and len(self._live) > 1:
                self._fold(seat)
            elif self.scene.chance(0.1) and not self._streets.draws:
                self._peek(seat)
        if self._discards_one and index == 1:
            for seat in self._live:
                self._throw(seat, self.rng.choice(self._hands[seat]))
                self.scene.pause(0.3, 1)
        following = next((i for i in range(index + 1, len(self._streets.all)) if not self._streets[i].draw), None)
        if self._fault == "premature-deal" and self._variant == "call" and following == self._at:
            return
        if self._fault is None and index == len(self._streets.all) - 1:
            self._fold_jackpots()
        if len(self._live) > 1:
            self.key("no_more_bets")
        self.scene.pause(0.3, 1)

    def _folds(self, index: int) -> bool:
        if self._fault in ("stub-short", "stub-last-card-used") and not self._streets.draws:
            return index == len(self._streets.all) - 2 and len(self._live) > self._cured_by_burns()
        return not self._stays and self.scene.chance(0.22)

    def _cured_by_burns(self) -> int:
        """Hands that the stub cannot serve, but the stub with the burn cards can, one being burned."""
        return len(self._stub) + len(self._burned) - 1

    def _fold(self, seat: str) -> None:
        self._live.remove(seat)
        self._take(seat)
        self._wagers.set(seat, 0)

    def _take(self, seat: str) -> None:
        """All cards of a hand are taken from the felt."""
        for card in self._hands[seat]:
            self._felt.lift(seat, None if card in self._down[seat] else card)
            self.scene.wait(0.05)
        self._thrown += self._hands[seat]
        self.scene.wait(0.2)

    def _throw(self, seat: str, card: str) -> None:
        self._felt.lift(seat, None if card in self._down[seat] else card)
        self._hands[seat].remove(card)
        if card in self._down[seat]:
            self._down[seat].remove(card)
        self._thrown.append(card)
        self.scene.wait(0.1)

    def _peek(self, seat: str) -> None:
        """A patron lifts a card to look at it and lays it down again."""
        card = self._hands[seat][0]
        face = None if card in self._down[seat] else card
        self._felt.lift(seat, face)
        self.scene.pause(0.5, 2)
        self._felt.lay(seat, face)

    # -- draws

    def _discard(self, index: int) -> None:
        """Each gives back some cards, as many as the stub can replace; where it is to run short, the most."""
        most = self._streets[index].draw
        spare = len(self._stub) - 4 - most
        self._gives: dict[str, int] = {}
        for seat in self._live:
            count = self.rng.randint(0, min(most, len(self._hands[seat]) - 1))
            if self._fault in SHORT_STUB:
                count = 3
            elif index == self._at and self._fault == "draw-count-mismatch" and seat == self._pick_drawer():
                count = self.rng.randint(2, min(most, len(self._hands[seat]) - 1))
            elif count > spare:
                count = 0
            spare -= count
            self._gives[seat] = count
            for card in self.rng.sample(self._hands[seat], count):
                self._throw(seat, card)
            self.scene.pause(0.5, 2)

    def _pick_drawer(self) -> str:
        return self._live[-1]

    def _draw(self, index: int) -> None:
        owed = sum(self._gives.values())
        runs_short = len(self._stub) < owed
        for seat, count in self._gives.items():
            wrong = index == self._at and self._fault == "draw-count-mismatch" and seat == self._pick_drawer()
            for _ in range(count + (0 if not wrong else 1 if self._variant == "more" else -1)):
                spares_last = self._fault != "stub-last-card-used"
                if runs_short and not self._mixed and len(self._stub) <= spares_last:
                    self._mix([*self._burned, *self._thrown])
                self._lay_down(seat, down=True)
                self.scene.pause(0.2, 0.5)
        self.scene.pause(0.5, 1)

    # -- a stub that runs short

    def _mix(self, cards: list[str]) -> None:
        """Cards that were out are shuffled into the stub."""
        self.rng.shuffle(cards)
        self._stub.extend(cards)
        self._mixed = True
        self.scene.pause(8, 15)
        self.key("hand_shuffled")
        self.scene.pause(0.5, 1)

    def _short_stub(self, index: int) -> bool:
        """Seventh street: shuffle the burn cards in, burn one and deal, or turn one card for everybody."""
        for _ in range(self._streets[index].burn or 0):
            if self._streets[index].needs_burn and len(self._stub) > 1:
                self._lay_burn(self._stub.popleft())
        enough = len(self._stub) + len(self._burned) - 1 >= len(self._live)
        self._mix(list(self._burned))
        self._lay_burn(self._stub.popleft())
        if enough:
            self._deal_to_hands(index, self._streets[index])
        else:
            self._lay_on_board()
        self._bet(index)
        return False

    # -- the end

    def _finish_hand(self) -> None:
        """Who is left shows; everything is collected."""
        scene = self.scene
        if len(self._live) > 1:
            for seat in self._live:
                self._show(seat)
        scene.pause(11, 20)
        for seat in list(self._live):
            self._take(seat)
        for place, cards in ((COMMUNITY, self._board), ("burn", self._burned)):
            for card in cards:
                self._felt.lift(place, card if place == COMMUNITY or self.READS_DOWN else None)
                scene.wait(0.05)
        for seat in self._order:
            self._wagers.set(seat, 0)
        scene.pause(0.5, 1.5)
        self.key("round_over")
        scene.pause(1, 3)

    def _fold_jackpots(self) -> None:
        """Hands that make a jackpot, or just fail to, come by plan only: whoever has one by chance folds it."""
        while self._bad_beat.judge({each: self._hands[each] for each in self._live}, self._board, len(self._order)):
            self._fold(self._live[-1])

    def _show(self, seat: str) -> None:
        """Cards that could not be read face down are turned."""
        for card in list(self._down[seat]):
            self._felt.lift(seat, None)
            self.scene.pause(0.2, 0.4)
            self._felt.lay(seat, card)
            self._down[seat].remove(card)
        self.scene.pause(0.5, 1)
