"""What may still be told of a poker hand as it is dealt: all of it, little once the stub ran short or cards were mixed,
nothing once it is in doubt. Knows no card and no rule.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol


class Tell(Protocol):
    def __call__(
        self, rule: str, observed: dict[str, Any], required: dict[str, Any], position: str | None, once: object
    ) -> None: ...


class Verdicts:
    """`tell` is called for each breach with the position it concerns; `after_short`: the rules that still hold of a
    hand whose stub ran short, which the crew deals to its end by the document's way out."""

    def __init__(self, tell: Tell, after_short: Collection[str]):
        self._tell = tell
        self._after_short = after_short
        self.in_doubt = False
        """What was seen fits no deal, or a card went nobody knows where: nothing more is told of it."""
        self.mixed = False
        """Cards that were out may have been shuffled in again."""
        self.short = False
        """The stub did not suffice for a street."""

    @property
    def quiet(self) -> bool:
        return self.mixed or self.short

    def say(
        self, rule: str, observed: dict[str, Any], required: dict[str, Any], position: str | None, once: object
    ) -> None:
        if not self.in_doubt and (not self.quiet or rule in self._after_short):
            self._tell(rule, observed, required, position, once)
