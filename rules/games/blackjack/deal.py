"""The initial deal of blackjack: one card to each wager from the dealer's left, one to the dealer, and again.

Positions in, verdicts out. Must not know faces, devices or the book's ids. A wrong order and a wrong number of cards
look alike at first, so the verdict waits for the card that tells them apart: document lines 444-445 and 473-477. A
player who has two cards may ask for a third (488): where only the dealer lacks one, that card is out of order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pitwatch.rules.play.seats import DEALER, seat_of, seat_order


class Verdict(msgspec.Struct, frozen=True):
    """`kind` is "order", or "count" of the hand at `position`."""

    kind: str
    position: str | None
    observed: dict[str, Any]
    required: dict[str, Any]


Orders = Callable[[list[str]], list[list[str]]]
"""Of the hands in play, from the dealer's left, the orders in which a pass may go round."""


def from_the_left(hands: list[str]) -> list[list[str]]:
    """From the dealer's left and no other way."""
    return [hands]


def left_of(bank: str | None, hands: list[str]) -> list[list[str]]:
    """From the left of the player who banks, the dealer's right coming before the dealer's left; any start if nobody
    knows who banks."""
    if bank is not None:
        after = [each for each in hands if seat_order(each) > seat_order(bank)]
        return [[*after, *(each for each in hands if each not in after)]]
    starts = [at for at in range(len(hands)) if not at or seat_of(hands[at]) != seat_of(hands[at - 1])]
    return [hands[at:] + hands[:at] for at in starts] or [[]]


def spot_by_spot(hands: list[str]) -> list[list[str]]:
    """A seat's second hand after the first hands of all."""
    return [sorted(hands, key=lambda hand: seat_order(hand)[::-1])]


class InitialDeal:
    """`passes` is the book's order, ("hands", "dealer", "hands", "dealer"); `hands` the hands in play, None if nobody
    says and those dealt to are taken. `over` once everyone has the full number, or it cannot be followed any more."""

    def __init__(self, passes: Sequence[str], hands: Sequence[str] | None, orders: Orders = from_the_left):
        self._passes = tuple(passes)
        self._orders = orders
        self._known = bool(hands)
        self._hands = list(hands or ())
        self._counts: Counter[str] = Counter()
        self._dealt: list[str] = []
        self._extra: str | None = None
        self._miscounted = False
        self.over = False

    @property
    def counts(self) -> dict[str, int]:
        return dict(self._counts)

    @property
    def dealer_served(self) -> bool:
        """Whether the dealer has the full number: the deal was meant to be over."""
        return DEALER not in self._lacking()

    def give_up(self) -> None:
        """A card went where nobody saw: what follows proves nothing."""
        self.over = True
        self._extra = None

    def take(self, position: str) -> list[Verdict]:
        """The next card of the deal has gone to this hand, or to the dealer."""
        if self.over:
            return []
        verdicts: list[Verdict] = []
        if self._extra is not None:
            extra, self._extra = self._extra, None
            if position not in self._lacking():
                return self._passed_over()
            if position != DEALER or self._lacking() != [DEALER]:  # else the dealer's card was left out until then
                verdicts.append(self._count(extra))
        self._dealt.append(position)
        self._counts[position] += 1
        if not self._known and position != DEALER and position not in self._hands:
            self._hands = sorted([*self._hands, position], key=seat_order)
        lacking = self._lacking()
        if self._counts[position] > self._needed(position):
            if position != DEALER and DEALER not in lacking:
                return verdicts + self._passed_over()
            self._extra = position
        elif not lacking and self._hands:
            self.over = True
            verdicts += self._order()
        return verdicts

    def end(self, misdeal: bool = False, cut_short: bool = False) -> list[Verdict]:
        """The round closes. After a misdeal that was called nobody is taken to lack a card that was still to come;
        where the stream was cut short a number that is not right yet proves nothing."""
        if self.over:
            return []
        if cut_short:
            return self._order() if self._extra is None else []
        lacking = self._lacking()
        if misdeal and self._extra is not None and lacking != [DEALER]:
            return [self._count(self._extra)]
        if not misdeal and lacking and (DEALER not in lacking or (self._extra is not None and lacking == [DEALER])):
            return self._passed_over()
        self.over = True
        return self._order()

    def _needed(self, position: str) -> int:
        return self._passes.count(DEALER if position == DEALER else "hands")

    def _lacking(self) -> list[str]:
        return [each for each in (*self._hands, DEALER) if self._counts[each] < self._needed(each)]

    def _passed_over(self) -> list[Verdict]:
        """Play goes on although some lack a card."""
        verdicts = [self._count(each) for each in self._lacking()]
        self.over = True
        return verdicts

    def _count(self, position: str) -> Verdict:
        self._miscounted = True
        return Verdict(
            "count",
            position,
            {"position": position, "cards": self._counts[position]},
            {"cards": self._needed(position)},
        )

    def _order(self) -> list[Verdict]:
        """Compares as far as was dealt; a deal with a wrong number of cards has been judged for that."""
        allowed = [self._all(order) for order in self._orders(self._hands)]
        if self._miscounted or any(self._dealt == each[: len(self._dealt)] for each in allowed):
            return []
        return [Verdict("order", None, {"dealt": list(self._dealt)}, {"dealt": allowed[0]})]

    def _all(self, order: list[str]) -> list[str]:
        """The whole deal, if each pass goes round in this order."""
        return [each for step in self._passes for each in ([DEALER] if step == DEALER else order)]
