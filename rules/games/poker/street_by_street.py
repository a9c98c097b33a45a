"""How a hand of poker goes from street to street: what may come now, where one ends and the next begins, and what only
an end shows.

Knows no ranking, no boundary of a round and no device.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.betting import Betting
from pitwatch.rules.games.poker.burn_sight import BurnSight
from pitwatch.rules.games.poker.burns import Burns
from pitwatch.rules.games.poker.card_counts import COUNT, CardCounts
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.draws import DRAW, Draws
from pitwatch.rules.games.poker.laid_back import LaidBack
from pitwatch.rules.games.poker.showdown import Showdown
from pitwatch.rules.games.poker.slow_lifts import SlowLifts
from pitwatch.rules.games.poker.streets import COMMUNITY, HANDS, Streets
from pitwatch.rules.games.poker.stub import LAST_CARD, STILL_SHORT, Stub
from pitwatch.rules.games.poker.taken_back import TakenBack
from pitwatch.rules.games.poker.verdicts import Tell, Verdicts

AFTER_SHORT = (STILL_SHORT, LAST_CARD, DRAW, COUNT)


class StreetByStreet:
    """`run_it`: hands at most that may agree to run the board twice. `tell` is called for each breach with the position
    it concerns. `seats_seen`: there may be readers at the seats."""

    def __init__(self, streets: Streets, deck: int, run_it: int, sight: BurnSight, tell: Tell, seats_seen: bool):
        self._streets = streets
        self._run_it = run_it
        self._sight = sight
        self._seats_seen = seats_seen
        self.lifts_seen = False
        """Whether the readers are known to tell of lifted cards."""
        self.course = Course(streets)
        self.verdicts = Verdicts(tell, AFTER_SHORT)
        self._burns = Burns(self.course, sight, self.verdicts)
        self._counts = CardCounts(self.course, self.verdicts)
        self._betting = Betting(self.course, self.verdicts)
        self._draws = Draws(self.course, self.verdicts)
        self.stub = Stub(self.course, self._burns, self.verdicts, deck)
        self.showdown = Showdown(self.course, self._betting)
        self._taken_back = TakenBack(self.course, self._burns, self._counts, self._betting, self.verdicts, run_it)
        self.slow = SlowLifts()
        self.back = LaidBack(self.course, self._burns, self._taken_back, self.showdown, self.verdicts)

    # -- what may come

    @property
    def complete(self) -> bool:
        """Everything is dealt, or nobody is left to be dealt to."""
        course = self.course
        if not course.begun:
            return False
        if len(course.hands) > 1 and course.live <= 1:
            return True
        return course.following is None and (self.verdicts.mixed or course.street_done)

    def expects(self, position: str) -> bool:
        """Whether the hand may be dealt a card now."""
        course = self.course
        if not course.begun or self._counts.owes(position) or self._draws.replaces(position):
            return True
        return course.awaits(position) or self._next_for_hands() is not None

    def due(self, position: str) -> bool:
        """Whether a card is to come there next, the burn before it being done where there is one."""
        if position == COMMUNITY:
            return self._burns.since > 0 or (self.course.here.to == COMMUNITY and not self.course.street_done)
        if self._counts.owes(position) or self._draws.replaces(position) or self.course.awaits(position):
            return True
        return self._burns.since > 0 and self._next_for_hands() is not None

    def _next_for_hands(self) -> int | None:
        """The street that a further card for a hand may begin; None if there is none."""
        course = self.course
        may_begin = not course.lacking() or self._burns.since > 0
        return self._streets.next(course.at, HANDS) if may_begin else None

    # -- from street to street

    def _turn_to(self, index: int, position: str, t: int = 0) -> None:
        """The first card of a street is about to lie down."""
        street = self._streets[index]
        if self.course.begun:
            self._burns.street_over()
            self._counts.judge_owed()
            self._draws.judge_all()
            self._counts.street_over(self.lifts_seen)
            self.stub.judge(index)
            self.stub.street_begins(index)
            self._burns.judge_missing(street, position, t, self._betting.called)
            self._betting.premature = False
            if not self._burns.holding:
                self._betting.judge_street(street, position)
        self.course.turn_to(index)
        self._burns.street_begins()
        self._betting.called = False

    def opens(self, opened: bool) -> bool:
        """Whether a press of "no more bets" is the one that opens the hand, late: nobody has bet, or it is the first.
        `opened`: that press came before."""
        return self.course.at == 0 and not (opened and self.course.street_done)

    def call(self) -> None:
        """A betting round is called complete."""
        if self.course.begun:
            self._settle_single()
        self._betting.call()
        if self.course.all_dealt or self._streets.draws:
            self.showdown.look()

    def _settle_single(self) -> None:
        """A burn or a call right after the only card of a street for the hands, which no burn preceded: that card was
        one too many of the street before."""
        course = self.course
        if not (self._burns.bare and course.at > 0 and course.here.deals_hands) or list(course.got.values()) != [1]:
            return
        (position,) = course.got
        if not set(course.lacking()) - {position}:
            return
        self._burns.drop_held()
        self._burns.bare = False
        course.step_back()
        self._counts.judge_hand(position)

    # -- nothing more comes

    def settled(self) -> None:
        """No card came for a while."""
        self._judge_last_street()

    def _judge_last_street(self) -> None:
        """A hand that stays short keeps the others from no showdown."""
        before = self.course.all_dealt
        self._counts.judge_last_street()
        if self.course.all_dealt and not before:
            self.showdown.look()

    def end(self) -> None:
        """The hand is over: tell what only its end shows."""
        self.slow.settle()
        self._burns.hand_over()
        self._sight.round_closing()
        if not self.course.begun:
            return
        self._counts.judge_owed()
        self._draws.judge_given()
        self._draws.judge_all()
        if self.lifts_seen and self.course.all_dealt:
            self._counts.judge_kept()
        if self.course.at == 0 or self.lifts_seen or self.course.at == self._streets.last:
            self._judge_last_street()
