"""Where a round of blackjack ends. Keys bound it, or a reader shows the layout being cleared; where no device shows
either, a card to a seat after the dealer's turn is the first of the next round.

A dealer who stands on the first two cards has no turn to see. What follows then may be draws of the players or the
next deal; it is the next deal once both its passes lie there, for such a dealer draws nothing.

Judges nothing. What it cannot tell apart it says, so that nobody else judges it either.
"""

from __future__ import annotations

import msgspec

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.board import Board
from pitwatch.rules.games.blackjack.hole_card import HoleCard
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.games.blackjack.layout import Layout
from pitwatch.rules.games.blackjack.players import Players
from pitwatch.rules.games.blackjack.switch import Switch
from pitwatch.rules.play.seats import DEALER, is_seat, seat_of, seat_order


class Drawn(msgspec.Struct, frozen=True):
    """A card that came after the first cards of all, and when."""

    position: str
    card: str | None
    t: int
    seq: int


class RoundEnd:
    def __init__(
        self, desk: Desk, house: House, players: Players, layout: Layout, board: Board, hole: HoleCard, switch: Switch
    ):
        self._desk = desk
        self._house = house
        self._players = players
        self._layout = layout
        self._board = board
        self._hole = hole
        self._switch = switch
        self._panels = {device.id for device in desk.table.provides("panel.key_pressed")}
        self._muddled = False
        """This may be two rounds: it ends when cards to the dealer in a row have shown a dealer's turn."""
        self._dealers_in_a_row = 0
        self.clear(called=False)

    def clear(self, called: bool) -> None:
        """A round opens, by a call of no more bets or by its first card."""
        self._muddled = self._muddled and not called
        self.open_ended = False
        """A card may have been the first of the next round."""
        self._since_deal: list[Drawn] = []
        self._dealer_stood = False
        """The dealer had to stand on the first two cards, when this came to be taken for two rounds."""

    def shoe_started(self) -> None:
        self._muddled = False

    # -- what bounds it

    @property
    def keyed(self) -> bool:
        """Whether keys bound the round, none of them missed."""
        availability = self._desk.availability
        return availability.on_line("panel.key_pressed") and not self._panels & availability.clouded

    @property
    def cleared(self) -> bool:
        """Whether a reader showed all cards being taken away, and the round was not at half-time."""
        if self._desk.round is None or not self._players.sees_clearing:
            return False
        half_time = self._board.offered and not self._board.complete(self._players.cards)
        return not half_time and self._layout.cleared(self._players.cards)

    @property
    def _unbounded(self) -> bool:
        """Whether no device shows where a round ends."""
        return not self.keyed and not self._players.sees_clearing

    # -- what the cards tell

    def over(self, position: str | None, deal_over: bool) -> bool:
        """Whether the round was over before this card. `deal_over`: everybody has had the first cards."""
        if self._desk.round is None or not self._unbounded or not (position is None or is_seat(position)):
            return False
        if self._muddled:
            self._muddled = self._dealers_in_a_row <= 1
            return not self._muddled
        if not deal_over:
            return False
        dealers_turn = len(self._dealers()) > 2 or self._hole.blackjack
        if dealers_turn or (self._players.none_live and not self.open_ended):
            return True
        self.open_ended = self.open_ended or position is None or self._may_be_next_round(position)
        return False

    def _dealers(self) -> list[str | None]:
        return self._board.dealer(self._players.cards)

    def _may_be_next_round(self, position: str) -> bool:
        """Whether a card to a seat may as well be the first of the next round: the dealer need not draw, or the hand
        does not look like one that is to be dealt to."""
        hands = self._players.hands()
        if self._house.dealer_stands(self._dealers()) is not False or not any(
            self._players.live(each) for each in hands
        ):
            return True
        finished = position in hands and self._house.player_stands(self._players.cards[position]) is not False
        passed = any(seat_order(seat_of(each.position)) > seat_order(seat_of(position)) for each in self._since_deal)
        return finished or passed

    def card(self, position: str) -> None:
        """A new card lies at a hand, or at the dealer's."""
        self._dealers_in_a_row = self._dealers_in_a_row + 1 if position == DEALER else 0

    def after_deal(self, position: str) -> None:
        """It came after the first cards of all."""
        card = self._players.cards[position][-1]
        self._since_deal.append(Drawn(position, card, self._desk.t, self._desk.seq))

    def next_deal(self) -> list[Drawn]:
        """The cards since the deal that were the next round's, once they are a whole deal; else none."""
        dealers = [at for at, each in enumerate(self._since_deal) if each.position == DEALER]
        if not (self._muddled and self._dealer_stood) or len(dealers) != 2 or dealers[1] != len(self._since_deal) - 1:
            return []
        second = [each.position for each in self._since_deal[dealers[0] + 1 : -1]]
        begins = dealers[0] - len(second)
        first = [each.position for each in self._since_deal[max(begins, 0) : dealers[0]]]
        if not second or first != second or len(set(second)) < len(second):
            return []
        self._muddled = False
        return self._since_deal[begins:]

    def muddled_by_dealer(self) -> bool:
        """Whether the dealer's card just dealt may be of the next round: from here on this one may be two rounds."""
        if self._desk.round is None or not self._unbounded or not self._looks_like_a_deal():
            return False
        self._muddled = True
        self._dealer_stood = self._house.dealer_stands(self._dealers()[:2]) is True
        return True

    def _looks_like_a_deal(self) -> bool:
        """Whether the dealer's first further card follows cards to the seats that may have been the next round's."""
        hands = [each for each in self._players.hands() if self._switch.is_spot(each)]
        since = [each.position for each in self._since_deal]
        return self.open_ended or (bool(since) and since[-len(hands) :] == hands)
