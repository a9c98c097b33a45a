"""Whether every position of a carnival round gets its number of cards, and none without a wager gets any.

Cards are counted twice where the table can, as the shuffler dispenses them and as they lie on the felt: what the
machine dealt too much is told once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.carnival.board import Board
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, HANDS, DealPlan
from pitwatch.rules.games.carnival.dealt import Dealt
from pitwatch.rules.games.carnival.felt import Felt
from pitwatch.rules.games.carnival.packets import Packet, Packets
from pitwatch.rules.play.late_wager import LateWagers
from pitwatch.rules.play.seats import DEALER, is_seat, seat_of

COUNT = "wrong-card-count"
UNBET = "unbet-pile"


class CardCounts:
    """One round's. `hands`: the hands in play, none if nobody says; `evidence`: the journal sequences of what was dealt
    to a position."""

    def __init__(
        self,
        desk: Desk,
        plan: DealPlan,
        packets: Packets,
        felt: Felt,
        dealt: Dealt,
        late: LateWagers,
        hands: list[str],
        evidence: Callable[[str], list[int]],
    ):
        self._desk = desk
        self._plan = plan
        self._packets = packets
        self._felt = felt
        self._dealt = dealt
        self._late = late
        self._hands = hands
        self._evidence = evidence
        self._told: set[str] = set()
        self._told_of_packets = 0

    # -- too many

    def judge_packet(self, packet: Packet, may_be_elsewhere: bool) -> None:
        """A packet of which only the size is known; `may_be_elsewhere`: of another position perhaps, the felt will
        show."""
        if packet.cards > packet.should and not may_be_elsewhere:
            self._breach_packet({"position": packet.position, "cards": packet.cards}, {"cards": packet.should})

    def packet_over(self, felt_will_show: bool) -> None:
        """A packet more than there are places."""
        self._packets.over += 1
        if not felt_will_show:
            self._breach_packets()

    def _breach_packets(self) -> None:
        self._breach_packet({"packets": "more than the hands"}, {"packets": len(self._packets.slots)})

    def _breach_packet(self, observed: dict[str, Any], required: dict[str, Any]) -> None:
        """The machine dealt too much; that the felt then shows the same is no second breach."""
        self._told_of_packets += self._desk.breach(COUNT, observed, required, self._evidence(""), once=self._desk.seq)

    def judge_excess(self, position: str, cards: int) -> None:
        need = self._plan.need(position)
        if not need:
            return
        if self.unbet(position):
            if not 0 < len(self._felt.of(position)) < need:  # a card that went astray is told if it is left there
                self._breach_unbet(position)
        elif cards > need and position not in self._told:
            self._told.add(position)
            self._packets.over -= position in self._felt.piles
            if self._told_of_packets and position in self._felt.piles:
                self._told_of_packets -= 1
                return
            self._breach(position, cards, need)

    def _breach_unbet(self, position: str) -> None:
        observed, required = {"position": position}, {"positions": list(self._hands)}
        self._desk.breach(UNBET, observed, required, self._evidence(position), once=position)

    def unbet(self, position: str) -> bool:
        """Whether this is a seat without a wager, where it is known which have one, and that it is not the bank's."""
        if not is_seat(position) or not self._hands or seat_of(position) in self._late.seats:
            return False
        return seat_of(position) not in map(seat_of, self._hands) and not self._dealt.may_be_dealers(position)

    # -- too few

    def judge_short(self, reader: bool, machine: bool) -> None:
        """The deal is over and every card of it was seen. `reader`: one places the cards; `machine`: the shuffler
        dealt."""
        piles = [position for position, pile in self._felt.piles.items() if pile] or sorted(self._packets.told)
        unbet = [position for position in piles if self.unbet(position)]
        if reader and self._packets.over > len(unbet):
            self._packets.over = 0  # else it lies at a seat without a wager, or on another hand, and is told as that
            self._breach_packets()
        for position in unbet:
            self._breach_unbet(position)  # one of them might have been the bank's before the dealer's hand lay
        for position in self._dealt.positions():
            cards, need = self._dealt.count(position), self._plan.need(position)
            if seat_of(position) in self._late.seats:
                continue
            nobody_knows = (
                (self._packets.for_nobody and not cards)
                or (position == COMMUNITY and not self._board_short(machine))
                or (position == DEALER and not cards and self._dealt.dealer_at_a_seat)
            )
            if cards < need and not nobody_knows and position not in self._told:
                self._told.add(position)
                self._breach(position, cards, need)
        for index, cards in self._packets.incomplete() if not self._felt.piles else ():
            observed, required = {"position": None, "cards": cards}, {"cards": max(self._plan.sizes)}
            self._desk.breach(COUNT, observed, required, self._evidence(""), once=("packet", index))

    def judge_board(self, board: Board) -> None:
        """Of the community cards too many were burned, or none: more were turned than are left."""
        left = self._plan.need(COMMUNITY) - self._plan.burned
        cards = left - len(board.burned_too_many)
        if board.turned_apart > left:
            cards = board.turned_apart
        if self._plan.burned and cards != left and COMMUNITY not in self._told:
            self._told.add(COMMUNITY)
            self._breach(COMMUNITY, cards, left)

    def judge_passed_over(self) -> None:
        """The deal is called off: of packets that were not whole, those after which another position was served."""
        for position in list(self._packets.by_position)[:-1]:
            cards, need = self._packets.by_position[position], self._plan.need(position)
            if cards < need and cards not in self._plan.sizes and position not in self._told:
                self._told.add(position)
                self._breach(position, cards, need)

    def _board_short(self, machine: bool) -> bool:
        """Whether too few community cards were dealt, not only too few turned: the shuffler counted them, or they lay
        on the felt before the hands came, or while hands were dealt where one of them is burned later."""
        if self._packets.by_position.get(COMMUNITY) or (self._plan.burned and self._felt.board_among_hands):
            return True
        return COMMUNITY in self._plan.before(HANDS, machine) and bool(self._felt.board_before_hands)

    def _breach(self, position: str, cards: int, need: int) -> None:
        observed = {"position": position, "cards": cards}
        self._desk.breach(COUNT, observed, {"cards": need}, self._evidence(position), once=position)
