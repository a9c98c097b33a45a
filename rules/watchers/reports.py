"""What a person reports at the panel: any rule of the game's book, so that its remedy reaches surveillance at once."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk.part import Part

WATCHER = {"turn": 10, "class": "Reports"}
RULES: tuple[str, ...] = ()

PREFIX = "report:"
CALLED = ("misdeal",)
"""Keys by which the dealer says the same as by reporting the rule of that name, if the book has one."""


class Reports(Part):
    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if isinstance(key, str) and key.startswith(PREFIX):
            self._report(key[len(PREFIX) :])
        elif key in CALLED and self.desk.misdealt is None:  # else the call carries that rule's remedy out
            self._report(key)

    def _report(self, rule: str) -> None:
        self.desk.breach(rule, {"reported_by": "a person at the panel"}, once=self.desk.seq, always=True)
