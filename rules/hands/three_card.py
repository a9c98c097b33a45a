"""Three-card poker hands: which hand three cards make, and which of two is higher. Knows no pay table.

Ranking: toledo-2020, Section Nine, lines 1771-1785; every book's three-card games rank alike, but that california,
lines 4416-4426 and 4604-4614, makes the highest straight flush a hand of its own.
"""

from __future__ import annotations

from pitwatch.rules.hands.poker_ranking import PokerRanking

HANDS = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
"""From lowest to highest."""

strength = PokerRanking(HANDS, 3).of
"""Of three cards."""

WITH_MINI_ROYAL = (*HANDS, "mini-royal")

with_mini_royal = PokerRanking(WITH_MINI_ROYAL, 3).of
"""Of three cards; ace, king and queen of a suit are a mini royal."""
