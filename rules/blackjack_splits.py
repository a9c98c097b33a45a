"""Split hands: which card went where, one card to a split ace, the first hand before the next (document 154-167, 511).

A shoe shows a split only when a card goes to the new hand, "seat-3/2"; until then a pair that draws proves nothing.
Must not know the dealer's hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.blackjack_hand import Count
from rules.desk import Desk
from rules.seats import is_seat, seat_of, seat_order

Cards = dict[str, list[str | None]]
Breach = Callable[..., None]


def _number(position: str) -> int:
    return seat_order(position)[1]


class Splits:
    """`breach(rule, observed, required, positions, once)` is the procedure's."""

    def __init__(self, desk: Desk, count: Count, breach: Breach):
        self._desk = desk
        self._count = count
        self._breach = breach
        self.clear()

    def clear(self) -> None:
        self._split: set[str] = set()
        self._dim: set[str] = set()
        self._furthest: dict[str, int] = {}

    def split(self, position: str) -> bool:
        """Whether the hand came of a split."""
        return position in self._split

    def unclear(self, position: str, cards: Cards) -> bool:
        """Whether the hand may hold cards of a split no device has shown: a pair that drew, or one lost sight of."""
        hand = cards[position]
        if seat_of(position) in self._dim:
            return True
        return len(hand) > 2 and self._count.equal(hand[0], hand[1]) is not False and not self._settled(position, cards)

    def _settled(self, position: str, cards: Cards) -> bool:
        """A split hand that cannot be split again, for a hand further on has its cards already."""
        return position in self._split and self._furthest.get(seat_of(position), 0) > _number(position)

    def lose_sight(self, position: str) -> None:
        self._dim.add(seat_of(position))

    def moved(self, position: str, cards: Cards) -> None:
        """The reader showed a card move to this hand of the seat."""
        if is_seat(position) and "/" in position:
            self._divide(position, cards, [each for each in cards if self._same_seat(each, position)])

    def dealt(self, position: str, cards: Cards) -> None:
        """A card was dealt to a hand; call it for every hand after the initial deal."""
        if "/" in position and position not in self._split:
            self._part(position, cards)
        if position in self._split and seat_of(position) not in self._dim:
            self._judge_order(position, cards)
            for hand in cards:
                if hand == position or (hand in self._split and self._same_seat(hand, position)):
                    self._judge_aces(hand, cards)

    def ended(self, cards: Cards) -> None:
        """Nothing more will be dealt: a split ace with more than one card was not split again."""
        for position in sorted(self._split & cards.keys(), key=seat_order):
            if seat_of(position) not in self._dim:
                self._judge_aces(position, cards, again=False)

    def _same_seat(self, one: str, other: str) -> bool:
        return one != other and seat_of(one) == seat_of(other)

    def _part(self, position: str, cards: Cards) -> None:
        """The first card dealt to a further hand: the second card of the seat's pair lies there already."""
        pairs = [
            each
            for each in cards
            if self._same_seat(each, position)
            and len(cards[each]) > 1
            and self._count.equal(cards[each][0], cards[each][1]) is not False
        ]
        others = [each for each in cards if self._same_seat(each, position)]
        if not pairs and len(others) == 1 and len(cards[others[0]]) > 1:
            self._unequal(position, cards[others[0]][:2])
        if len(pairs) != 1 or self._count.equal(*cards[pairs[0]][:2]) is None:
            self.lose_sight(position)
            return
        cards[position].insert(0, cards[pairs[0]].pop(1))
        self._divide(position, cards, pairs)

    def _unequal(self, position: str, pair: list[str | None]) -> None:
        self._breach(
            "split-unequal-values", {"split": pair}, {"split": "two cards of equal value"}, [position], position
        )

    def _divide(self, position: str, cards: Cards, sources: list[str]) -> None:
        first = next((cards[each][0] for each in sources if cards[each]), None)
        if first is not None and self._count.equal(first, cards[position][0]) is False:
            self._unequal(position, [first, cards[position][0]])
        again = any(each in self._split for each in sources)
        if again and _is_ace(cards[position][0]) and not self._desk.option("resplit-aces"):
            self._breach(
                "split-aces-one-card",
                {"position": position, "aces": "split again"},
                {"aces": "split once"},
                [position],
                seat_of(position),
            )
        self._split.update((position, *sources))
        most = self._desk.figure("split-hands")
        if len([each for each in self._split if seat_of(each) == seat_of(position)]) > most:
            self._breach("split-too-often", {"hands": most + 1}, {"hands": most}, [position], seat_of(position))

    def _judge_order(self, position: str, cards: Cards) -> None:
        """A hand before this one has no second card yet, or a hand after it has been dealt to."""
        seat, number = seat_of(position), _number(position)
        furthest = self._furthest.get(seat, 0)
        waiting = [e for e in cards if self._same_seat(e, position) and _number(e) < number and len(cards[e]) < 2]
        self._furthest[seat] = max(furthest, number)
        if furthest > number or waiting:
            self._breach(
                "split-order",
                {"dealt_to": position, "after": f"{seat}/{furthest}"} if furthest > number else {"dealt_to": position},
                {"complete_first": position if furthest > number else waiting[0]},
                [position],
                seat,
            )

    def _judge_aces(self, position: str, cards: Cards, again: bool = True) -> None:
        """`again`: the second ace may still turn out to have been split once more, where the house allows it."""
        hand = cards[position]
        most = self._desk.figure("split-ace-cards") + 1
        if not _is_ace(hand[0] if hand else None) or position not in self._split or len(hand) <= most:
            return
        if again and self._desk.option("resplit-aces") and _is_ace(hand[1]):
            return
        observed: dict[str, Any] = {"position": position, "cards": len(hand) - 1}
        self._breach("split-aces-one-card", observed, {"cards": most - 1}, [position], seat_of(position))


def _is_ace(card: str | None) -> bool:
    return card is not None and card[:1] == "A"
