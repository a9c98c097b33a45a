"""Poker among patrons, dealt by hand onto a felt that reads cards: any game whose streets are in the book.

Before a hand: who is dealt in, the shuffle, what is to go wrong. The hand itself is played by `Hand`.
"""

from __future__ import annotations

from typing import ClassVar

from pitwatch.rules.games.poker.bad_beat import BadBeat
from pitwatch.rules.games.poker.streets import Streets
from pitwatch.rules.play.seats import is_seat, seat_order
from pitwatch.sim_hw.dealers.card_dealer import AT_THE_SHUFFLE, CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.dealers.poker_room.breach import Breach
from pitwatch.sim_hw.dealers.poker_room.faults import FAULTS, JACKPOT_COUNT, JACKPOTS, SHORT_STUB
from pitwatch.sim_hw.dealers.poker_room.hand import Hand
from pitwatch.sim_hw.dealers.poker_room.layout import Layout
from pitwatch.sim_hw.dealers.poker_room.patrons import Patrons
from pitwatch.sim_hw.dealers.poker_room.players import PokerPlayers
from pitwatch.sim_hw.dealers.poker_room.rigging import Rigging
from pitwatch.sim_hw.devices.felt import read_places
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimTable

PLAYS = {"poker-room": ["card_position/card_lines | card_position/pn532", "PokerRoom"]}

CALL = "panel#no-more-bets"

MOST = 6
"""Hands dealt where the stub is to suffice: seven times seven cards and the burns are more than a deck."""
FULL, FULL_AT_DRAW = 8, 7
"""Hands that run a deck short: of stud, and of a draw game."""


class PokerRoom(CardDealer):
    """One call of `play` is one hand; the cards are shuffled before each. READS_DOWN: cards that lie face down are read
    too; without it they are read when they are turned."""

    READS_DOWN = True

    FAULTS: ClassVar[dict[str, Fault]] = FAULTS

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """A street without a burn can be told wherever burns are required; what the book has not is no fault here."""
        streets = Streets(table.game, table.options).all
        possible = dict(cls.FAULTS)
        if not any(street.needs_burn for street in streets):
            possible.pop("burn-missing")
        return possible

    def __init__(self, scene: Scene, table: SimTable):
        super().__init__(scene, table)
        game = table.game
        self._streets = Streets(game, table.options)
        self._bad_beat = BadBeat(game, table.options)
        self._rigging = Rigging(self.rng, table, self._streets)
        self._discards_one = any(phase.id == "discard" for phase in game.phases)
        self._wagers = self.contacts("seats")
        seats = sorted((place for place in read_places(table) if is_seat(place)), key=seat_order)
        limits = ("players-at-most", "hands-at-most", "seats-at-most")
        figures = [game.figures[name].value for name in limits if name in game.figures]
        self._most = min([*figures, len(seats)])
        self._players = PokerPlayers(self.rng, seats, min(MOST, self._most))

    def play(self, fault: str | None) -> None:
        if fault == "tampering-suspected":
            self.open_lid()
        self._seat(fault)
        self._shuffle(fault if fault in AT_THE_SHUFFLE else None)
        self._hand(fault).play()
        if fault == JACKPOT_COUNT:
            self._shuffle("shuffle-count-failed")

    def _seat(self, fault: str | None) -> None:
        """Who is dealt in, as many as the fault needs."""
        if fault in SHORT_STUB:
            full = min(self._most, FULL_AT_DRAW if self._streets.draws else FULL)
            self._players.next_hand(full, full)
        elif fault == "too-few-players":
            self._players.next_hand(2, 3)
        elif fault in (*JACKPOTS, JACKPOT_COUNT):
            self._players.next_hand(4)
        else:
            self._players.next_hand(2 if fault is None else 3)

    def _shuffle(self, fault: str | None) -> None:
        if not self._talking.shuffle(len(self._rigging.deck), fault):
            self.scene.pause(20, 60)
            self.key("hand_shuffled")

    def _hand(self, fault: str | None) -> Hand:
        """The cards, the patrons, and what is to go wrong."""
        rigging, order = self._rigging, self._players.order()
        stub = rigging.shuffled()
        spare = rigging.sure_cards(len(order)) < len(stub)
        breach = Breach(fault, self._streets, order, self.rng, spare=spare, calls=self.table.has(CALL))
        stub = rigging.prepare(fault, stub, order)
        layout = Layout(self.scene, self._felt, self.READS_DOWN, order, stub)
        patrons = Patrons(self.scene, self._streets, layout, breach, self._wagers, self._discards_one)
        return Hand(self, self._streets, layout, patrons, breach, self._bad_beat)
