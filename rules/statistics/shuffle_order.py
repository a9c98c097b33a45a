"""In which order a shoe's cards come, against the order of an earlier shoe: kept slugs and too few riffles.

The bet: the next card is one that lay behind a card seen lately. A weight of 0.5 is spread evenly over the places of
the earlier shoe; a card seen puts a weight of 1 on the places behind those where it may have lain. That weight fades.
Where the player cuts makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwatch.rules.statistics.arithmetic import ln_mean

BASE = 0.5
STAKE = 0.9
"""Share of the wealth that is put on the guess; the rest keeps a bet alive."""

SMALLEST = 1e-30
"""Weights are written anew when their unit has faded below this."""

BETS = ((2, 0.01, 0.1), (8, 0.02, 0.01), (32, 0.02, 0.01))
"""Depth in cards, chance at a card that order begins, chance that it ends: a slug, then riffles."""


class _Trail:
    """One bet: where in the earlier shoe the next card is expected, and how much the bet has made of that."""

    def __init__(self, places: int, depth: int, begins: float, ends: float):
        self._fade = 1 - 1 / depth
        self._begins, self._ends = begins, ends
        self._unused = [BASE / places] * places
        self._hot = [0.0] * places
        """Weights in units of `_unit`, so that all fade at once."""
        self._unit = 1.0
        self._heat = 0.0
        """Sum of the weights."""
        self._outside, self._ordered = 1.0, 0.0
        """Shares of the wealth that lie outside order and in order."""
        self.ln_e = 0.0

    def see(self, places: Sequence[int], stated: float) -> float:
        """A card was seen that lay at one of `places`; `stated` is its fair chance. Returns ln E so far."""
        hot, unused, unit = self._hot, self._unused, self._unit
        weights = [unused[place] + hot[place] * unit for place in places]
        weight = math.fsum(weights)
        guessed = weight / (BASE + self._heat)
        outside = self._outside * (1 - self._begins) + self._ordered * self._ends
        ordered = self._outside * self._begins + self._ordered * (1 - self._ends)
        ordered *= 1 - STAKE + STAKE * guessed / stated
        whole = outside + ordered
        self.ln_e += math.log(whole)
        self._outside, self._ordered = outside / whole, ordered / whole
        self._move(places, weights, weight)
        return self.ln_e

    def _move(self, places: Sequence[int], weights: Sequence[float], weight: float) -> None:
        """The card's places are used up as far as it lay there, and what lay behind them comes next."""
        hot, unused = self._hot, self._unused
        unit = self._unit = self._unit * self._fade
        heat = self._heat * self._fade
        if unit < SMALLEST:
            hot = self._hot = [each * unit for each in hot]
            unit = self._unit = 1.0
        if weight > 0:
            shares = [each / weight for each in weights]
            for place, share in zip(places, shares, strict=True):
                unused[place] *= 1 - share
                heat -= hot[place] * unit * share
                hot[place] *= 1 - share
            for place, share in zip(places, shares, strict=True):
                if place + 1 < len(hot):
                    hot[place + 1] += share / unit
                    heat += share
        self._heat = max(heat, 0.0)


class ShuffleOrder:
    """One shoe against an earlier one. `whole`: cards of each kind in the shoe; `before`: kinds in the order in which
    they were dealt, None for a card that was not seen, with one entry for every card of the shoe.

    Raises ValueError if `before` holds no place.
    """

    def __init__(self, whole: Sequence[int], before: Sequence[int | None]):
        if not before:
            raise ValueError("no earlier shoe to compare with")
        self._left = list(whole)
        self._cards = sum(whole)
        self._places: dict[int, list[int]] = {}
        for place, kind in enumerate(before):
            if kind is not None:
                self._places.setdefault(kind, []).append(place)
        self._trails = [_Trail(len(before), *bet) for bet in BETS]

    def see(self, kind: int) -> float | None:
        """The next card of the shoe was seen; returns ln E so far. None: the shoe cannot hold that card any more, so
        that it says nothing of order. Takes some 30 µs for eight decks."""
        if self._left[kind] == 0:
            return None
        stated = self._left[kind] / self._cards
        self._left[kind] -= 1
        self._cards -= 1
        places = self._places.get(kind, [])
        return ln_mean([trail.see(places, stated) for trail in self._trails])

    def by_bet(self) -> list[float]:
        """ln E of each of `BETS` so far."""
        return [trail.ln_e for trail in self._trails]
