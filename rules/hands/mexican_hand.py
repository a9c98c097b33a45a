"""Five-card hands of a deck without eights, nines and tens: a jack follows a seven, a flush beats a full house.

Ranking: california Mexican Poker, 001 lines 1947-1965. What a joker stands for depends on how it was dealt, which no
reader sees: a hand with one has no strength here.
"""

from __future__ import annotations

from pitwatch.rules.hands.poker_ranking import PokerRanking

HANDS = (
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "full-house", "flush", "four-of-a-kind",
    "straight-flush", "royal-flush",
)  # fmt: skip
"""From lowest to highest."""

RANKS = "234567JQKA"

strength = PokerRanking(HANDS, 5, RANKS).of
"""Of five cards of this deck."""
