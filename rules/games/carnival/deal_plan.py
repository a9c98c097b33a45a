"""How a packet-dealt game deals, as its book says: `[[tables.deal]]`, one entry a step.

    to = ["hands", "dealer"]      positions in order; "hands" are the hands in play
    cards = "cards-per-hand"      the figure that says how many each of them gets in this step
    by-hand = "packet"            without a shuffler too they come all at once; else one at a time, round and round
    optional = true               the house may leave the step out

    [[tables.deal-by-hand]]       the steps without a shuffler, where they differ
    deal-order = ["community", "hands", "dealer"]        who is served before whom, where the document says so
    deal-order-by-hand = […]                             likewise without a shuffler
    deal-starts = "bank"          the hands begin at the left of the player who banks; else at the dealer's left

Knows no ranking and judges nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pitwatch.rules.game import Game
from pitwatch.rules.play.seats import DEALER, is_seat, seat_of, seat_order

HANDS = "hands"
COMMUNITY = "community"

AROUND = 10
"""More than there are seats: seats are counted round the table."""

Slot = tuple[str, int]
"""A position and how many cards it gets in one step."""


class Step(NamedTuple):
    to: tuple[str, ...]
    cards: int
    at_once: bool
    optional: bool


class DealPlan:
    """Raises KeyError if the book has no such table, or names a figure that it does not state."""

    def __init__(self, game: Game):
        tables = game.tables
        self._steps = _steps(game, tables["deal"])
        self._by_hand = _steps(game, tables["deal-by-hand"]) if "deal-by-hand" in tables else self._steps
        self._order: list[str] = tables.get("deal-order", [])
        self._order_by_hand: list[str] = tables.get("deal-order-by-hand", self._order)
        self.from_bank = tables.get("deal-starts") == "bank"
        self.banked = "bank-rounds-at-most" in game.figures
        """Whether a player banks, whose cards lie at a seat."""
        self.sizes = frozenset(step.cards for step in self._steps)
        """The packets there are, in cards."""
        self.begins_with = self._steps[0].cards
        """The cards of a round's first packet."""
        self.fixed = tuple(
            dict.fromkeys(to for step in self._steps if not step.optional for to in step.to if to != HANDS)
        )
        """The positions that every round deals to: dealer, community."""
        burned = game.figures.get("community-burned")
        self.burned: int = burned.value if burned is not None else 0
        """Community cards that the dealer burns once they are dealt."""
        last = [step for step in self._steps if not step.optional][-1].to[-1]
        self.last = None if last == HANDS else last
        """The position that is served last; None if that is the last hand."""

    def need(self, position: str) -> int:
        """The cards a position gets in a round; 0 if the game deals none there."""
        name = HANDS if is_seat(position) else position
        return sum(step.cards for step in self._steps if name in step.to)

    def goes_round(self, position: str) -> bool:
        """Whether a position gets its cards one at a time, round and round, if there is no shuffler."""
        name = HANDS if is_seat(position) else position
        return not any(step.at_once for step in self._by_hand if name in step.to)

    def place(self, position: str | None, bank: str | None) -> str | None:
        """Whose cards they are that lie at a position: those of the player who banks are the dealer's, and a dealer who
        has no hand has the community cards."""
        if position is None:
            return None
        if bank is not None and seat_of(position) == bank and self.need(DEALER):
            return DEALER
        if position == DEALER and not self.need(DEALER) and self.need(COMMUNITY):
            return COMMUNITY
        return position

    def in_order(self, hands: list[str], bank: str | None) -> list[str]:
        """The hands in play in the order they are dealt; who banks has none among them."""
        if bank is None:
            return hands
        others = [hand for hand in hands if seat_of(hand) != bank]
        return sorted(others, key=lambda hand: self.turn(hand, bank))

    def turn(self, seat: str, bank: str | None) -> tuple[int, int]:
        """Sorts seats as they are served."""
        number, hand = seat_order(seat)
        return (
            ((number - seat_order(bank)[0]) % AROUND, hand) if self.from_bank and bank is not None else (number, hand)
        )

    def before(self, position: str, machine: bool) -> list[str]:
        """Who may no longer be served once this position has been: it comes after them. Without word from the shuffler
        (`machine`) only what holds for both ways of dealing."""
        name = HANDS if is_seat(position) else position
        orders = [self._order] if machine else [self._order, self._order_by_hand]
        earlier = [set(order[: order.index(name)]) if name in order else set() for order in orders]
        return sorted(set.intersection(*earlier))

    def packets(self, hands: list[str]) -> list[Slot]:
        """The packets of a round in their order."""
        return [(place, step.cards) for step in self._steps for place in self._places(step, hands)]

    def laps(self, hands: list[str]) -> list[str]:
        """Where each card of a round goes if there is no shuffler."""
        order = []
        for step in self._by_hand:
            places = self._places(step, hands)
            if step.at_once:
                order += [place for place in places for _ in range(step.cards)]
            else:
                order += places * step.cards
        return order

    @staticmethod
    def _places(step: Step, hands: list[str]) -> list[str]:
        return [place for name in step.to for place in (hands if name == HANDS else (name,))]


def _steps(game: Game, table: list[dict[str, Any]]) -> list[Step]:
    return [
        Step(
            tuple(step["to"]),
            int(game.figure(step["cards"])),
            step.get("by-hand") == "packet",
            bool(step.get("optional")),
        )
        for step in table
    ]
