"""Cards that come after a round whose end no key has told: the next round, dealt without a call, or cards too many.

Where keys bound the rounds. A card that comes a while after the last one of a round that has all its cards is kept
back: once player, banker and player have one it is the next round, for nobody draws so. If they do not come, what was
kept back is cards too many, unless "no more bets" follows them at once. Knows no face and judges nothing.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.games.baccarat.tableau import BANKER, PLAYER

PAUSE_NS = 10_000_000_000
"""Wagers are settled and laid anew in no less time; a card drawn in error follows the others."""
LATE_NS = 5_000_000_000
"""A key that comes so soon after a card was meant to come before it."""
BEGINS = [PLAYER, BANKER, PLAYER]
"""Where the first cards of a round go."""

Kept = tuple[int, Observation]
"""Journal sequence and card."""


class Unannounced:
    def __init__(self) -> None:
        self._kept: list[Kept] = []
        self._last: int | None = None
        """When (ns) the card before the first that is kept was told."""

    def __bool__(self) -> bool:
        return bool(self._kept)

    def card(self, t: int) -> None:
        """A card of the open round was told."""
        self._last = t

    def keeps(self, seq: int, seen: Observation, complete: bool) -> bool:
        """Whether this card is kept back. `complete`: the open round has all its cards."""
        to = seen.data.get("to")
        paused = self._last is not None and seen.t - self._last >= PAUSE_NS
        if not self._kept and not (complete and paused):
            return False
        if to != BEGINS[len(self._kept)]:
            return False
        self._kept.append((seq, seen))
        return True

    @property
    def begun(self) -> bool:
        """Whether what is kept back is surely the next round."""
        return len(self._kept) == len(BEGINS)

    def just_before(self, t: int) -> bool:
        """Whether the last card kept back was told just before this time (ns)."""
        return bool(self._kept) and t - self._kept[-1][1].t <= LATE_NS

    def take(self) -> list[Kept]:
        """What was kept back, which is kept no longer."""
        kept, self._kept = self._kept, []
        return kept
