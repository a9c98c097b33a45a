"""The scenarios of the bench, by name. Each plays one or several tables."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated table of a scenario. `rules`: faults to plan; None plans all that can be provoked, () none."""

    table: str
    rounds: int
    rules: tuple[str, ...] | None = None


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    says: str
    parts: tuple[Part, ...]
    speed: float


SCENARIOS = {
    "demo": Scenario(
        says="four tables for about a minute, a few faults on each",
        speed=12.0,
        parts=(
            Part(table="roulette", rounds=12, rules=("same-direction-spin", "result-mismatch")),
            Part(table="craps", rounds=24, rules=("die-off-table", "far-end-not-hit")),
            Part(table="baccarat", rounds=12, rules=("third-card-rule",)),
            Part(table="three-card-poker", rounds=8, rules=("shuffler-fault-during-deal", "wrong-card-count")),
        ),
    ),
    "faults": Scenario(
        says="every fault that its dealer can play and its devices can show, once",
        speed=float("inf"),
        parts=(),
    ),
    "clean": Scenario(says="proper play, no fault", speed=float("inf"), parts=()),
}
"""A scenario without parts is played by the table that the command names, or by every simulated table."""
