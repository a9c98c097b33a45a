"""What poker hands of three, four or five cards rank by: cards of one rank, runs and suits, whatever the deck.

Knows no joker, no pay table and no game: each game's names, lowest first, say what beats what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from pitwatch.rules.play.cards import RANKS, SUITS, rank, suit

STANDARD = RANKS[1:] + "A"
"""Ranks of a deck from the lowest to the ace."""

HEIGHT = {each: height for height, each in enumerate(STANDARD, start=2)}
"""Height of a rank, ace high."""

Strength = tuple[int, ...]
"""Compares as hands do: place among the names, then the heights that decide."""

_GROUPS = {(4,): "four-of-a-kind", (3, 2): "full-house", (3,): "three-of-a-kind", (2, 2): "two-pair", (2,): "pair"}
"""By the numbers of cards of one rank; single cards are left out."""

ROYALS = ("royal-flush", "mini-royal")
"""What the highest straight flush is called, where it is a hand of its own; the second has three cards."""


class PokerRanking:
    """Hands of `size` cards. `hands`: their names, lowest first; `ranks`: the deck's, from the lowest to the ace."""

    def __init__(self, hands: Sequence[str], size: int, ranks: str = STANDARD):
        self._size = size
        self._ranks = ranks
        self._place = {name: place for place, name in enumerate(hands)}
        self._royal = next((self._place[name] for name in ROYALS if name in self._place), None)
        self._height = {each: height for height, each in enumerate(ranks, start=2)}
        self._ace = self._height["A"]
        self._wheel = (self._ace, *range(size, 1, -1))  # the lowest run: its ace is below the two
        self._groups = {
            times + (1,) * (size - sum(times)): self._place[name]
            for times, name in _GROUPS.items()
            if name in self._place
        }

    def of(self, cards: Sequence[str]) -> Strength:
        """The strength of a hand. Raises ValueError for another number of cards, or as `best` does."""
        if len(cards) != self._size:
            raise self._no_hand(cards)
        return self.best(cards)

    def best(self, cards: Sequence[str]) -> Strength:
        """The strength of the best hand among the cards.

        Raises ValueError for too few cards, the same card twice, or a card that the deck has not, as a joker.
        """
        known = all(rank(card) in self._height and suit(card) in SUITS for card in cards)
        if len(cards) < self._size or len(set(cards)) < len(cards) or not known:
            raise self._no_hand(cards)
        return max(map(self._strength, combinations(cards, self._size)))

    def _no_hand(self, cards: Sequence[str]) -> ValueError:
        return ValueError(f"{self._size} different cards from {self._ranks[0]} to ace make a hand, not {list(cards)}")

    def _strength(self, cards: Sequence[str]) -> Strength:
        ranks = Counter(self._height[rank(card)] for card in cards)
        order = sorted(ranks.items(), key=lambda each: (each[1], each[0]), reverse=True)
        heights = tuple(height for height, _ in order)
        place = self._groups.get(tuple(times for _, times in order))
        if place is not None:
            return place, *heights
        suited = len({suit(card) for card in cards}) == 1
        wheel = heights == self._wheel
        if not wheel and heights[0] - heights[-1] != self._size - 1:
            return self._place["flush" if suited else "high-card"], *heights
        top = self._size if wheel else heights[0]
        if suited and top == self._ace and self._royal is not None:
            return self._royal, top
        return self._place["straight-flush" if suited else "straight"], top
