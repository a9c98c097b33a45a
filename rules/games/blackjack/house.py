"""The drawing rules of a blackjack game as its book writes them: when the dealer stands, when a player must stand or
draw, how many cards a hand may have. Knows no table and no round; the simulated dealer plays by it too.

Figures of the book: `dealer-stands`; `soft-17` where the house does not choose; `most-cards` a hand may have;
`player-stands-hard` and `player-stands-soft`, the least totals that take no card (the target if not stated, 0: no
total); `player-hits`, the highest hard total that must take one; `unsettled-total`, a count of which the document does
not say whether it is over. Option `soft-over-17`: what a document leaves open that forbids to stand below a hard 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.blackjack.hand import Count, must_stand

Cards = Sequence[str | None]
STAND, DRAW, UNSETTLED = "stand", "draw", "unsettled"


class House:
    def __init__(self, game: Game, options: Mapping[str, Any]):
        def figure(name: str, default: Any = None) -> Any:
            return game.figures[name].value if name in game.figures else default

        self.count = Count.of(game)
        self.stands_at: int = game.figure("dealer-stands")
        self.soft_17: str = options.get("soft-17") or figure("soft-17", STAND)
        self._soft_over: str = options.get("soft-over-17", STAND)
        self.most_cards: int | None = figure("most-cards")
        self._stands_hard: int = figure("player-stands-hard", self.count.target)
        self._stands_soft: int = figure("player-stands-soft", self.count.target)
        self.hits: int | None = figure("player-hits")
        self._unsettled: int | None = figure("unsettled-total")
        self.tens_by_rank = options.get("split-tens") == "same-rank"

    def dealer_stands(self, cards: Cards) -> bool | None:
        """Whether the dealer's hand asks for no more cards; None if that is open, or a card was not read."""
        score = self.count.score(cards)
        if score is None or self.open(cards):
            return None
        if self.full(cards):
            return True
        if score.soft and score.total > self.stands_at and not self.count.natural(cards):
            return {STAND: True, DRAW: False}.get(self._soft_over)
        return must_stand(score, self.stands_at, self.soft_17 == STAND)

    def open(self, cards: Cards) -> bool:
        """Whether the hand may be taken for one of the total that the document leaves open."""
        return not self.count.natural(cards) and self._unsettled in self.count.sums(cards)

    def full(self, cards: Cards) -> bool:
        """Whether a hand has as many cards as any may have."""
        return self.most_cards is not None and len(cards) >= self.most_cards

    def player_stands(self, cards: Cards, split: bool = False) -> bool | None:
        """Whether a player's hand may not take another card; None if a card was not read."""
        score = self.count.score(cards, split)
        if score is None or self.open(cards):
            return None
        if self.count.bust(score) or (not split and self.count.natural(cards)):
            return True
        least = self._stands_soft if score.soft else self._stands_hard
        return bool(least) and score.total >= least

    def player_hits(self, cards: Cards) -> bool:
        """Whether a player's hand must take a card: surely not if one was not read."""
        score = self.count.score(cards)
        return self.hits is not None and score is not None and not score.soft and score.total <= self.hits

    def may_split(self, first: str | None, second: str | None) -> bool | None:
        """Whether two cards may be split; None if one of them was not read."""
        equal = self.count.equal(first, second)
        if equal and self.tens_by_rank and first is not None and second is not None:
            return first[0] == second[0]
        return equal
