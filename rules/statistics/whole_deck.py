"""A deck that is seen entire, before and after: how many riffles, or one pass through a machine of shelves?

Exact chances of an order: Bayer & Diaconis 1992 (riffles), Fulman 2000 (riffles and a cut), Diaconis, Fulman & Holmes
2013 (shelves). A deck is the order of its cards, top first, by their place before, from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial, inf, log

from pitwatch.rules.statistics.arithmetic import ln_mean

PILES = (2, 4, 8, 16, 32, 64, 128, 256)
"""One riffle makes 2 piles, two make 4, and so on."""

SHELVES = (5, 10, 20, 40)


def rising_sequences(deck: Sequence[int]) -> int:
    """Runs of cards that follow each other by number and still lie in that order."""
    at = _places(deck)
    return 1 + sum(at[card + 1] < at[card] for card in range(len(deck) - 1))


def cyclic_descents(deck: Sequence[int]) -> int:
    """Descents of the places of the cards by number, the last against the first too: a cut changes nothing."""
    at = _places(deck)
    return sum(at[(card + 1) % len(deck)] < at[card] for card in range(len(deck)))


def valleys(deck: Sequence[int]) -> int:
    """Cards between two that lay deeper before. A machine of m shelves that takes cards from the bottom of the deck
    makes fewer than m."""
    return sum(deck[place - 1] > deck[place] < deck[place + 1] for place in range(1, len(deck) - 1))


def ln_e_riffles(cards: int, rising: int, descents: int) -> float:
    """ln of how much likelier the order is after 1 to 8 riffles, cut or not, than after a perfect shuffle."""
    logs = []
    for piles in PILES:
        logs.append(_ln(comb(piles + cards - rising, cards), piles**cards, cards))
        logs.append(_ln(_choose(cards + piles - descents - 1, cards - 1), cards * piles ** (cards - 1), cards))
    return ln_mean(logs)


def ln_e_shelves(cards: int, lows: int) -> float:
    """The same of one pass through a machine of 5, 10, 20 or 40 shelves, by the number of valleys."""
    logs = []
    for shelves in SHELVES:
        ways = sum(
            comb(cards + shelves - above - 1, cards) * _choose(cards - 1 - 2 * lows, above - lows)
            for above in range(shelves)
        )
        logs.append(_ln(4 ** (lows + 1) * ways, 2 * (2 * shelves) ** cards, cards))
    return ln_mean(logs)


def _places(deck: Sequence[int]) -> list[int]:
    at = [0] * len(deck)
    for place, card in enumerate(deck):
        at[card] = place
    return at


def _choose(whole: int, part: int) -> int:
    return comb(whole, part) if 0 <= part <= whole else 0


def _ln(ways: int, of: int, cards: int) -> float:
    """ln of (ways / of) · cards!, of whole numbers of any size."""
    return log(ways * factorial(cards)) - log(of) if ways else -inf
