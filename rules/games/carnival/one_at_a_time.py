"""Dealt by hand, cards go round one at a time: nobody gets a second one while another seat waits for the first.

Only where the crew says that it shuffled by hand and no packet came: a machine that is not heard deals in packets.
Seats are compared only while all of them are short of cards, and by two cards, not one: which of two cards within a
second was first is no evidence. Knows no order; `deal_order` does.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.carnival.deal_order import RULE
from pitwatch.rules.games.carnival.deal_plan import DealPlan
from pitwatch.rules.play.seats import is_seat, seat_of

AHEAD = 2
"""Cards that a seat has more than another when it got two in a row."""


class OneAtATime:
    """One table's."""

    def __init__(self, desk: Desk, plan: DealPlan):
        self._desk = desk
        self._plan = plan
        self._by_hand = False
        self._laid: list[tuple[str, int]] = []
        self.doubtful = False
        """A card was told twice: nobody knows when it was laid."""

    def shuffled(self, by_hand: bool) -> None:
        """The cards of the next round were shuffled, by the machine or as the crew says by hand."""
        self._by_hand = by_hand

    def round_opens(self) -> None:
        self._laid = []
        self.doubtful = False

    def round_over(self) -> None:
        """The cards that were shuffled are used."""
        self._by_hand = False

    def laid(self, position: str) -> None:
        """A card that is new to the felt, at a hand."""
        if is_seat(position):
            self._laid.append((position, self._desk.seq))

    def judge(self, late: set[str]) -> None:
        """All hands have their number of cards. `late`: seats whose wagers changed after the call."""
        cards = dict.fromkeys((position for position, _ in self._laid if seat_of(position) not in late), 0)
        if not self._by_hand or self.doubtful or not all(map(self._plan.goes_round, cards)):
            return
        for position, seq in self._laid:
            if position not in cards:
                continue
            cards[position] += 1
            waiting = [other for other in cards if cards[position] - cards[other] >= AHEAD]
            if waiting:
                observed = {"position": position, "cards": cards[position], "waiting": waiting[0]}
                required = {"order": "one card at a time, round and round"}
                self._desk.breach(RULE, observed, required, [seq for each, seq in self._laid if each == position])
                return
