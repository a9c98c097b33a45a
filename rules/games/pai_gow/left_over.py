"""The cards left over when pai gow is dealt: as many as the document says, laid aside or counted in the discard rack.

Figure of the book: `cards-left-over`. Knows no position.
"""

from __future__ import annotations

from collections.abc import Iterable

from pitwatch.rules.desk import Desk

RULE = "remaining-cards-not-four"

LEFT_OVER_NS = 15_000_000_000
"""Cards that go to the discard rack so soon after the deal are those left over, not a hand that is collected."""


class LeftOver:
    """One round's; `hand`: the cards of a hand."""

    def __init__(self, desk: Desk, hand: int):
        figure = desk.game.figures.get("cards-left-over")
        self._desk = desk
        self._due: int | None = figure.value if figure is not None else None
        self._hand = hand
        self._dealt_at: int | None = None
        self._burned = False
        self._judged = False
        self.aside = 0
        """Cards laid aside after the deal."""

    def deal_over(self) -> None:
        self._dealt_at = self._desk.t

    def put_aside(self, count: int) -> None:
        """Cards that go to no hand: burnt before the deal is over, left over after it."""
        if self._dealt_at is None:
            self._burned = True
        elif self._just_dealt:
            self.aside += count

    @property
    def _just_dealt(self) -> bool:
        return self._dealt_at is not None and self._desk.t - self._dealt_at <= LEFT_OVER_NS

    @property
    def may_be_counted(self) -> bool:
        """Whether a count of the rack is of the cards left over, perhaps with packets nobody had bet on: its first
        after the deal is."""
        return self._just_dealt and not self.aside

    def judge(self, cards: int, miscounted: bool, evidence: Iterable[int], replaced: bool = False) -> None:
        """So many were left over. `miscounted`: a hand had too few or too many, which is reported already. `replaced`:
        the first of them may have taken the place of a card that was exposed."""
        if self._due is None or self._judged or self._burned:
            return
        self._judged = True
        fits = {self._due % self._hand, (self._due - replaced) % self._hand, 0}
        if not miscounted and cards % self._hand not in fits:
            self._desk.breach(RULE, {"cards": cards}, {"cards": self._due}, evidence)
