"""What a person reports at the panel: any rule of the game's book, so that its remedy reaches surveillance at once."""

from __future__ import annotations

from devices.observation import Observation
from rules.part import Part

PREFIX = "report:"


class Reports(Part):
    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if isinstance(key, str) and key.startswith(PREFIX):
            self.desk.breach(
                key[len(PREFIX) :], {"reported_by": "a person at the panel"}, once=self.desk.seq, always=True
            )
