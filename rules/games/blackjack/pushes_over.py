"""Hands over the target that still wait for the dealer: where both are over, some push. Document california, lines
845-851, 2349-2351, 5972-5978, 6276-6279.

Table of the book: `pushes-over`, a condition in each key that it has: `player-cards` and `player-totals` of the
player's hand; `nearer`, true where it must count less than the dealer's; of the dealer's hand `dealer-cards` and
`dealer-totals`, or `dealer-ranks` and `suited`. Without the table no hand over the target waits. Knows no layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.play.cards import all_read, rank

SUITS = "SHDC"


class PushesOver:
    def __init__(self, game: Game, house: House):
        table: Mapping[str, Any] | None = game.tables.get("pushes-over")
        self._table: Mapping[str, Any] = table or {}
        self._offered = table is not None
        self._house = house
        self._deck = [value + suit for value in game.tables["points"] for suit in SUITS]
        ranks = self._table.get("dealer-ranks")
        self._most: int | None = len(ranks) if ranks is not None else self._table.get("dealer-cards")
        """Cards of the dealer's hand against which players push; None if of any number."""

    def may_come(self, player: Sequence[str | None], dealer: Sequence[str | None]) -> bool | None:
        """Whether the dealer's hand is one, or may still become one by the drawing rules, against which this hand over
        the target pushes; None if a card was not read."""
        if not self._offered:
            return False
        total = self._total(player)
        if total is None:
            return None
        if self._differs("player", len(player), total):
            return False
        cards = all_read(list(dealer))
        return None if cards is None or len(cards) < 2 else self._reaches(total, cards)

    def _reaches(self, player: float, dealer: list[str]) -> bool:
        seen: set[object] = set()
        hands = [dealer]
        while hands:
            hand = hands.pop()
            total = self._total(hand)
            if total is None:
                continue
            if total > self._house.count.target:
                if self._pushes(player, hand, total):
                    return True
            elif self._house.dealer_stands(hand) is not True and (self._most is None or len(hand) < self._most):
                alike = tuple(hand) if self._most is not None else (total, self._house.count.sums(hand) != {total})
                if alike not in seen:
                    seen.add(alike)
                    hands += [[*hand, card] for card in self._deck]
        return False

    def _pushes(self, player: float, hand: list[str], total: float) -> bool:
        if self._differs("dealer", len(hand), total) or (self._table.get("nearer") and player >= total):
            return False
        ranks = self._table.get("dealer-ranks")
        if ranks is not None and sorted(map(rank, hand)) != sorted(ranks):
            return False
        return not self._table.get("suited") or len({card[-1] for card in hand}) == 1

    def _differs(self, whose: str, cards: int, total: float) -> bool:
        """Whether a hand of so many cards and this total is not one of those of the table."""
        number, totals = self._table.get(f"{whose}-cards"), self._table.get(f"{whose}-totals")
        return (number is not None and cards != number) or (totals is not None and total not in totals)

    def _total(self, cards: Sequence[str | None]) -> float | None:
        score = self._house.count.score(cards)
        return None if score is None else score.total
