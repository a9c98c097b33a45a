"""Whether every poker hand and the board get the number of cards that the streets give them.

A hand that lacks a card may get it late, or have folded where nobody tells of lifted cards: it is judged when the next
street is over, or the hand. Cards of a draw are `draws`'.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.streets import COMMUNITY
from pitwatch.rules.games.poker.verdicts import Verdicts

COUNT = "wrong-card-count"


class CardCounts:
    def __init__(self, course: Course, verdicts: Verdicts):
        self._course = course
        self._verdicts = verdicts
        self._owed: dict[str, int] = {}
        """Hands that lack cards of the street before, and how many."""

    def owes(self, position: str) -> bool:
        return position in self._owed

    def pay(self, position: str) -> None:
        """A card that was owed from the street before has come."""
        self._owed[position] -= 1
        if not self._owed[position]:
            del self._owed[position]

    def street_over(self, lifts_seen: bool) -> None:
        """Hands that lack cards of the street just dealt. Where no reader ever told of a lifted card, a hand that is
        passed over in a later street has folded, as long as it gets nothing more."""
        course, lacking = self._course, self._course.lacking()
        if lacking and len(lacking) == len(course.supposed) and not self._a_lap_short(lacking):
            self._verdicts.in_doubt = True
        elif course.at > 0 and not lifts_seen:
            course.gone.update(lacking)
        else:
            self._owed = lacking

    def _a_lap_short(self, lacking: dict[str, int]) -> bool:
        """Whether two hands or more lack as many first cards: the dealer stopped a lap early. No reader misses that."""
        return self._course.at == 0 and len(lacking) > 1 and len(set(lacking.values())) == 1

    def back(self, position: str) -> None:
        """A hand that was taken to have folded gets a card: it had been passed over."""
        course = self._course
        if position in course.gone:
            course.gone.discard(position)
            self.say(position, len(course.hands[position].received), course.streets.need(course.at - 1))

    def board_over(self) -> None:
        """Another street begins although the board lacks cards of this one."""
        course = self._course
        need = sum(street.cards for street in course.streets.all[: course.at + 1] if street.to == COMMUNITY)
        self.say(COMMUNITY, len(course.board), need)
        course.board_short = True

    def judge_owed(self) -> None:
        """What was owed from the street before has not come."""
        owed, self._owed = self._owed, {}
        for position, cards in owed.items():
            hand = self._course.hands[position]
            if hand.live:
                self.say(position, len(hand.received), len(hand.received) + cards)

    def judge_last_street(self) -> None:
        """Nothing more comes, or nothing came for a while: a hand that is short of the last street stays short."""
        course = self._course
        lacking = course.lacking()
        served = [position for position, got in course.got.items() if got >= course.here.cards]
        if len(lacking) <= len(served):  # else the deal broke off
            for position in lacking:
                self.judge_hand(position)
                course.got[position] = course.here.cards

    def judge_hand(self, position: str, coming: int = 0) -> None:
        """What a hand has by the end of this street, with cards about to lie down."""
        course = self._course
        self.say(position, len(course.hands[position].received) + coming, course.streets.need(course.at))

    def say(self, position: str, cards: int, need: int) -> None:
        """Cards in somebody's fingers may have been folded, and one more lift missed: no such hand is too short. Once
        the stub ran short a hand of stud that lacks a card lacks it still, unless a common card plays for all."""
        course = self._course
        hand = course.hands.get(position)
        if cards < need and hand is not None and hand.away > 0:
            return
        if self._verdicts.quiet and (course.streets.draws or course.streets.board or course.board):
            return  # what a hand lacks then is drawn later, or the common card
        self._verdicts.say(COUNT, {"position": position, "cards": cards}, {"cards": need}, position, position)
