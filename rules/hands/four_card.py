"""Four-card poker hands: the best four of four or more cards. Knows no pay table.

Ranking: toledo-2020, Section Ten, lines 1932-1948; every book's four-card games rank alike. A fifth
card decides nothing.
"""

from __future__ import annotations

from pitwatch.rules.hands.poker_ranking import PokerRanking

HANDS = (
    "high-card", "pair", "two-pair", "straight", "flush", "three-of-a-kind", "straight-flush", "four-of-a-kind",
)  # fmt: skip
"""From lowest to highest."""

strength = PokerRanking(HANDS, 4).best
"""Of the best four of the cards."""
