"""One device of a running table: feeds data from its link through its decoder into the pipeline, in time order.

The same live and in a replay. Opens nothing; independent of protocols and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pitwatch.daemon.pipeline import Pipeline
from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring.flood import FULL, REFUSED, SECOND, Flood
from pitwatch.devices.base import Device
from pitwatch.devices.observation import Observation

Work = Callable[[], list[Observation]]


class Channel:
    """Times are monotonic ns. A fault inside the decoder is passed to `on_error` and reported as a device fault, after
    which watching goes on; without `on_error` it is raised.

    A link whose edges come late, a sensor node's, says what has `passed`. From then until it is gone, the device's time
    is that and not the clock's: silence means nothing until the node has said that it was silent."""

    def __init__(
        self,
        device: Device,
        pipeline: Pipeline,
        schedule: Schedule,
        on_error: Callable[[Exception], None] | None = None,
    ):
        self._device = device
        self._pipeline = pipeline
        self._schedule = schedule
        self._on_error = on_error
        self._name = "device " + device.id
        self._following = False  # deadlines wait for `passed`
        self.lost_bytes = 0
        self.lost_edges = 0
        self._more_lost: int | None = None  # edges, since the last were reported; None: none for a second
        self._losing = "edges lost " + device.id
        self._flood = Flood()
        self._flooded = "flood " + device.id
        schedule.register(self._name, self._tick)
        schedule.register(self._losing, self._still_losing)
        schedule.register(self._flooded, self._still_flooded)

    @property
    def id(self) -> str:
        return self._device.id

    def opened(self, t: int, identity: dict[str, Any]) -> None:
        """The link is there; `identity` is what the far end says of itself, fields of `device_online`."""
        online = Observation(t, self._device.id, "device_online", identity)
        self._observe(t, lambda: [online, *self._device.opened(t)])

    def initial(self, levels: dict[str, int], t: int) -> None:
        """The levels of the lines as they were opened."""
        self._observe(t, lambda: self._device.initial(levels, t))

    def received(self, data: bytes, t: int) -> None:
        """Bytes came."""
        flood = self._flood
        if flood.refused or self._too_much(flood.bytes(len(data), t), t):
            flood.refuse(len(data))
            return
        seen = self._observe(t, lambda: self._device.feed(data, t))
        if len(data) < FULL:
            self._too_much(flood.seen(seen, t), t)

    def edge(self, line: str, level: int, t: int) -> None:
        """A line changed."""
        if self._following:
            self._catch_up(t)
        self._observe(t, lambda: self._device.edge(line, level, t))

    def lost(self, count: int, t: int) -> None:
        """Edges were dropped before they reached us. Told at once; what follows within a second of that, together."""
        self._schedule.run_until(t)
        if self._more_lost is None:
            self._tell_lost(count, t)
        else:
            self._more_lost += count

    def _tell_lost(self, count: int, t: int) -> None:
        self._more_lost = 0
        self._schedule.set(self._losing, t + SECOND)
        self._run(t, lambda: [self._device.saw(t, "edges_lost", count=count)])

    def _still_losing(self, t: int) -> None:
        more, self._more_lost = self._more_lost, None
        if more:
            self._tell_lost(more, t)

    def passed(self, t: int) -> None:
        """The link says that nothing more will come from before `t`."""
        self._following = True
        self._schedule.set(self._name, None)
        self._catch_up(t)

    def _catch_up(self, t: int) -> None:
        while self._device.deadline is not None and self._device.deadline <= t:
            due = self._device.deadline
            self._observe(due, partial(self._device.tick, due))
            if self._device.deadline == due:
                break  # a deadline that does not advance would be called without end

    def closed(self, reason: str, t: int, more: Mapping[str, Any] | None = None) -> None:
        """The link is gone, or could not be had. `more`: other fields of `device_offline` that a capture has."""
        self._following = False
        self._schedule.run_until(t)
        self._still_losing(t)
        self._more_lost = None
        self._schedule.set(self._losing, None)
        if self._flood.told:
            self._schedule.set(self._flooded, None)
            self._calm(t, gone=True)
        offline = Observation(t, self._device.id, "device_offline", {"reason": reason, **(more or {})})
        self._observe(t, lambda: [*self._device.interrupted(t), offline])

    def saw(self, observation: Observation) -> None:
        """What the device was seen to say, decoded elsewhere: that our decoder hears nothing has no meaning then."""
        self._schedule.run_until(observation.t)
        self._schedule.set(self._name, None)
        self._pipeline.observe((observation,))

    def _observe(self, t: int, work: Work) -> int:
        self._schedule.run_until(t)
        return self._run(t, work)

    def _too_much(self, how: int, t: int) -> bool:
        """Tell that more came than this device can mean, and if it goes on, close the ears until it is calm."""
        flood = self._flood
        if how and not flood.told:
            flood.told = True
            self._schedule.set(self._flooded, t + SECOND)
            self._observe(t, lambda: [self._device.fault(t, "flood")])
        if how == REFUSED and not flood.refused:
            flood.refused = True
            self._observe(t, lambda: self._device.interrupted(t))
        return flood.refused

    def _still_flooded(self, t: int) -> None:
        if not self._calm(t):
            self._schedule.set(self._flooded, t + SECOND)

    def _calm(self, t: int, gone: bool = False) -> bool:
        refused = self._flood.calm(gone)
        if refused is None:
            return False
        seen = [self._device.saw(t, "bytes_discarded", count=refused)] if refused else []
        self._run(t, lambda: [*seen, self._device.saw(t, "device_recovered")])
        return True

    def _tick(self, t: int) -> None:
        self._run(t, lambda: self._device.tick(t))

    def _run(self, t: int, work: Work) -> int:
        """Returns how many observations it made."""
        try:
            observations = work()
        except Exception as error:
            if self._on_error is None:
                raise
            self._on_error(error)
            observations = [self._device.fault(t, "decoder fault", error=f"{type(error).__name__}: {error}")]
        for observation in observations:
            if observation.event == "bytes_discarded":
                self.lost_bytes += int(observation.data.get("count", 0))
            elif observation.event == "edges_lost":
                self.lost_edges += int(observation.data.get("count", 0))
        self._schedule.set(self._name, None if self._following else self._device.deadline)
        if observations:
            self._pipeline.observe(observations)
        return len(observations)
