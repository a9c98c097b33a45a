"""The rankings that books name: what a hand is called and which of two is higher. Knows no pay table and no game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pitwatch.rules.hands import five_card, four_card, suited_hands, three_card, two_card, wild_hands
from pitwatch.rules.hands.poker_ranking import Strength


class Ranking(NamedTuple):
    """`strength(cards)` compares as hands do and begins with the hand's place in `hands`, lowest first; None if the
    cards are no hand of this ranking. It raises ValueError for cards that the ranking does not know."""

    hands: tuple[str, ...]
    strength: Callable[[Sequence[str]], Strength | None]


RANKINGS = {
    "three-card": Ranking(three_card.HANDS, three_card.strength),
    "three-card-mini-royal": Ranking(three_card.WITH_MINI_ROYAL, three_card.with_mini_royal),
    "four-card": Ranking(four_card.HANDS, four_card.strength),
    "five-card": Ranking(five_card.HANDS, five_card.strength),
    "deuces-and-joker-wild": Ranking(wild_hands.HANDS, wild_hands.strength),
    "deuces-natural": Ranking(five_card.HANDS, wild_hands.natural),
    "deuces-natural-joker-nothing": Ranking(five_card.HANDS, wild_hands.without_joker),
    "most-of-a-suit": Ranking(suited_hands.FLUSHES, suited_hands.flush),
    "run-in-a-suit": Ranking(suited_hands.RUNS, suited_hands.run),
    "most-of-a-color": Ranking(suited_hands.COLORS, suited_hands.color),
    "two-card": Ranking(two_card.HANDS, two_card.strength),
}
"""Of more cards than a hand has, the best count."""
