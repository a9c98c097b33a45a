"""A simulated device that speaks the vocabulary itself: a camera over the dice, a progressive controller, a display."""

from __future__ import annotations

import json
from typing import Any

from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec


class Reporter:
    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id

    def say(self, event: str, **data: Any) -> None:
        """Send one event as a JSON line."""
        line = json.dumps({"event": event, "data": data}, separators=(",", ":")) + "\n"
        self._scene.put_bytes(self._id, line.encode())
