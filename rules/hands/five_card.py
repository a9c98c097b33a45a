"""Five-card poker hands: which hand five cards make, which of two is higher, and the best five of more cards.

Knows no pay table and no joker. Ranking: toledo-2020, lines 2290-2308 without the joker's; every book's high hands rank
alike but for where a game says otherwise.
"""

from __future__ import annotations

from pitwatch.rules.hands.poker_ranking import PokerRanking

HANDS = (
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
    "straight-flush", "royal-flush",
)  # fmt: skip
"""From lowest to highest."""

SIZE = 5

strength = PokerRanking(HANDS, SIZE).best
"""Of the best five of the cards."""
