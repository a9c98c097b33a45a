"""Split hands: which card went where, one card to a split ace, the first hand before the next (document 154-167, 511).

A shoe shows a split only when a card goes to the new hand, "seat-3/2"; until then a pair that draws proves nothing.
Must not know the dealer's hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.play.seats import is_seat, seat_of, seat_order

Cards = dict[str, list[str | None]]
Breach = Callable[..., None]


TENS = "TJQK"


class Splits:
    """`breach(rule, observed, required, positions, once)` is the procedure's; `spots`: hands that each seat is dealt.

    Figures of the book: hands one hand may become, `split-hands`, and where they differ `split-hands-tens` and
    `split-hands-aces` (not stated: as many as one likes); `split-ace-cards`, cards dealt to each split ace."""

    def __init__(self, desk: Desk, house: House, breach: Breach, spots: int = 1):
        self._desk = desk
        self._house = house
        self._breach = breach
        self._spots = spots
        figures = desk.game.figures
        self._ace_cards: int | None = figures["split-ace-cards"].value if "split-ace-cards" in figures else None
        self.clear()

    def clear(self) -> None:
        self._split: set[str] = set()
        self._root: dict[str, str] = {}
        self._dim: set[str] = set()
        self._several: set[str] = set()
        self._current: dict[str, str] = {}
        self._left: set[str] = set()

    def _most(self, card: str | None) -> int | None:
        """Hands that one hand of such cards may become; None if the book sets no limit."""
        figures = self._desk.game.figures
        kind = "aces" if _is_ace(card) else "tens" if card is not None and card[0] in TENS else ""
        if kind == "aces" and self._desk.option("resplit-aces") is False:
            return 2
        figure = figures.get(f"split-hands-{kind}") or figures.get("split-hands")
        return figure.value if figure is not None else None

    def _family(self, position: str) -> list[str]:
        """The hands that came of the same one."""
        root = self._root.get(position, position)
        return [each for each in self._split if self._root.get(each, each) == root]

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
        if len(hand) < 3 or self._house.may_split(hand[0], hand[1]) is False:
            return False
        if self._house.count.natural(hand[:2]) and position not in self._split:
            return False  # it wins as it lies: nobody plays on with it
        return not self._settled(position, hand[0])

    def _settled(self, position: str, card: str | None) -> bool:
        """A split hand that will not be split again: another was dealt to after it, or there are as many as may be."""
        most = self._most(card)
        full = most is not None and len(self._family(position)) >= most
        return position in self._left or (position in self._split and full)

    def lose_sight(self, position: str) -> None:
        self._dim.add(seat_of(position))

    def several_wagers(self, position: str) -> None:
        """The seat may have more hands of the deal than is known: how many came of one cannot be told."""
        self.lose_sight(position)
        self._several.add(seat_of(position))

    def moved(self, position: str, cards: Cards, source: str) -> None:
        """The reader showed a card move from one hand of the seat to this new one."""
        if is_seat(position) and "/" in position:
            self._divide(position, cards, source)

    def dealt(self, position: str, cards: Cards) -> None:
        """A card was dealt to a hand; call it for every hand after the initial deal."""
        if position not in self._split and seat_order(position)[1] > self._spots:
            self._part(position, cards)
            if self.lost(position):
                self._count_hands(position, cards)
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
            and self._house.may_split(cards[each][0], cards[each][1]) is not False
        ]
        others = [each for each in cards if self._same_seat(each, position)]
        if not pairs and len(others) == 1 and len(cards[others[0]]) > 1:
            self._unequal(position, cards[others[0]][:2], others[0])
        if len(pairs) != 1 or self._house.may_split(*cards[pairs[0]][:2]) is None:
            self.lose_sight(position)
            return
        cards[position].insert(0, cards[pairs[0]].pop(1))
        self._divide(position, cards, pairs[0])

    def _unequal(self, position: str, pair: list[str | None], source: str) -> None:
        required = {"split": "two cards of equal value"}
        self._breach("split-unequal-values", {"split": pair}, required, [source, position], position)

    def _divide(self, position: str, cards: Cards, source: str) -> None:
        first = cards[source][0] if cards[source] else None
        if first is not None and self._house.may_split(first, cards[position][0]) is False:
            self._unequal(position, [first, cards[position][0]], source)
        self._root[position] = self._root.get(source, source)
        self._split.update((position, source))
        family = self._family(position)
        self._judge_often(position, len(family), self._most(cards[position][0]), _is_ace(cards[position][0]), family)

    def _count_hands(self, position: str, cards: Cards) -> None:
        """Of two pairs nobody can tell which was split, but how many hands the seat has is certain."""
        hands = [each for each in cards if seat_of(each) == seat_of(position)]
        first = [cards[each][0] for each in hands if seat_order(each)[1] <= self._spots]
        limits = [self._most(card) for card in first]
        if seat_of(position) in self._several or len(first) != self._spots or None in (*first, *limits):
            return
        most = sum(limit for limit in limits if limit is not None)
        self._judge_often(position, len(hands), most, all(map(_is_ace, first)), hands)

    def _judge_often(self, position: str, hands: int, most: int | None, aces: bool, evidence: list[str]) -> None:
        if most is None or hands <= most:
            return
        if aces and most == 2:
            observed = {"position": position, "aces": "split again"}
            self._breach("split-aces-one-card", observed, {"aces": "split once"}, evidence, seat_of(position))
        else:
            self._breach("split-too-often", {"hands": hands}, {"hands": most}, evidence, seat_of(position))

    def _judge_order(self, position: str, cards: Cards) -> None:
        """The seat's first hand has no second card yet, or this hand was left for another before. Hands made later are
        numbered on, wherever they lie: in which order they come is not judged."""
        seat = self._root.get(position, position)
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
            self._breach("split-order", observed, required, [position, current, seat], seat)

    def _judge_aces(self, position: str, cards: Cards, again: bool = True) -> None:
        """`again`: the second ace may still turn out to have been split once more, where the house allows it."""
        hand = cards[position]
        if self._ace_cards is None or not _is_ace(hand[0] if hand else None) or position not in self._split:
            return
        most, hands = self._ace_cards + 1, self._most(hand[0])
        if len(hand) <= most or (again and _is_ace(hand[1]) and (hands is None or len(self._family(position)) < hands)):
            return
        observed: dict[str, Any] = {"position": position, "cards": len(hand) - 1}
        evidence = [self._root.get(position, position), position]
        self._breach("split-aces-one-card", observed, {"cards": most - 1}, evidence, seat_of(position))


def _is_ace(card: str | None) -> bool:
    return card is not None and card[:1] == "A"
