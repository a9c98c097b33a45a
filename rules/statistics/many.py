"""Which of many monitors to look at: e-BH (Wang & Ramdas, arXiv:2009.02824), under any dependence between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def e_bh(values: Sequence[float], share: float) -> list[int]:
    """The places of the values to look at: on average at most `share` of them are there by chance.

    `values` must be e-values of one moment; put maxima over time through `adjusted` first (arXiv:2501.19360).
    """
    ranked = sorted(range(len(values)), key=lambda place: -values[place])
    most = 0
    for rank, place in enumerate(ranked, start=1):
        if values[place] * rank * share >= len(values):
            most = rank
    return sorted(ranked[:most])


def adjusted(largest: float) -> float:
    """The e-value that the largest E of all times is worth."""
    return max(0.0, sqrt(largest) - 1)
