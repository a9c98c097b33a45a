"""Replays a capture through the same devices, pipeline and rules as a live table. Time comes from the capture alone.

The same capture gives the same records, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET

from pitwatch.daemon.captures.capture import CaptureError, Line
from pitwatch.daemon.config import Config
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.daemon.pipeline import Pipeline
from pitwatch.daemon.pipeline.device_state import DeviceStates
from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import fields_of, problem
from pitwatch.rules.engine import Engine

RUN_ON = 2_000_000_000
"""Time (ns) that passes after the last line: enough for a burst to end, too little for silence to mean anything."""


def said(device_type: str, observation: Observation) -> Observation:
    """What a captured observation is worth: itself if a device of this type may say so, else a device fault.

    A field left out means the same as null: not known.
    """
    t, event, data = observation.t, observation.event, observation.data
    fields = fields_of(device_type, event)
    if fields is None:
        return Observation(t, observation.device, "device_fault", {"reason": "unknown_event", "event": event})
    for field in fields:
        data.setdefault(field, None)
    wrong = problem(device_type, event, data)
    if wrong:
        fault = {"reason": "bad_field", "event": event, "problem": wrong}
        return Observation(t, observation.device, "device_fault", fault)
    return observation


class Tape:
    """Numbers records and hands those of the wanted kinds to `out(kind, sequence, data)`."""

    def __init__(self, kinds: frozenset[str], out: Callable[[str, int, Any], None]):
        self._kinds = kinds
        self._out = out
        self.last = 0

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        self.last += 1
        if kind in self._kinds:
            self._out(kind, self.last, data)
        return self.last


class Replay:
    """A table without hardware. `tape` takes the records."""

    def __init__(self, config: Config, tape: Tape):
        self._config = config
        self._schedule = Schedule()
        self._pipeline = Pipeline(
            Engine(config.game, table_facts(config)), tape, self._schedule, DeviceStates(config.devices)
        )
        self._channels = {
            device.id: Channel(device.decoder(), self._pipeline, self._schedule) for device in config.devices
        }
        self._types = {device.id: device.type for device in config.devices}
        self._by_lines = {device.id: device.by_lines for device in config.devices}
        self._line_names = {device.id: {spec.name for spec in device.lines} for device in config.devices}
        self.lines = 0

    def run(self, capture: Iterable[tuple[int, Line]], path: str) -> None:
        """Play the lines of the capture read from `path`. Raises CaptureError if one does not fit the table."""
        channels, pipeline, schedule, types = self._channels, self._pipeline, self._schedule, self._types
        t = None
        for number, line in capture:
            self.lines += 1
            t = line.t_ns
            channel = channels.get(line.device)
            if channel is None:
                known = ", ".join(channels) or "none"
                raise CaptureError(
                    path, number, f'device "{line.device}" is not in {self._config.path}; it has: {known}'
                )
            if line.event is not UNSET:
                data = {} if line.data is UNSET else line.data
                if line.event == "device_online":
                    channel.opened(t, data)
                elif line.event == "device_offline":
                    channel.closed(str(data.pop("reason", "") or ""), t, data)
                elif line.event == "edges_lost":  # which a recorder writes among wires
                    schedule.run_until(t)
                    pipeline.observe((said(types[line.device], Observation(t, line.device, line.event, data)),))
                else:
                    channel.saw(said(types[line.device], Observation(t, line.device, line.event, data)))
            else:
                self._wire(channel, line, t, path, number)
        if t is not None:
            schedule.run_until(t + RUN_ON)
            pipeline.finish(t)

    def _wire(self, channel: Channel, line: Line, t: int, path: str, number: int) -> None:
        by_lines = self._by_lines[line.device]
        bytes_given = line.rx is not UNSET or line.rx_hex is not UNSET
        if by_lines == bytes_given:
            raise CaptureError(
                path,
                number,
                f'device "{line.device}" is read from {"lines" if by_lines else "bytes"} in {self._config.path}; '
                f"this is {'bytes' if bytes_given else 'a line'}",
            )
        if bytes_given:
            channel.received(line.received(), t)
        elif line.line is not UNSET and line.level is not UNSET:
            self._known(line.device, line.line, path, number)
            channel.edge(line.line, line.level, t)
        elif line.levels is not UNSET:
            for name in line.levels:
                self._known(line.device, name, path, number)
            channel.initial(line.levels, t)

    def _known(self, device: str, name: str, path: str, number: int) -> None:
        names = self._line_names[device]
        if names and name not in names:
            raise CaptureError(
                path,
                number,
                f'device "{device}" has no line "{name}" in {self._config.path}; it has: {", ".join(names)}',
            )
