"""In which order a shoe's cards come, against the shoes before it."""

from __future__ import annotations

import math
from base64 import b64decode
from collections.abc import Mapping

from pitwatch.rules.fairness.ledger import unpacked
from pitwatch.rules.fairness.levelled import Levelled
from pitwatch.rules.fairness.suspicions import ORDER
from pitwatch.rules.records import Statistic, StatisticState
from pitwatch.rules.statistics.arithmetic import ln_mean
from pitwatch.rules.statistics.pace import MeanRise
from pitwatch.rules.statistics.restarting import Restarting
from pitwatch.rules.statistics.shuffle_order import ShuffleOrder

UNREAD = 255
"""Stands for a card that was not read in an order that is kept."""

LEAST_SEEN = 0.5
"""Part of a shoe that must have been seen in order for it to say anything of order."""

BASELINE = 100
"""Shoes from which the custom of a house that shuffles by hand is taken."""

ALLOWED = 1.5
"""Times the mean of those that counts as the same custom."""

LOW, HIGH = -5.0, 100.0
"""Bounds of what one shoe's ln e counts for, where shuffles are by hand."""


class WhichOrder(Levelled):
    """By card, against the last shoe and the last but one, for two sets may be in use in turn. `by_hand`: compared with
    the house's own custom, not with a perfect shuffle."""

    monitor, rule = "order", ORDER

    def __init__(self, cards: Mapping[str, int], c: float, by_hand: bool):
        super().__init__(c)
        self._kinds = {card: kind for kind, card in enumerate(cards)}
        self._whole = tuple(cards.values())
        self._by_hand = by_hand
        self._perfect = Restarting()
        self._custom: MeanRise | None = None
        self._shoes, self._sum = 0, 0.0
        """Of the baseline."""
        self._before: list[bytes] = []
        self._open = bytearray()
        self._against: list[ShuffleOrder] = []
        self._logs: list[float] = []
        self._whole_seen = False
        self.last: float = 0.0
        """ln e of the shoe that ended last."""
        self.cards = 0
        """Cards seen of it."""

    def start(self) -> None:
        """A shoe begins: its cards are compared from the first one on."""
        self._open = bytearray()
        self._whole_seen = True
        size = sum(self._whole)
        self._against = []
        for order in self._before:
            places: list[int | None] = [None if kind == UNREAD else kind for kind in order[:size]]
            self._against.append(ShuffleOrder(self._whole, places + [None] * (size - len(places))))
        self._logs = [0.0] * len(self._against)

    def draw(self, card: str | None) -> None:
        if not self._whole_seen:
            return
        if len(self._open) >= sum(self._whole):
            self.leave()
            return
        kind = None if card is None else self._kinds[card]
        self._open.append(UNREAD if kind is None else kind)
        if kind is None:
            return
        for number, against in enumerate(self._against):
            ln_e = against.see(kind)
            if ln_e is None:  # a card too many: another rule's matter
                self.leave()
                return
            self._logs[number] = ln_e

    def leave(self) -> None:
        """The open shoe says nothing of order, and none is compared with it: cards of it went by unseen."""
        self._whole_seen = False
        self._against, self._logs = [], []
        self._open.clear()

    def end(self, number: int) -> None:
        if not self._whole_seen or len(self._open) < LEAST_SEEN * sum(self._whole):
            self.leave()
            return
        if self._logs:
            self.last, self.cards = ln_mean(self._logs), len(self._open)
            self.reached(self._count(self.last), number)
        self._before = [*self._before, bytes(self._open)][-2:]
        self.changed = True
        self.leave()

    def _count(self, ln_e: float) -> float:
        if not self._by_hand:
            return self._perfect.take(ln_e)
        figure = min(max(ln_e, LOW), HIGH) - LOW
        if self._custom is not None:
            return self._custom.take(figure)
        self._shoes += 1
        self._sum += figure
        self._settle()
        return 0.0

    def _settle(self) -> None:
        """The custom is known once there are shoes enough. One that nearly always shows the order of the shoe before,
        as a single pass of the hands does, leaves nothing to tell."""
        limit = ALLOWED * self._sum / BASELINE
        if self._shoes >= BASELINE and 0 < limit < HIGH - LOW:
            self._custom = MeanRise(limit, 0.0, HIGH - LOW)

    def begin_again(self) -> None:
        """New cards: no earlier shoe is comparable. The custom of the hands stays."""
        self._before = []
        self._perfect.begin_again()
        if self._custom is not None:
            self._custom.begin_again()
        self.leave()
        self.reset()

    def report(self) -> Statistic:
        if not self._by_hand:
            return self.statistic(self._perfect.n, self._perfect.ln_e, self._perfect.r)
        if self._custom is None:
            return self.statistic(0, 0.0, 0.0)
        return self.statistic(self._custom.n, self._custom.ln_e(), self._custom.r)

    def kept(self, equipment: str) -> StatisticState:
        recent = b"".join(len(each).to_bytes(2, "little") + each for each in self._before)
        custom = (*self._custom.rs, *self._custom.ln_es) if self._custom is not None else ()
        n = self._custom.n if self._custom is not None else self._perfect.n
        numbers = (self._perfect.r, self._perfect.ln_e, self._sum, *custom)
        return self.state(equipment, (n, self._shoes), numbers, recent)

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError."""
        numbers, recent = unpacked(state.numbers), b64decode(state.recent, validate=True)
        if len(state.counts) != 2 or len(numbers) < 3 or not all(math.isfinite(each) for each in numbers):
            raise ValueError("a state that is not one of this monitor")
        self.take_over(state)
        n, self._shoes = state.counts
        r, ln_e, self._sum, *custom = numbers
        self._settle()
        if custom and self._custom is not None:
            self._custom.restore(n, custom[: len(custom) // 2], custom[len(custom) // 2 :])
        self._perfect.n, self._perfect.r, self._perfect.ln_e = n, r, ln_e
        while recent:
            length = int.from_bytes(recent[:2], "little")
            order, recent = recent[2 : 2 + length], recent[2 + length :]
            if len(order) != length or any(kind != UNREAD and kind >= len(self._whole) for kind in order):
                raise ValueError("a state whose order is not one of these cards")
            self._before.append(order)

    def finding(self) -> dict[str, object]:
        often = f"{math.exp(min(self.last, 690.0)):,.0f}" if self.last < 30 else f"10^{self.last / math.log(10):.0f}"
        chance = f"at most one perfect shuffle in {often} does that"
        return {
            "finding": f"{self.cards:,} cards of the last shoe followed the order of an earlier one; {chance}",
            "statistic": self.monitor,
            "times": self.cards,
            "of": sum(self._whole),
            "ln_e": round(self.last, 9),
        }
