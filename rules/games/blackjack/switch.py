"""Blackjack Switch: a patron has two hands, whose second cards may change places after the dealer has looked for a
blackjack. Document columbus-2016, Section Seventeen, lines 2649-2669.

Figure of the book: `hands-a-seat`, 2. Only a reader that shows cards being moved tells whether hands were switched.
Must not know the dealer's hand.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.hand import Count
from pitwatch.rules.games.blackjack.layout import Cards
from pitwatch.rules.play.seats import is_seat, seat_of


class Switch:
    """`breach(rule, observed, required, positions, once)` is the procedure's."""

    def __init__(self, desk: Desk, count: Count, breach: Callable[..., None]):
        figure = desk.game.figures.get("hands-a-seat")
        self.hands_a_seat: int = figure.value if figure is not None else 1
        self.offered = self.hands_a_seat > 1
        self._count = count
        self._breach = breach
        self.clear()

    def clear(self) -> None:
        self._first: dict[str, list[str | None]] = {}

    def spots(self, seats: list[str]) -> list[str]:
        """The hands of these seats, from the dealer's left: "seat-1", "seat-1/2", "seat-2", …"""
        more = range(2, self.hands_a_seat + 1)
        return [hand for seat in seats for hand in (seat, *(f"{seat}/{number}" for number in more))]

    def is_spot(self, position: str) -> bool:
        """Whether a hand is one that a seat is dealt, not one that came of a split."""
        number = position.partition("/")[2] or "1"
        return is_seat(position) and number.isdecimal() and int(number) <= self.hands_a_seat

    def deal_over(self, cards: Cards) -> None:
        self._first = {position: list(hand[:2]) for position, hand in cards.items() if is_seat(position)}

    def switched(self, position: str, cards: Cards) -> bool:
        """Whether the hand's second card is not the one it was dealt."""
        first = self._first.get(position)
        return self.offered and first is not None and cards[position][:2] != first

    def unclear(self, position: str, cards: Cards, sees_moves: bool) -> bool:
        """Whether the hand's second card may have changed places unseen."""
        return (
            self.offered and not sees_moves and len([each for each in cards if seat_of(each) == seat_of(position)]) > 1
        )

    def may_be_bust(self, position: str, cards: Cards) -> bool | None:
        """Whether a hand that may have been switched unseen may be over the target; None if it cannot be told."""
        others = [each for each in cards if seat_of(each) == seat_of(position) and each != position]
        hand = cards[position]
        if len(others) != 1 or len(hand) < 2 or len(cards[others[0]]) < 2:
            return None
        scores = [self._count.score(each) for each in (hand, [hand[0], cards[others[0]][1], *hand[2:]])]
        if any(score is None for score in scores) or self._count.natural(hand):
            return None
        return any(score is not None and self._count.bust(score) for score in scores)

    def moved(self, source: str, place: int, position: str, cards: Cards, checked: bool | None) -> None:
        """A card that lay at `place` of the hand `source` was laid to another hand of the seat. `checked`: whether the
        dealer has looked for a blackjack, None if there was no need or nobody saw."""
        if place != 1 or len(cards[position]) > 3:
            self._breach(
                "switch-not-second-cards",
                {"from": source, "to": position, "card": place + 1, "cards": len(cards[position])},
                {"switched": "the second cards of both hands"},
                [source, position],
                seat_of(position),
            )
        if checked is False:
            self._breach(
                "switch-before-dealer-check",
                {"seat": seat_of(position)},
                {"dealer": "looks first"},
                [source, position],
                "check",
            )
