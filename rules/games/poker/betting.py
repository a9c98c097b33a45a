"""Streets dealt before their time: before the betting was called complete, or with the street before not dealt out.

Betting itself is not seen. Where a house's dealers call its end at the panel, no street comes before the call.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.streets import Street
from pitwatch.rules.games.poker.verdicts import Verdicts

PREMATURE = "premature-deal"


class Betting:
    def __init__(self, course: Course, verdicts: Verdicts):
        self._course = course
        self._verdicts = verdicts
        self.called = False
        """The betting on this street was called complete."""
        self.calls = False
        """It was called in this hand at all."""
        self.premature = False
        """The street that is dealt began before the call."""
        self._called_before = False
        """The call came before it."""

    def call(self) -> None:
        self.called = self.calls = True

    @property
    def open(self) -> bool:
        """Whether a hand that is lifted may be folded. After the last card only where the end of the betting is called
        and was not yet, and nobody has shown: else it is taken in after the showdown."""
        if self.called:
            return False
        return not self._course.all_dealt or (self.calls and not self._exposed)

    @property
    def _exposed(self) -> bool:
        return any(hand.turned for hand in self._course.hands.values())

    def judge_street(self, street: Street, position: str) -> None:
        """A street begins. All in, nobody bets any more."""
        self._called_before = self.called
        self.premature = self.calls and not self.called and not self._exposed
        if self.premature:
            observed = {"street": street.id, "betting": "not called complete"}
            self._verdicts.say(PREMATURE, observed, {"betting": "complete"}, position, street.id)

    def street_taken_back(self) -> None:
        """The street had not begun after all: what was called before it, or since, holds for the one before."""
        self.called = self.called or self._called_before
        self.premature = False

    def late_card(self, position: str) -> None:
        """A hand gets a card of a street after the next one began."""
        observed = {"position": position, "card": "after the next street began"}
        required = {"street": "dealt out before the next begins"}
        self._verdicts.say(PREMATURE, observed, required, position, ("late", self._course.at))
