"""Sums and logarithms that monitors share. `fsum` is exact, so a sum has the same bits on every machine and release."""

from __future__ import annotations

import math
from collections.abc import Sequence


def ln_mean(logs: Sequence[float]) -> float:
    """ln of the plain mean of exp(each); minus infinity if every one is."""
    return ln_sum(logs) - math.log(len(logs))


def ln_sum(logs: Sequence[float]) -> float:
    """ln of the sum of exp(each), without overflow."""
    largest = max(logs)
    if largest == -math.inf:
        return largest
    return largest + math.log(math.fsum(math.exp(each - largest) for each in logs))


def ln_falling(start: int, factors: int) -> float:
    """ln of start·(start-1)·… with so many factors; minus infinity if one of them is not positive."""
    if factors > start:
        return -math.inf
    return math.lgamma(start + 1) - math.lgamma(start - factors + 1)


def bounded_exp(log: float) -> float:
    """exp(log), at most e^690, so that it can still be multiplied and added."""
    return math.exp(min(log, 690.0))
