"""Zappit: two first cards that count a hard 15 to 18 may go back for two new ones, once, after the dealer has looked
for a blackjack. Document toledo-2020, Section Five, lines 1062-1070.

Table of the book: `exchange.totals`. Only a reader that shows cards being taken away tells an exchange from two cards
drawn. Must not know the dealer's hand.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.games.blackjack.layout import Cards, Layout
from pitwatch.rules.play.seats import is_seat

Deferred = Callable[[], None]
OLD = 2
"""Cards of a hand that may go back."""


class Exchange:
    """`breach(rule, observed, required, positions, once)` is the procedure's."""

    def __init__(self, desk: Desk, house: House, layout: Layout, breach: Callable[..., None]):
        table = desk.game.tables.get("exchange")
        self.offered = table is not None
        self._totals: list[int] = table["totals"] if table is not None else []
        self._house = house
        self._layout = layout
        self._breach = breach
        self.clear()

    def clear(self) -> None:
        self._exchanged: set[str] = set()
        self._deferred: dict[str, Deferred] = {}

    def exchanged(self, position: str) -> bool:
        """Whether the hand is not the one first dealt."""
        return position in self._exchanged

    def unclear(self, position: str, cards: Cards, sees_clearing: bool) -> bool:
        """Whether two of the hand's cards may have gone back unseen."""
        hand = cards[position]
        if not self.offered or sees_clearing:
            return self.offered and position in self._layout.doubtful
        return len(hand) > OLD and self._allowed(hand[:OLD]) is not False

    def _allowed(self, cards: list[str | None]) -> bool | None:
        """Whether two cards may go back; None if one was not read."""
        score = self._house.count.score(cards)
        return None if score is None else not score.soft and score.total in self._totals

    def defer(self, position: str, cards: list[str | None], tell: Deferred) -> bool:
        """Whether the fourth card of a hand may be the second new one while the old still lie there: then what it was
        taken for is told only if the old ones stay."""
        if self.offered and len(cards) == 2 * OLD and position not in self._exchanged:
            self._deferred[position] = tell
            return True
        return False

    def dealt(self, position: str, cards: Cards, split: bool, checked: bool | None) -> bool:
        """A new card lies at a hand. Whether it is the first of an exchange; `checked`: whether the dealer has looked
        for a blackjack, None if there was no need or nobody saw."""
        if not self.offered:
            return False
        self.settle(cards, split, checked, position)
        if not self.begins(position, cards):
            if self._layout.lifted_some(position):
                self._layout.doubtful.add(position)  # the other old card may have gone unseen
            return False
        self._exchange(position, cards, len(cards[position]) - 1, split, checked)
        return True

    def begins(self, position: str, cards: Cards) -> bool:
        """Whether a new card, the last of the hand, lies where all others have been taken away."""
        if not self.offered or not is_seat(position) or len(cards[position]) < 2:
            return False
        return self._layout.gone_but_last(position, cards)

    def settle(self, cards: Cards, split: bool, checked: bool | None, new: str = "") -> None:
        """Play has gone on, at `new` with one more card: a hand whose two old cards alone are gone was dealt its new
        ones before they were."""
        for position in [each for each in cards if is_seat(each)]:
            hand = cards[position]
            here = hand[:-1] if position == new else hand
            if len(here) > OLD and self._layout.only_gone(position, hand[:OLD]) and not self._lost(here):
                self._deferred.pop(position, None)
                self._breach(
                    "zappit-cards-not-discarded",
                    {"position": position, "cards": len(hand)},
                    {"old_cards": "in the discard rack first"},
                    [position],
                    (position, "discard"),
                )
                self._exchange(position, cards, OLD, split, checked)
        self.release()

    def _lost(self, hand: list[str | None]) -> bool:
        """Whether a single card was drawn and led past the target: then all three are being taken away."""
        score = self._house.count.score(hand)
        return len(hand) == OLD + 1 and score is not None and self._house.count.bust(score)

    def release(self) -> None:
        """What was held back is told."""
        deferred, self._deferred = list(self._deferred.values()), {}
        for tell in deferred:
            tell()

    def _exchange(self, position: str, cards: Cards, count: int, split: bool, checked: bool | None) -> None:
        old = cards[position][:count]
        again = position in self._exchanged
        if position in self._layout.doubtful:
            pass  # which cards went back is not known
        elif again or split or count != OLD:
            observed = {"position": position, "cards": count, "exchanged_before": again, "split": split}
            self._breach("second-zappit", observed, {"cards": "the two first dealt, once"}, [position], position)
        elif self._allowed(old) is False:
            score = self._house.count.score(old)
            observed = {"position": position, "total": score.total if score else None, "soft": score and score.soft}
            self._breach("invalid-zappit", observed, {"hard_total": self._totals}, [position], position)
        if checked is False:
            self._breach(
                "zappit-before-dealer-check", {"position": position}, {"dealer": "looks first"}, [position], "check"
            )
        self._exchanged.add(position)
        cards.setdefault("discard", []).extend(old)
        del cards[position][:count]
        self._layout.replaced(position, old)
