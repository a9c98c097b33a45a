"""The one card that was exposed as pai gow is dealt, where the book has it replaced when the deal is over: rule
`single-exposed-card`. A replacement is the first of the cards left over, so that one fewer of them remains."""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.play.piles import Piles

RULE = "single-exposed-card"


class ExposedCard:
    """One round's."""

    def __init__(self, desk: Desk, felt: Piles):
        self._desk = desk
        self._felt = felt
        self._in_book = RULE in desk.game.rules
        self._replaced = False
        self._face: str | None = None
        """The card that was exposed, if it was read."""

    def make_way(self, hand: str, card: str | None) -> None:
        """A card comes to a hand that has all its cards: one that was lifted from there and does not come back was
        taken out of it."""
        away = self._felt.lifted_from(hand)
        new = card is not None and card not in self._felt.of(hand)
        if self._in_book and not self._replaced and new and len(away) == 1:
            self._face = away[0]
            self._felt.take_out(hand)
            self._replaced = True

    def laid_aside(self, card: str | None, new: bool) -> bool:
        """A card was laid on a pile: whether it is the one that was exposed."""
        if not new:
            self._replaced = self._replaced or self._in_book
        return not new or (card is not None and card == self._face)

    def may_be_replaced(self, felt_watched: bool) -> bool:
        """Whether a card was replaced; where nobody watches the hands, whether that is possible."""
        round_ = self._desk.round
        told = round_ is not None and RULE in {rule.rpartition("/")[2] for rule in round_.irregularities}
        return self._in_book and (self._replaced or told or not felt_watched)

    def only_it(self, aside: int) -> bool:
        """Whether so many cards on a pile may be that card alone."""
        return self._replaced and aside == 1
