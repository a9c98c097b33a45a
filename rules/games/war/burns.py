"""The cards that a war burns, and those that open a shoe. Knows no hand.

A burn shows where a shoe reports each card that leaves it: what was drawn and did not come to a hand. Data of the book:

    [figures.war-burn]               cards burned before the players' war cards
    [figures.burn-at-shoe-start]     cards burned before a shoe's first round, where the book has one
    [tables] war-burns, or the option of that name: "twice" (again before the dealer's war card), "once", "unsettled"
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.rules.desk import Desk

WAR_BURN = "missing-war-burn"
SHOE_BURN = "burn-count-wrong"
TWICE = "twice"


class Burns:
    """`judged`: whether anything may be judged now. `aside`: cards that left the shoe since the last one that came to a
    hand."""

    def __init__(self, desk: Desk, judged: Callable[[], bool]):
        self._desk = desk
        self._judged = judged
        figures = desk.game.figures
        self._war: int = desk.figure("war-burn")
        self._shoe: int = figures["burn-at-shoe-start"].value if "burn-at-shoe-start" in figures else 0
        self.twice = (desk.option("war-burns") or desk.game.tables.get("war-burns")) == TWICE
        self._due = False
        self.aside = 0

    def shoe_started(self) -> None:
        self._due, self.aside = self._shoe > 0, 0

    def unwatched(self) -> None:
        """The shoe was off line: whether it burned is not known."""
        self._due = False

    @property
    def comes(self) -> bool:
        """Whether the next card of a shoe that says of none where it goes is the burn that opens it."""
        return self._due and not self.aside

    def was_the_first(self) -> None:
        """A card was taken for the burn that opens the shoe."""
        self._due = False

    def enough(self, pending: int) -> bool:
        """Whether as many cards as a war takes came to no hand. `pending`: of them, how many a reader has still to
        place. Less may be another burn, before the next deal."""
        return self.aside - pending >= self._war

    def end(self, pending: int) -> int:
        """A card comes to a hand: how many were burned before it. Judges the burn that opens a shoe."""
        aside, self.aside = max(0, self.aside - pending), 0
        if self._due:
            self._due = False
            if aside == 0 and self._judged():
                self._desk.breach(SHOE_BURN, {"burned": 0}, {"burned": self._shoe})
        return aside

    def judge_war(self, aside: int, whose: str) -> None:
        if aside < self._war and self._judged():
            observed = {"burned": aside, "before": f"the war card of {whose}"}
            self._desk.breach(WAR_BURN, observed, {"burned": self._war}, once=whose)
