"""Draws of a poker hand: which cards take the place of discards, and whether every hand that drew is whole again."""

from __future__ import annotations

from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Hand
from pitwatch.rules.games.poker.verdicts import Verdicts

DRAW = "draw-count-mismatch"


class Draws:
    def __init__(self, course: Course, verdicts: Verdicts):
        self._course = course
        self._verdicts = verdicts

    def replaces(self, position: str) -> bool:
        """Whether a card for this hand now takes the place of a discard."""
        course = self._course
        hand = course.hands.get(position)
        if hand is None or hand.away <= 0 or not course.begun:
            return False
        if course.here.draw or course.streets.next_draw(course.at) is None:
            return course.here.draw > 0
        lacking = course.lacking()
        return course.street_done or (len(lacking) == 1 and position not in lacking)

    def judge_all(self) -> None:
        for position, hand in self._course.hands.items():
            self.judge(position, hand)

    def judge(self, position: str, hand: Hand) -> None:
        """A hand that drew is touched again: by now it must be whole. One that was lifted whole says nothing."""
        if not hand.drawn:
            return
        if hand.fullest < hand.size and not hand.emptied:
            self._say(position, hand.fullest, hand.size)
        hand.draw_over()

    def too_many(self, position: str, hand: Hand) -> None:
        """A card for a hand that discarded none."""
        self._say(position, len(hand.on) + 1, hand.size)

    def _say(self, position: str, cards: int, need: int) -> None:
        self._verdicts.say(DRAW, {"position": position, "cards": cards}, {"cards": need}, position, position)
