"""Whether a table is played slower than the house expects: a notice, never more, and only if the house gave a figure.

One figure is the time from the end of a round to the end of the next, if nothing came between that explains a pause.
"""

from __future__ import annotations

import math

from pitwatch.rules.fairness.ledger import ALERT, unpacked
from pitwatch.rules.fairness.levelled import Levelled
from pitwatch.rules.fairness.suspicions import DRIFT, SLOW_PLAY, suspicion
from pitwatch.rules.game import Game
from pitwatch.rules.records import Irregularity, Statistic, StatisticState
from pitwatch.rules.statistics.pace import BOLDNESS, MeanRise

C = 2e8
"""Rounds to a false notice."""

TOLERANCE, FASTEST, SLOWEST = 1.25, 0.5, 2.0
"""Times the house's seconds a round: what is no drift, and the bounds of what one round counts for."""

PAUSE = 3.0
"""Times the house's seconds a round from which on it was a pause, and no slow round."""

REMEMBERED = 512
"""Newest rounds kept, so that a notice can say over which of them it counted."""


class SlowPlay(Levelled):
    """`target`: rounds an hour. Figures are whole milliseconds, as the records of the rounds have them."""

    monitor, rule = "pace", DRIFT

    def __init__(self, target: float, c: float):
        super().__init__(c)
        self.target = target
        self._usual = 3600.0 / target
        self._model = MeanRise(TOLERANCE * self._usual, FASTEST * self._usual, SLOWEST * self._usual)
        self._recent: list[float] = []
        self.equipment = f"rounds at {target:g} an hour"

    def counts(self, milliseconds: int) -> bool:
        """Whether a round of this length is one of play."""
        return 0 < milliseconds <= 1000 * PAUSE * self._usual

    def take(self, milliseconds: int, number: int) -> None:
        seconds = milliseconds / 1000
        self._recent = [*self._recent, seconds][-REMEMBERED:]
        self.reached(self._model.take(seconds), number)

    def begin_again(self) -> None:
        self._model.begin_again()
        self._recent = []
        self.reset()

    def report(self) -> Statistic:
        return self.statistic(self._model.n, self._model.ln_e(), self._model.r)

    def kept(self, equipment: str) -> StatisticState:
        return self.state(equipment, (self._model.n,), (*self._model.rs, *self._model.ln_es, *self._recent), b"")

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError."""
        numbers, bets = unpacked(state.numbers), len(BOLDNESS)
        if len(state.counts) != 1 or len(numbers) < 2 * bets or not all(map(math.isfinite, numbers)):
            raise ValueError("a state that is not one of this monitor")
        self.take_over(state)
        self._model.restore(state.counts[0], numbers[:bets], numbers[bets : 2 * bets])
        self._recent = list(numbers[2 * bets :])

    def notice(self, game: Game, seq: int) -> Irregularity:
        """What is reported once R has reached c."""
        required = {
            "rounds_an_hour": self.target,
            "at_the_usual_pace": f"at most one such notice in {self.c * ALERT:,.0f} rounds",
        }
        return suspicion(game, SLOW_PLAY, "notice", self.finding(), required, (seq,))

    def finding(self) -> dict[str, object]:
        rounds, seconds = self._model.stretch(self._recent)
        pace = round(3600 * rounds / seconds, 1) if seconds else None
        return {
            "finding": f"{pace} rounds an hour over the last {rounds:,} rounds without a pause, "
            f"{self.target:g} expected",
            "statistic": self.monitor,
            "times": rounds,
            "of": len(self._recent),
            "expected": self.target,
            "rounds_an_hour": pace,
            "ln_e": self.report().ln_e,
        }
