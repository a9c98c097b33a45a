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
        self._current: dict[str, str] = {}
        self._left: set[str] = set()

    def split(self, position: str) -> bool:
        """Whether the hand came of a split."""
        return position in self._split

    def lost(self, position: str) -> bool:
        """Whether nobody can tell which cards lie at which hand of the seat."""
        return seat_of(position) in self._dim

    def unclear(self, position: str, cards: Cards) -> bool:
        """Whether the hand may hold cards of a split no device has shown: a pair that drew, or one lost sight of."""
        hand = cards[position]
        if self.lost(position):
            return True
        return len(hand) > 2 and self._count.equal(hand[0], hand[1]) is not False and not self._settled(position)

    def _settled(self, position: str) -> bool:
        """A split hand that will not be split again: another was dealt to after it, or there are as many as may be."""
        seat = seat_of(position)
        hands = len([each for each in self._split if seat_of(each) == seat])
        return position in self._left or (position in self._split and hands >= self._desk.figure("split-hands"))

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
        if position in self._split and not self.lost(position):
            self._judge_order(position, cards)
            for hand in cards:
                if hand == position or (hand in self._split and self._same_seat(hand, position)):
                    self._judge_aces(hand, cards)

    def ended(self, cards: Cards) -> None:
        """Nothing more will be dealt: a split ace with more than one card was not split again."""
        for position in sorted(self._split & cards.keys(), key=seat_order):
            if not self.lost(position):
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
        """The seat's first hand has no second card yet, or this hand was left for another before. Hands made later are
        numbered on, wherever they lie: in which order they come is not judged."""
        seat = seat_of(position)
        current = self._current.get(seat, seat)
        self._current[seat] = position
        if position in self._left:
            observed, required = {"dealt_to": position, "after": current}, {"complete_first": position}
        elif position != seat and len(cards.get(seat, ())) == 1:
            observed, required = {"dealt_to": position, "waiting": seat}, {"complete_first": seat}
        else:
            observed = required = {}
        if current != position:
            self._left.add(current)
        if observed:
            self._breach("split-order", observed, required, [position], seat)

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
