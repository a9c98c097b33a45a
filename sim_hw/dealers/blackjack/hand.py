"""A hand of simulated blackjack, and what it is worth by the game's book. Knows no table."""

from __future__ import annotations

from dataclasses import dataclass, field

from pitwatch.rules.games.blackjack.hand import Count


@dataclass
class Hand:
    position: str
    cards: list[str] = field(default_factory=list)
    split: bool = False
    """Came of a split, an exchange or a switch: no blackjack."""
    out: bool = False
    """Taken in: bust, paid, or void."""


class Worth:
    """A card that was not read, or does not belong to the game, is worth nothing; a hand with one counts the target."""

    def __init__(self, count: Count):
        self._count = count

    def of_card(self, card: str) -> int:
        return self._count.worth(card) or 0

    def known(self, hand: Hand) -> bool:
        """Whether all its cards can be counted."""
        return self._count.score(hand.cards) is not None

    def natural(self, hand: Hand) -> bool:
        return not hand.split and self._count.natural([*hand.cards])

    def total(self, hand: Hand) -> float:
        score = self._count.score(hand.cards, hand.split)
        return score.total if score is not None else self._count.target

    def bust(self, hand: Hand) -> bool:
        return self.total(hand) > self._count.target
