"""What a blackjack hand counts. Sans state; the worth of each rank comes from the book, so a variant changes a table.

Must not know who holds the hand, nor when a card may be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pitwatch.rules.game import Game
from pitwatch.rules.play.cards import all_read, rank


class Score(msgspec.Struct, frozen=True):
    """`soft`: a card counts more than its least, as an ace that counts 11; `natural`: by the book's table of them."""

    total: float
    soft: bool
    natural: bool = False


class Natural(msgspec.Struct, frozen=True):
    """Two first cards that beat everything: one of each list of ranks or cards; `counts` their value."""

    cards: tuple[frozenset[str], frozenset[str]]
    counts: float

    def made_of(self, cards: Sequence[str]) -> bool:
        one, other = self.cards
        first, second = ({card, rank(card)} for card in cards)
        return bool((first & one and second & other) or (first & other and second & one))


class Count:
    """Counts hands by the book's table of points: rank to the values it may take, {"A": [1, 11], "2": [2], …}.

    `naturals`: entries of the book's table, {"cards": [["A"], ["T", "J", "Q", "K"]], "counts": 21.5}; without one, two
    cards that count the target are a natural.
    """

    def __init__(self, points: Mapping[str, list[int]], target: int, naturals: Iterable[Mapping[str, Any]] = ()):
        self._points = points
        self.target = target
        self._naturals = [
            Natural((frozenset(each["cards"][0]), frozenset(each["cards"][1])), each["counts"]) for each in naturals
        ]

    @classmethod
    def of(cls, game: Game) -> Count:
        """As a game's book says."""
        return cls(game.tables["points"], game.figure("target"), game.tables.get("naturals", ()))

    def score(self, cards: Iterable[str | None], split: bool = False) -> Score | None:
        """The highest total within the target, else the least; None if a card was not read or has no worth here.
        `split`: the hand can be no natural."""
        read = all_read(list(cards))
        sums = self.sums(read or ())
        if read is None or not sums:
            return None
        natural = None if split else self._natural(read)
        if natural is not None:
            return Score(natural.counts, True, True)
        least = min(sums)
        total = max((each for each in sums if each <= self.target), default=least)
        return Score(total, total > least)

    def sums(self, cards: Iterable[str | None]) -> set[int]:
        """Every total that cards may be counted to; none if a card was not read or has no worth here."""
        sums = {0}
        for card in cards:
            values = self._points.get(rank(card), ()) if card is not None else ()
            sums = {total + value for total in sums for value in values}
        return sums

    def _natural(self, cards: Sequence[str]) -> Natural | None:
        return next((each for each in self._naturals if len(cards) == 2 and each.made_of(cards)), None)

    def bust(self, score: Score) -> bool:
        """More than the target, and no natural, which some games count a half more."""
        return score.total > self.target and not score.natural

    def natural(self, cards: Sequence[str | None]) -> bool:
        """Two cards that beat everything; whether they came of a split is not seen here."""
        if self._naturals:
            read = all_read(cards)
            return read is not None and self._natural(read) is not None
        score = self.score(cards)
        return len(cards) == 2 and score is not None and score.total == self.target

    def equal(self, first: str | None, second: str | None) -> bool | None:
        """Whether two cards have the same value, any two tens included; None if one of them was not read."""
        read = all_read((first, second))
        return None if read is None else self._points.get(rank(read[0])) == self._points.get(rank(read[1]))

    def worth(self, card: str | None) -> int | None:
        """The most a card can count; None if it was not read."""
        read = all_read((card,))
        return None if read is None else max(self._points.get(rank(read[0])) or [0])


def must_stand(score: Score, at: int, soft: bool) -> bool:
    """Whether the dealer's total asks for no more cards; `soft`: whether the table stands on a soft total of `at`."""
    return soft if score.soft and score.total == at else score.total >= at


def summary(count: Count, cards: list[str | None], split: bool = False) -> dict[str, Any] | None:
    """A hand as a round's result shows it; None if not all of its cards were read. A split hand is no blackjack."""
    score = count.score(cards, split)
    if score is None or not cards:
        return None
    return {
        "total": score.total,
        "soft": score.soft,
        "blackjack": not split and count.natural(cards),
        "bust": count.bust(score),
    }
