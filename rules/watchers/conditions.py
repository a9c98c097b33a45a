"""Conditions that last: jam, lock-out, device off line or faulty, enclosure open. Raised and cleared as alerts."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part

WATCHER = {"turn": 20, "class": "Conditions"}
RULES: tuple[str, ...] = ()


class Conditions(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._errors: dict[str, set[str | None]] = {}  # by reader, the kinds of error that it has not cleared

    def _raise(self, observation: Observation, what: str, condition: str) -> None:
        device = observation.device
        self.desk.raise_alert(f"{device}-{what}", condition, device, observation.data)

    def _clear(self, observation: Observation, *what: str) -> None:
        for each in what:
            self.desk.clear_alert(f"{observation.device}-{each}")

    def on_device_offline(self, observation: Observation) -> None:
        self._raise(observation, "offline", "device off line")

    def on_device_online(self, observation: Observation) -> None:
        self._clear(observation, "offline")

    def on_device_fault(self, observation: Observation) -> None:
        self._raise(observation, "fault", "device fault")

    def on_device_recovered(self, observation: Observation) -> None:
        self._clear(observation, "fault")

    def on_jammed(self, observation: Observation) -> None:
        self._raise(observation, "jam", "jammed")

    def on_jam_cleared(self, observation: Observation) -> None:
        self._clear(observation, "jam")

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._clear(observation, "jam")

    def on_reader_error(self, observation: Observation) -> None:
        self._errors.setdefault(observation.device, set()).add(observation.data.get("kind"))
        self._raise(observation, "reader-error", "reader error")

    def on_reader_error_cleared(self, observation: Observation) -> None:
        """Of one kind; of which is not reported, of all."""
        errors, kind = self._errors.get(observation.device, set()), observation.data.get("kind")
        errors -= {kind, None} if kind is not None else set(errors)
        if not errors:
            self._clear(observation, "reader-error")

    def on_locked(self, observation: Observation) -> None:
        self._raise(observation, "locked", "locked")

    def on_unlocked(self, observation: Observation) -> None:
        self._clear(observation, "locked")

    def on_meter_locked(self, observation: Observation) -> None:
        self._raise(observation, "lock-out", "progressive meter locked out")

    def on_meter_unlocked(self, observation: Observation) -> None:
        self._clear(observation, "lock-out")

    def on_ball_missing(self, observation: Observation) -> None:
        self._raise(observation, "ball-missing", "ball missing")

    def on_ball_launched(self, observation: Observation) -> None:
        self._clear(observation, "ball-missing")

    def on_opened(self, observation: Observation) -> None:
        self._raise(observation, "open", "enclosure open")

    def on_closed(self, observation: Observation) -> None:
        self._clear(observation, "open")
