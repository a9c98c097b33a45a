"""The two cards a patron is dealt first: a pair, or an ace with a king, queen or jack. Knows no pay table.

Pocket bonus: toledo-2020, Section Twenty-Three, lines 4635-4651.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.play.cards import SUITS, rank, suit

HANDS = ("high-card", "ace-face", "ace-face-suited", "pair")
"""From lowest to highest; in suits only an ace with a face card counts."""

FACES = {HEIGHT[each] for each in "KQJ"}


def strength(cards: Sequence[str]) -> Strength:
    """Place in `HANDS`, then the heights. Raises ValueError for what is no two different cards."""
    known = all(rank(card) in HEIGHT and suit(card) in SUITS for card in cards)
    if len(cards) != 2 or len(set(cards)) < 2 or not known:
        raise ValueError(f"two different cards without a joker make a hand, not {list(cards)}")
    high, low = sorted((HEIGHT[rank(card)] for card in cards), reverse=True)
    if high == low:
        return HANDS.index("pair"), high
    if high == HEIGHT["A"] and low in FACES:
        return HANDS.index("ace-face-suited" if suit(cards[0]) == suit(cards[1]) else "ace-face"), high, low
    return HANDS.index("high-card"), high, low
