"""The state of each device, derived from its observations: on line, off line or faulty, since when and why."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, UnsetType

from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.daemon.contract.messages import DeviceData
from pitwatch.devices.observation import Observation
from pitwatch.rules.text.one_line import one_line

log = logging.getLogger("pitwatch.device")


class DeviceStates:
    """`note` returns the new state of a device when an observation changes it."""

    def __init__(self, devices: Iterable[DeviceConfig]):
        self._configured = {device.id: device for device in devices}
        self.states: dict[str, DeviceData] = {}
        self._faults: dict[str, str | None] = {}  # reported on line, and no recovery since

    def note(self, observation: Observation) -> DeviceData | None:
        """The new state if this observation changes it, else None."""
        event = observation.event
        if not event.startswith("device_") or observation.device not in self._configured:
            return None
        was = self.states.get(observation.device)
        reason = None
        if event == "device_offline":
            state, reason = "offline", str(observation.data.get("reason", "")) or None
        elif event == "device_fault":
            if was is not None and was.state == "offline":
                return None  # what is off line is not also silent or stuck
            state, reason = "fault", str(observation.data.get("reason", "")) or None
            self._faults[observation.device] = reason
        elif event == "device_online" and observation.device in self._faults:
            state, reason = "fault", self._faults[observation.device]
        elif event == "device_online":
            state = "online"
        elif event == "device_recovered":
            self._faults.pop(observation.device, None)
            if was is None or was.state != "fault":
                return None
            state = "online"
        else:
            return None
        if was is not None and (was.state, was.reason) == (state, reason):
            return None
        node = was.node if was is not None else UNSET
        if event == "device_online":
            said = observation.data.get("node")
            node = said if isinstance(said, dict) else UNSET
        _log(observation, state, reason)
        since = observation.t / 1_000_000_000
        if was is not None and was.state == state == "offline":
            since = was.since  # it has been away since then, for whatever reason
        return self._put(observation.device, state, reason, since, node)

    def _put(
        self, device_id: str, state: str, reason: str | None, since: float, node: dict[str, Any] | UnsetType
    ) -> DeviceData:
        device = self._configured[device_id]
        data = DeviceData(
            device=device_id,
            state=state,  # type: ignore[arg-type]
            since=since,
            reason=reason,
            type=device.type,
            protocol=device.protocol,
            link=device.link,
            node=node,
        )
        self.states[device_id] = data
        return data


def _log(observation: Observation, state: str, reason: str | None) -> None:
    """Further fields of a fault, such as the protocol that a wrong device speaks."""
    told = f"device {observation.device}: {state}{f': {reason}' if reason else ''}"
    if observation.event == "device_fault":
        more = ", ".join(f"{key} {value}" for key, value in observation.data.items() if key != "reason")
        told += f" ({more})" if more else ""
    log.info("%s", one_line(told))
