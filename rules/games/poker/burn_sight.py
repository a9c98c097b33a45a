"""Which burns of a poker hand are missing, where a reader may or may not have a place for burn cards.

A reader whose places are known either has one or the rule is not judged at all. One that does not say is trusted once
it has shown a burn. Before that a street without one waits: a later burn of the same hand tells that it was missed, and
a hand of several streets without any burn tells that the reader has no place for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.rules.desk import Desk

MISSING = "burn-missing"

Missed = tuple[dict[str, Any], dict[str, Any], str]
"""Observed, required, and where the first card of the street lies."""


class BurnSight:
    """`tell` is called for each burn that is missing."""

    def __init__(self, desk: Desk, tell: Callable[[Missed], None]):
        shown = {event for device in desk.table.devices for event in device.events}
        self._seen = bool(shown & {"card_placed:burn", "card_placed:discard"})
        self._blind = False
        self._tell = tell
        self._waiting: list[Missed] = []
        self._streets = 0

    def round_opened(self) -> None:
        self._waiting, self._streets = [], 0

    def burned(self) -> None:
        """A burn was seen: what was missed before it in this hand was missed indeed."""
        self._seen, self._blind = True, False
        self._tell_waiting()

    def street(self) -> None:
        """A street that needs a burn is dealt."""
        self._streets += 1

    def missed(self, missed: Missed) -> None:
        """No burn was seen before a street that needs one."""
        if self._seen:
            self._tell(missed)
        elif not self._blind:
            self._waiting.append(missed)

    def round_closing(self) -> None:
        if len(self._waiting) == self._streets > 1:
            self._blind = True
        else:
            self._tell_waiting()

    def _tell_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for missed in waiting:
            self._tell(missed)
