"""How long a shuffler takes for a shuffle: a machine that gets slower will fail."""

from __future__ import annotations

import math
from collections.abc import Callable

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.ledger import unpacked
from pitwatch.rules.fairness.levelled import Levelled
from pitwatch.rules.fairness.putting_out import put_out
from pitwatch.rules.fairness.suspicions import DRIFT
from pitwatch.rules.records import Round, Statistic, StatisticState
from pitwatch.rules.statistics.pace import BOLDNESS, MeanRise

C = 2e7
"""Shuffles to a false notice."""

BASELINE = 300
"""Shuffles from which a machine's own pace is taken."""

TOLERANCE, FASTEST, SLOWEST = 1.05, 0.8, 1.6
"""Times that mean: what is no drift, and the bounds of what one shuffle counts for."""

REMEMBERED = 256
"""Newest shuffles kept, so that a notice can say over which of them it counted."""

STATE_CYCLES = 50

FIXED = 2
"""Numbers of a state before those of the bets."""


class CycleTime(Levelled):
    """Of one machine, in seconds a shuffle."""

    monitor, rule = "cycle", DRIFT

    def __init__(self, device: str, c: float):
        super().__init__(c, device)
        self._sum, self._cycles = 0.0, 0
        """Of the baseline."""
        self._model: MeanRise | None = None
        self._recent: list[float] = []

    def take(self, seconds: float, number: int) -> None:
        if self._model is None:
            self._sum += seconds
            self._cycles += 1
            self._settle()
            return
        self._recent = [*self._recent, seconds][-REMEMBERED:]
        self.reached(self._model.take(seconds), number)

    def _settle(self) -> None:
        if self._cycles >= BASELINE and self._sum > 0:
            self._model = MeanRise(TOLERANCE * self._mean, FASTEST * self._mean, SLOWEST * self._mean)

    @property
    def _mean(self) -> float:
        return self._sum / self._cycles

    @property
    def cycles(self) -> int:
        return self._cycles + (self._model.n if self._model is not None else 0)

    def begin_again(self) -> None:
        """The machine's own pace stays what it is compared with."""
        if self._model is not None:
            self._model.begin_again()
        self._recent = []
        self.reset()

    def report(self) -> Statistic:
        if self._model is None:
            return self.statistic(0, 0.0, 0.0)
        return self.statistic(self._model.n, self._model.ln_e(), self._model.r)

    def kept(self, equipment: str) -> StatisticState:
        bets = (*self._model.rs, *self._model.ln_es) if self._model is not None else ()
        n = self._model.n if self._model is not None else 0
        return self.state(equipment, (self._cycles, n), (self._sum, float(len(bets)), *bets, *self._recent), b"")

    def restore(self, state: StatisticState) -> None:
        """Raises ValueError."""
        numbers = unpacked(state.numbers)
        if len(state.counts) != FIXED or len(numbers) < FIXED or not all(map(math.isfinite, numbers)):
            raise ValueError("a state that is not one of this monitor")
        self.take_over(state)
        (self._cycles, n), self._sum, bets = state.counts, numbers[0], int(numbers[1])
        self._settle()
        if self._model is not None:
            if bets != 2 * len(BOLDNESS):
                raise ValueError("a state with other bets")
            self._model.restore(n, numbers[FIXED : FIXED + bets // 2], numbers[FIXED + bets // 2 : FIXED + bets])
            self._recent = list(numbers[FIXED + bets :])

    def finding(self) -> dict[str, object]:
        assert self._model is not None
        cycles, seconds = self._model.stretch(self._recent)
        mean = round(seconds / max(cycles, 1), 1)
        return {
            "finding": f"{self.key} took {mean} s a shuffle over its last {cycles:,} shuffles, "
            f"{round(self._mean, 1)} s in its first {self._cycles:,}",
            "statistic": f"{self.monitor}-{self.key}",
            "times": cycles,
            "of": len(self._recent),
            "expected": round(self._mean, 1),
            "ln_e": self.report().ln_e,
        }


class CycleFeed:
    """A shuffle counts if it was seen from its start to its end, with no jam or gap between."""

    def __init__(self, desk: Desk, wake: Callable[[], None]):
        self._desk = desk
        self._wake = wake
        self._began: dict[str, int] = {}
        self._waiting: list[tuple[CycleTime, float]] = []
        scale = desk.table.statistics.scale
        machines = [device.id for device in desk.table.devices if device.type == "shuffler"]
        self._machines = {device: CycleTime(device, C * scale) for device in machines}
        for state in desk.kept.states:
            if state.monitor == CycleTime.monitor and state.key in self._machines:
                try:
                    self._machines[state.key].restore(state)
                except ValueError:  # of a program that counted otherwise: a new epoch
                    self._machines[state.key] = CycleTime(state.key, C * scale)

    def on_shuffle_started(self, observation: Observation) -> None:
        self._began[observation.device] = self._desk.t

    def on_shuffle_completed(self, observation: Observation) -> None:
        began = self._began.pop(observation.device, None)
        machine = self._machines.get(observation.device)
        if began is not None and machine is not None and self._desk.t > began:
            self._waiting.append((machine, (self._desk.t - began) / 1e9))
            self._wake()

    def missed(self, observation: Observation) -> None:
        self._began.pop(observation.device, None)

    on_jammed = on_count_failed = on_door_opened = missed

    def count(self) -> None:
        for machine, seconds in self._waiting:
            machine.take(seconds, self._desk.last_round)
            if machine.rose or machine.cycles % STATE_CYCLES == 0:
                machine.changed = True
                put_out(self._desk, (machine,), "shuffler", "shuffles")
        self._waiting.clear()

    def opened(self) -> None:
        """Rounds are no unit here."""

    def closed(self, round_: Round) -> dict[str, list[int]]:
        return {}

    def finish(self) -> None:
        self.count()
        for machine in self._machines.values():
            machine.changed = machine.cycles > 0
        put_out(self._desk, self._machines.values(), "shuffler", "shuffles")
