"""Which cards a shoe holds: is a kind short, or too many of it? A draw is of the cards not yet seen, so cards that were
not read or were burnt do not matter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwatch.rules.statistics.arithmetic import bounded_exp, ln_falling, ln_mean
from pitwatch.rules.statistics.categorical import MOST

CHANGES = (-1, -2, -4, -8, -16, 1, 2, 4)
"""So many cards of a kind more than there should be."""


class Composition:
    """`whole`: how many cards of each kind the shoe should hold. A draw beyond that is a matter of another rule.

    R counts in shoes; the wealth of E goes on from shoe to shoe.
    """

    def __init__(self, whole: Sequence[int]):
        self._whole = tuple(whole)
        self._cards = sum(whole)
        self._bets = [(kind, change) for kind in range(len(whole)) for change in CHANGES if whole[kind] + change >= 0]
        self.drawn = [0] * len(whole)
        self.shoes = 0
        self.rs = [0.0] * len(self._bets)
        self.ln_es = [0.0] * len(self._bets)

    @property
    def r(self) -> float:
        return math.fsum(self.rs)

    def draw(self, kind: int) -> None:
        """One card of the open shoe was seen."""
        self.drawn[kind] += 1

    def gains(self) -> list[float]:
        """ln of what each bet makes of the open shoe so far; a bet on missing cards that were seen is lost."""
        return [self.gain(kind, change) for kind, change in self._bets]

    def gain(self, kind: int, change: int) -> float:
        """ln of what one bet makes of the open shoe so far."""
        drawn, whole, seen = self.drawn[kind], self._whole[kind], sum(self.drawn)
        if drawn > whole + change:
            return -math.inf
        here = ln_falling(whole + change, drawn) - ln_falling(whole, drawn)
        return here - ln_falling(self._cards + change, seen) + ln_falling(self._cards, seen)

    def end_shoe(self) -> float:
        """The shoe is over; returns R. A shoe that holds a kind too often says nothing here and is left out."""
        impossible = any(drawn > whole for drawn, whole in zip(self.drawn, self._whole, strict=True))
        gains = None if impossible else self.gains()
        self.leave_shoe()
        if gains is not None:
            share = 1 / len(gains)
            self.shoes += 1
            self.rs = [min((r + share) * bounded_exp(gain), MOST) for r, gain in zip(self.rs, gains, strict=True)]
            self.ln_es = [log + gain for log, gain in zip(self.ln_es, gains, strict=True)]
        return self.r

    def leave_shoe(self) -> None:
        """What was seen of the open shoe is not counted."""
        self.drawn = [0] * len(self._whole)

    def ln_e(self) -> float:
        """ln E of the shoes since the last reset."""
        return ln_mean(self.ln_es)

    def told(self) -> tuple[int, int]:
        """The kind that an alarm is about, and so many cards too many (below 0: missing)."""
        return self._bets[max(range(len(self.rs)), key=self.rs.__getitem__)]

    def begin_again(self) -> None:
        """New cards: E, R and the open shoe begin anew."""
        self.leave_shoe()
        self.shoes = 0
        self.rs = [0.0] * len(self.rs)
        self.ln_es = [0.0] * len(self.ln_es)

    def restore(self, shoes: int, rs: Sequence[float], ln_es: Sequence[float]) -> None:
        """Go on from a state that was kept. Raises ValueError if it is none of this monitor."""
        if len(rs) != len(self.rs) or len(ln_es) != len(self.ln_es) or not all(0 <= r <= MOST for r in rs):
            raise ValueError("a state that is not one of this monitor")
        self.shoes, self.rs, self.ln_es = shoes, list(rs), list(ln_es)
