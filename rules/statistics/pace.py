"""Figures that should not rise: cycle times, jams, reader errors. No distribution is assumed, only a mean or a rate.

Bounded means: Waudby-Smith & Ramdas, arXiv:2010.09686. Holds also where one figure depends on those before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwatch.rules.statistics.arithmetic import ln_mean
from pitwatch.rules.statistics.categorical import MOST

BOLDNESS = (0.1, 0.25, 0.5, 0.9)
MULTIPLES = (1.5, 2, 4, 8, 16)


class _Even:
    """Bets of the same weight whose ratios are made for each figure."""

    def __init__(self, bets: int):
        self.n = 0
        self.rs = [0.0] * bets
        self.ln_es = [0.0] * bets

    @property
    def r(self) -> float:
        return math.fsum(self.rs)

    def ln_e(self) -> float:
        """ln E since the last reset."""
        return ln_mean(self.ln_es)

    def begin_again(self) -> None:
        """E and R begin anew."""
        self.n = 0
        self.rs = [0.0] * len(self.rs)
        self.ln_es = [0.0] * len(self.ln_es)

    def restore(self, n: int, rs: Sequence[float], ln_es: Sequence[float]) -> None:
        """Go on from a state that was kept. Raises ValueError if it is none of this monitor."""
        if len(rs) != len(self.rs) or len(ln_es) != len(self.ln_es) or not all(0 <= r <= MOST for r in rs):
            raise ValueError("a state that is not one of this monitor")
        self.n, self.rs, self.ln_es = n, list(rs), list(ln_es)

    def _bet(self, ratios: Sequence[float]) -> float:
        share = 1 / len(ratios)
        self.n += 1
        self.rs = [min((r + share) * ratio, MOST) for r, ratio in zip(self.rs, ratios, strict=True)]
        self.ln_es = [log + math.log(ratio) for log, ratio in zip(self.ln_es, ratios, strict=True)]
        return self.r


class MeanRise(_Even):
    """Against "the mean, given all before, is at most `limit`", for figures from `low`; above `high` they count as it.

    Raises ValueError unless low < limit < high.
    """

    def __init__(self, limit: float, low: float, high: float):
        if not low < limit < high:
            raise ValueError(f"the limit {limit} is not between {low} and {high}")
        super().__init__(len(BOLDNESS))
        self._limit, self._low, self._high = limit, low, high

    def take(self, figure: float) -> float:
        """Take one figure; returns R. One below `low` counts as `low`, which can only raise R."""
        excess = (min(max(figure, self._low), self._high) - self._limit) / (self._limit - self._low)
        return self._bet([1 + bold * excess for bold in BOLDNESS])

    def stretch(self, recent: Sequence[float]) -> tuple[int, float]:
        """Over how many of the newest figures the bet that stands highest gained most, and their sum."""
        bold = BOLDNESS[max(range(len(BOLDNESS)), key=self.rs.__getitem__)]
        limit, low, high = self._limit, self._low, self._high
        gain, best, total, sum_, figures = 0.0, 0.0, 0.0, 0.0, 0
        for back, each in enumerate(reversed(recent), start=1):
            gain += math.log(1 + bold * (min(max(each, low), high) - limit) / (limit - low))
            total += each
            if gain > best:
                best, sum_, figures = gain, total, back
        return figures, sum_


class RateRise(_Even):
    """Against "at most `limit` events a trial". Raises ValueError unless 0 < limit and 16·limit < 1."""

    def __init__(self, limit: float):
        if not 0 < limit < 1 / MULTIPLES[-1]:
            raise ValueError(f"the rate {limit} is not above 0 and below 1/{MULTIPLES[-1]}")
        super().__init__(len(MULTIPLES))
        self._limit = limit

    def take(self, trials: int, events: int) -> float:
        """Take a batch; returns R. Raises ValueError if there are more events than trials."""
        if not 0 <= events <= trials:
            raise ValueError(f"{events} events in {trials} trials")
        quiet = trials - events
        return self._bet([each**events * ((1 - each * self._limit) / (1 - self._limit)) ** quiet for each in MULTIPLES])
