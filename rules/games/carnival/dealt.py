"""How far a carnival round is dealt: how many cards each position has, as packets and as cards on the felt tell, and
whether everybody has theirs. Judges nothing.
"""

from __future__ import annotations

from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.games.carnival.felt import Felt
from pitwatch.rules.games.carnival.packets import Packets
from pitwatch.rules.play.seats import DEALER, is_seat, seat_order


class Dealt:
    """One round's. `hands`: the hands in play in the order of the deal; none if nobody says. `bank`: the seat that
    banks, if any and if it is known."""

    def __init__(self, plan: DealPlan, packets: Packets, felt: Felt, hands: list[str], bank: str | None):
        self._plan = plan
        self._packets = packets
        self._felt = felt
        self._hands = hands
        self._bank = bank

    def count(self, position: str) -> int:
        """The community cards may show on the felt only when they are turned."""
        felt, packets = len(self._felt.of(position)), self._packets.by_position.get(position, 0)
        return max(felt, packets) if position == COMMUNITY else felt or packets

    @property
    def dealer_at_a_seat(self) -> bool:
        """Whether the dealer's hand may lie at a seat: a player banks, nobody knows who."""
        unknown = self._plan.banked and self._bank is None
        return unknown and self._plan.need(DEALER) > 0 and not self._felt.of(DEALER)

    def may_be_dealers(self, seat: str) -> bool:
        """Whether the hand at a seat may be the dealer's: not if the machine says that it served both. A packet whose
        place is only counted off may be anybody's, and one for the dealer may be carried to the seat that banks."""
        return self.dealer_at_a_seat and not {seat, DEALER} <= self._packets.told

    def positions(self) -> list[str]:
        """Every position that is to have a hand: hands in play, else what was dealt, and those of every round."""
        dealt = (*self._felt.piles, *self._packets.by_position)
        seats = self._hands or [each for each in dealt if is_seat(each)]
        return [*sorted(set(seats), key=seat_order), *self._plan.fixed]

    def seats(self) -> list[str]:
        return [each for each in self.positions() if is_seat(each)]

    @property
    def hands_complete(self) -> bool:
        """Whether there are hands and all of them have their cards."""
        seats = self.seats()
        return bool(seats) and all(self._served(each) for each in seats)

    @property
    def hands_exact(self) -> bool:
        """Whether there are hands, and each of them has its number of cards on the felt."""
        seats = self.seats()
        return bool(seats) and all(len(self._felt.of(each)) == self._plan.need(each) for each in seats)

    def _served(self, position: str) -> bool:
        return self.count(position) >= self._plan.need(position)

    @property
    def complete(self) -> bool:
        packets = self._packets
        if packets.for_nobody and not self._felt.piles and not packets.by_position:
            return len(packets.for_nobody) > len(self._plan.fixed)
        positions = self.positions()
        if self.dealer_at_a_seat and DEALER in self._plan.before(COMMUNITY, machine=False):
            positions.remove(DEALER)  # the board is dealt after that hand, wherever it lies
        return any(is_seat(each) for each in positions) and all(self._has_all(each) for each in positions)

    @property
    def surely_complete(self) -> bool:
        """Whether all cards are dealt, and either the hands in play are known or who is served last has a packet."""
        last = self._plan.last
        served = last is not None and self._packets.by_position.get(last, 0) >= self._plan.need(last)
        return (bool(self._hands) or served) and self.complete

    def _has_all(self, position: str) -> bool:
        """A reader that sees no card lying face down sees the burned ones never."""
        burned = self._plan.burned if position == COMMUNITY else 0
        return self.count(position) >= self._plan.need(position) - burned

    @property
    def last_served(self) -> bool:
        """Whether who is served last has all cards, and so has the dealer."""
        last = self._plan.last or (self._hands[-1] if self._hands else None)
        return last is not None and self._served(last) and self._served(DEALER)
