"""Which cards a shoe holds: is a rank short, or are there too many of it?"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping

from pitwatch.rules.fairness.ledger import unpacked
from pitwatch.rules.fairness.levelled import Levelled
from pitwatch.rules.fairness.suspicions import COMPOSITION
from pitwatch.rules.play.cards import rank
from pitwatch.rules.records import Statistic, StatisticState
from pitwatch.rules.statistics.composition import Composition

REMEMBERED = 64
"""Shoes whose counts are kept, so that an alarm can say over which of them it counted."""


class WhichCards(Levelled):
    """By rank. `recent` holds what was drawn of each rank in the newest shoes."""

    monitor, rule = "composition", COMPOSITION

    def __init__(self, ranks: Mapping[str, int], c: float):
        super().__init__(c)
        self._ranks = tuple(ranks)
        self._whole = tuple(ranks.values())
        self._model = Composition(self._whole)
        self._recent: list[tuple[int, ...]] = []

    def draw(self, card: str) -> None:
        self._model.draw(self._ranks.index(rank(card)))

    def leave(self) -> None:
        self._model.leave_shoe()

    def end(self, number: int) -> None:
        drawn, shoes = tuple(self._model.drawn), self._model.shoes
        r = self._model.end_shoe()
        if self._model.shoes > shoes:
            self._recent = [*self._recent, drawn][-REMEMBERED:]
            self.reached(r, number)

    def begin_again(self) -> None:
        self._model.begin_again()
        self._recent = []
        self.reset()

    def report(self) -> Statistic:
        return self.statistic(self._model.shoes, self._model.ln_e(), self._model.r)

    def kept(self, equipment: str) -> StatisticState:
        recent = b"".join(each.to_bytes(2, "little") for shoe in self._recent for each in shoe)
        return self.state(equipment, (self._model.shoes,), (*self._model.rs, *self._model.ln_es), recent)

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError."""
        numbers, recent, kinds = unpacked(state.numbers), b64decode(state.recent, validate=True), len(self._whole)
        if len(state.counts) != 1 or len(recent) % (2 * kinds):
            raise ValueError("a state that is not one of this monitor")
        self.take_over(state)
        half = len(numbers) // 2
        self._model.restore(state.counts[0], numbers[:half], numbers[half:])
        each = [int.from_bytes(recent[at : at + 2], "little") for at in range(0, len(recent), 2)]
        self._recent = [tuple(each[at : at + kinds]) for at in range(0, len(each), kinds)]

    def finding(self) -> dict[str, object]:
        kind, change = self._model.told()
        gain, best, times, seen, length, hits, cards = 0.0, 0.0, 0, 0, 0, 0, 0
        probe = Composition(self._whole)
        for back, shoe in enumerate(reversed(self._recent), start=1):
            probe.drawn = list(shoe)
            gain += probe.gain(kind, change)
            hits, cards = hits + shoe[kind], cards + sum(shoe)
            if gain > best:
                best, times, seen, length = gain, hits, cards, back
        expected = round(seen * self._whole[kind] / sum(self._whole), 1)
        fits = f"{abs(change)} {'missing' if change < 0 else 'too many'}"
        return {
            "finding": f"rank {self._ranks[kind]} came {times:,} times in the last {length:,} shoes that are over, "
            f"{expected:,} expected; this fits {fits}",
            "statistic": self.monitor,
            "times": times,
            "of": seen,
            "expected": expected,
            "ln_e": self.report().ln_e,
        }
