"""How many cards a shoe's reader does not read: a rate that rises before the reader fails."""

from __future__ import annotations

import math
from base64 import b64decode

from pitwatch.rules.fairness.ledger import unpacked
from pitwatch.rules.fairness.levelled import Levelled
from pitwatch.rules.fairness.suspicions import DRIFT
from pitwatch.rules.records import Statistic, StatisticState
from pitwatch.rules.statistics.pace import MULTIPLES, RateRise

LIMIT = 0.002
"""Unread cards a card that a good reader may have."""

REMEMBERED = 64
"""Shoes whose counts are kept, so that a notice can say over which of them it counted."""


class UnreadCards(Levelled):
    """`seen` and `unread`: cards of the open shoe, and those among them that were not read."""

    monitor, rule = "unread", DRIFT

    def __init__(self, c: float):
        super().__init__(c)
        self._model = RateRise(LIMIT)
        self._recent: list[tuple[int, int]] = []
        self.seen = self.unread = 0

    def draw(self, card: str | None) -> None:
        self.seen += 1
        self.unread += card is None

    def leave(self) -> None:
        self.seen = self.unread = 0

    def end(self, number: int) -> None:
        if self.seen:
            self._recent = [*self._recent, (self.seen, self.unread)][-REMEMBERED:]
            self.reached(self._model.take(self.seen, self.unread), number)
        self.leave()

    def begin_again(self) -> None:
        self._model.begin_again()
        self._recent = []
        self.leave()
        self.reset()

    def report(self) -> Statistic:
        return self.statistic(self._model.n, self._model.ln_e(), self._model.r)

    def kept(self, equipment: str) -> StatisticState:
        recent = b"".join(each.to_bytes(2, "little") for shoe in self._recent for each in shoe)
        return self.state(equipment, (self._model.n,), (*self._model.rs, *self._model.ln_es), recent)

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError."""
        numbers, recent = unpacked(state.numbers), b64decode(state.recent, validate=True)
        if len(state.counts) != 1 or len(recent) % 4:
            raise ValueError("a state that is not one of this monitor")
        self.take_over(state)
        half = len(numbers) // 2
        self._model.restore(state.counts[0], numbers[:half], numbers[half:])
        each = [int.from_bytes(recent[at : at + 2], "little") for at in range(0, len(recent), 2)]
        self._recent = list(zip(each[::2], each[1::2], strict=True))

    def finding(self) -> dict[str, object]:
        multiple = MULTIPLES[max(range(len(MULTIPLES)), key=self._model.rs.__getitem__)]
        event, none = math.log(multiple), math.log((1 - multiple * LIMIT) / (1 - LIMIT))
        gain, best, seen, unread, cards, missed = 0.0, 0.0, 0, 0, 0, 0
        for shoe, lost in reversed(self._recent):
            gain += lost * event + (shoe - lost) * none
            seen, unread = seen + shoe, unread + lost
            if gain > best:
                best, cards, missed = gain, seen, unread
        expected = round(cards * LIMIT, 1)
        return {
            "finding": f"the shoe's reader did not read {missed:,} of the last {cards:,} cards, "
            f"at most {expected:,} expected",
            "statistic": self.monitor,
            "times": missed,
            "of": cards,
            "expected": expected,
            "ln_e": self.report().ln_e,
        }
