"""A weighted set of bets against a stated distribution: the one monitor behind wheels and dice.

A bet says: these cells together are (1 + lift) times as likely as they should be, the others share the rest. Its ratio
for an outcome is 1 + lift inside and (1 - (1 + lift)·P) / (1 - P) outside, so that its mean is 1 where the distribution
is as stated. Sources: method of mixtures (Robbins 1970), Dirichlet e-process (Lindon & Malek, arXiv:2011.03567).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from pitwatch.rules.statistics.arithmetic import ln_sum

MOST = 1e250
"""R is not counted beyond this: it is far above every limit, and still a number."""


class Bet(NamedTuple):
    """`weight`: its share; `cells` together are (1 + `lift`) times as likely; `kind`: what it bets on, for people."""

    weight: float
    cells: tuple[int, ...]
    lift: float
    kind: str


class Spread(NamedTuple):
    """A Dirichlet bet on any other distribution: `strength` outcomes as seen before, spread as the stated one."""

    weight: float
    strength: float


class Bets:
    """The stated probabilities of the cells, the bets against them and their ratios: monitors of one kind share it.

    Raises ValueError for a bet whose cells would have a probability of 1 or more, or none.
    """

    def __init__(self, null: Sequence[float], bets: Sequence[Bet], spreads: Sequence[Spread]):
        self.null = tuple(null)
        self.bets = tuple(bets)
        self.spreads = tuple(spreads)
        whole = math.fsum(bet.weight for bet in bets)
        self.shares = tuple(bet.weight / whole for bet in bets)
        self.ratios = tuple(ratios(self.null, bet) for bet in bets)
        self.rows = tuple(
            tuple(
                inside if cell in bet.cells else outside
                for bet, (inside, outside) in zip(self.bets, self.ratios, strict=True)
            )
            for cell in range(len(self.null))
        )


def ratios(null: Sequence[float], bet: Bet) -> tuple[float, float]:
    """The ratio of a bet inside and outside its cells. Raises ValueError if it is no bet on this distribution."""
    even = len(set(null)) == 1
    share = len(bet.cells) / len(null) if even else math.fsum(null[cell] for cell in bet.cells)
    inside = 1 + bet.lift
    if not (bet.lift > -1 and 0 < share < 1 and inside * share < 1):
        raise ValueError(f"{bet.kind} {bet.cells}: a lift of {bet.lift} is not possible with a share of {share:.3f}")
    return inside, (1 - inside * share) / (1 - share)


class Categorical:
    """One monitor. `counts` by cell; `rs` the R of each bet. `draw` takes an outcome in some 60 µs for 988 bets."""

    def __init__(self, bets: Bets):
        self._bets = bets
        self.counts = [0] * len(bets.null)
        self.rs = [0.0] * len(bets.bets)
        self.r = 0.0

    @property
    def n(self) -> int:
        """Outcomes since the last reset."""
        return sum(self.counts)

    def draw(self, cell: int) -> float:
        """Take one outcome; returns R."""
        bets = self._bets
        self.rs = [(r + share) * ratio for r, share, ratio in zip(self.rs, bets.shares, bets.rows[cell], strict=True)]
        self.counts[cell] += 1
        self.r = math.fsum(self.rs)
        most = MOST / len(self.rs)
        if self.r > most:
            self.rs = [min(r, most) for r in self.rs]
            self.r = math.fsum(self.rs)
        return self.r

    def told(self) -> Bet:
        """The bet that has gained most: what an alarm is about."""
        return self._bets.bets[max(range(len(self.rs)), key=self.rs.__getitem__)]

    def ln_e(self) -> float:
        """ln E since the last reset, from the counts alone."""
        n, counts, bets = self.n, self.counts, self._bets
        logs = []
        for bet, (inside, outside) in zip(bets.bets, bets.ratios, strict=True):
            hits = sum([counts[cell] for cell in bet.cells])
            logs.append(math.log(bet.weight) + hits * math.log(inside) + (n - hits) * math.log(outside))
        for spread in bets.spreads:
            log = math.log(spread.weight) + math.lgamma(spread.strength) - math.lgamma(spread.strength + n)
            for seen, p in zip(counts, bets.null, strict=True):
                if seen:
                    prior = spread.strength * p
                    log += math.lgamma(prior + seen) - math.lgamma(prior) - seen * math.log(p)
            logs.append(log)
        return ln_sum(logs)

    def begin_again(self, *, keep_r: bool = False) -> None:
        """E and the counts begin anew, and R unless it is kept. Both may be set back at any time."""
        self.counts = [0] * len(self.counts)
        if not keep_r:
            self.rs = [0.0] * len(self.rs)
            self.r = 0.0

    def restore(self, counts: Sequence[int], rs: Sequence[float]) -> None:
        """Go on from a state that was kept. Raises ValueError if it is that of another kind of monitor."""
        if len(counts) != len(self.counts) or len(rs) != len(self.rs):
            raise ValueError(f"a state of {len(counts)} cells and {len(rs)} bets is not one of this monitor")
        if any(count < 0 for count in counts) or not all(0 <= r <= MOST for r in rs):
            raise ValueError("a state with a count or an R that is out of range")
        self.counts = list(counts)
        self.rs = list(rs)
        self.r = math.fsum(self.rs)
