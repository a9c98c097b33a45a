"""R of e-values that come one at a time: a shoe, a deck."""

from __future__ import annotations

from pitwatch.rules.statistics.arithmetic import bounded_exp
from pitwatch.rules.statistics.categorical import MOST


class Restarting:
    """R <- (R + 1)·e. `n` e-values have been taken."""

    def __init__(self) -> None:
        self.n = 0
        self.r = 0.0
        self.ln_e = 0.0

    def take(self, ln_e: float) -> float:
        """Take the e-value of one shoe or deck; returns R."""
        self.n += 1
        self.ln_e += ln_e
        self.r = min((self.r + 1) * bounded_exp(ln_e), MOST)
        return self.r

    def begin_again(self) -> None:
        self.n, self.r, self.ln_e = 0, 0.0, 0.0
