"""Come-out and point: what a total decides, whether dice or cards show it.

Knows no table. Which totals decide a come-out is the book's table `come-out`: `wins`, `loses` and `pushes` (loses Pass,
pushes Don't Pass); any other total becomes the point. A seven ends a point wherever the game is played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SEVEN = 7


class PointCycle:
    """`known` is False until a seven, after a start in the middle of play."""

    def __init__(self, come_out: Mapping[str, Sequence[int]], known: bool):
        self._wins = frozenset(come_out["wins"])
        self._loses = frozenset(come_out["loses"])
        self._pushes = frozenset(come_out["pushes"])
        self.known = known
        self.point: int | None = None

    def take(self, total: int) -> dict[str, Any]:
        """Take a valid roll in; returns its come_out, point (of which the roll is about) and decision."""
        if not self.known:
            self.known, self.point = total == SEVEN, None
            return {"come_out": None, "point": None, "decision": None}
        if self.point is None:
            decision = self._come_out(total)
            self.point = total if decision == "point" else None
            return {"come_out": True, "point": self.point, "decision": decision}
        rolled: dict[str, Any] = {"come_out": False, "point": self.point, "decision": None}
        if total in (SEVEN, self.point):
            rolled["decision"] = "dont-pass" if total == SEVEN else "pass"
            self.point = None
        return rolled

    def _come_out(self, total: int) -> str:
        if total in self._wins:
            return "pass"
        if total in self._loses:
            return "dont-pass"
        return "dont-pass-push" if total in self._pushes else "point"

    def stand(self) -> dict[str, Any]:
        """What a roll that does not count leaves as it was."""
        if not self.known:
            return {"come_out": None, "point": None, "decision": None}
        return {"come_out": self.point is None, "point": self.point, "decision": None}
