"""A discard of a draw whose lift is told a moment after the card that replaces it was laid: until then that card looks
like one too many. Knows no count and no rule.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.play.card_game import LOST_NS


class SlowLifts:
    def __init__(self) -> None:
        self._position = ""
        self._until: int | None = None
        self._tell: Callable[[], None] = lambda: None

    @property
    def deadline(self) -> int | None:
        """Until when (ns) a lift may still come; None if no card waits for one."""
        return self._until

    def wait(self, position: str, t: int, tell: Callable[[], None]) -> None:
        """A card more than it expects lies at a hand; `tell` says so."""
        self.settle()
        self._position, self._until, self._tell = position, t + LOST_NS, tell

    def replaced(self, position: str, t: int) -> bool:
        """Whether a card that is lifted is the one that the waiting card replaces."""
        late = self._until is not None and position == self._position and t <= self._until
        if late:
            self._until = None
        return late

    def settle(self, t: int | None = None) -> None:
        """No such lift comes any more, or none came by `t`: the card was one too many."""
        if self._until is not None and (t is None or t >= self._until):
            self._until = None
            self._tell()
