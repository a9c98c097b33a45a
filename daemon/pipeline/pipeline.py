"""Observation to journal to rules to journal: the same path live, on the bench and in a replay.

Opens nothing and reads no clock; independent of the source of observations and the readers of records.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from pitwatch.daemon.contract.messages import observation_data
from pitwatch.daemon.pipeline.device_state import DeviceStates
from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Alert, Irregularity, Record, Statistic, StatisticState

LASTING = (Alert, Statistic, StatisticState)
"""Records of which the newest of each topic is kept."""

log = logging.getLogger("pitwatch")


class Appendable(Protocol):
    """What the pipeline writes to: the journal, or a replay's tape."""

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int: ...


class Pipeline:
    """`observe` takes what a device saw. `on_aligned(bool)` is called when the rules begin or cease to judge.

    `on_error` receives a fault inside the rules, and the table is still watched; without it the fault is raised.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Appendable,
        schedule: Schedule,
        states: DeviceStates,
        on_aligned: Callable[[bool], None] = lambda aligned: None,
        on_error: Callable[[Exception], None] | None = None,
    ):
        self._engine = engine
        self._journal = journal
        self._schedule = schedule
        self._states = states
        self._on_aligned = on_aligned
        self._on_error = on_error
        self._aligned = engine.aligned
        schedule.register("rules", self._tick)

    def observe(self, observations: Iterable[Observation]) -> None:
        """Journal each observation and what the rules say to it."""
        append = self._journal.append
        for observation in observations:
            t = observation.t
            seq = append("observation", "observation/" + observation.device, t, observation_data(observation))
            if observation.event.startswith("device_"):
                changed = self._states.note(observation)
                if changed is not None:
                    append("device", "device/" + observation.device, t, changed, True)
            try:
                records = self._engine.feed(seq, observation)
            except Exception as error:
                if self._on_error is None:
                    raise
                self._on_error(error)
                continue
            self._after(records, t)

    def finish(self, t: int) -> None:
        """Nothing more will be observed: what is open at `t` is put out as it stands."""
        self._rules(self._engine.finish, t)

    def _tick(self, t: int) -> None:
        self._rules(lambda: self._engine.tick(t), t)

    def _rules(self, work: Callable[[], list[Record]], t: int) -> None:
        try:
            records = work()
        except Exception as error:
            if self._on_error is None:
                raise
            self._on_error(error)
            records = []
        self._after(records, t)

    def _after(self, records: list[Record], t: int) -> None:
        for record in records:
            self._journal.append(record.kind, subtopic_of(record), t, record, isinstance(record, LASTING))
        self._schedule.set("rules", self._engine.deadline)
        if self._engine.aligned != self._aligned:
            self._aligned = self._engine.aligned
            self._on_aligned(self._aligned)


def subtopic_of(record: Record) -> str:
    """The topic of a record below the table's."""
    if isinstance(record, Irregularity):
        return f"irregularity/{record.severity}"
    if isinstance(record, Alert):
        return f"alert/{record.key}"
    if isinstance(record, (Statistic, StatisticState)):
        return f"{record.kind}/{record.monitor}-{record.key}" if record.key else f"{record.kind}/{record.monitor}"
    return record.kind
