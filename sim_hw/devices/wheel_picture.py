"""What a simulated wheel looks like from above. Angles in revolutions clockwise, speeds in revolutions a second."""

from __future__ import annotations

from typing import Any

from pitwatch.sim_hw.devices.ball import TURN, Run


def running_ball(run: Run, seconds: float, start: float, way: int) -> dict[str, Any]:
    """A ball `seconds` after it was at `start` on the rim, clockwise (way 1) or counter-clockwise (-1)."""
    place = "rim" if seconds < run.rim_time else "bowl"
    turned, speed = run.way(seconds) / TURN, run.speed_at(seconds) / TURN
    return {"place": place, "at": (start + way * turned) % 1.0, "turns": way * speed}


def resting_ball(rotor: float, turns: float, order: tuple[str, ...], pocket: str) -> dict[str, Any]:
    """A ball that turns with the rotor in its pocket; `rotor`: where pocket 0 is."""
    return {"place": "pocket", "at": (rotor + order.index(pocket) / len(order)) % 1.0, "turns": turns}
