"""Draws of a poker hand: which cards take the place of discards, and whether every hand that drew is whole again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card, Hand
from pitwatch.rules.games.poker.verdicts import Verdicts

DRAW = "draw-count-mismatch"
DUPLICATE = "duplicate-card"


class Draws:
    def __init__(self, course: Course, verdicts: Verdicts):
        self._course = course
        self._verdicts = verdicts
        self._gave: set[str] = set()
        """Hands from which cards were lifted when a draw began, and that got none in it."""

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

    def out_of_turn(self, hand: Hand, card: Card) -> bool:
        """Whether a card surely takes the place of a discard though no draw goes on: it is none that was lifted."""
        course = self._course
        draws = any(street.draw for street in course.streets.all[1:])
        new = card is not None and card not in hand.received and None not in hand.received
        return draws and course.at > 0 and not course.here.draw and hand.live and hand.away > 0 and new

    def begins(self) -> None:
        """The first card of a draw is about to lie down: what a hand gave until now it is to get."""
        for position, hand in self._course.hands.items():
            if hand.live and hand.away > 0 and not hand.drawn:
                hand.fullest = len(hand.on)
                self._gave.add(position)

    def judge_discard(self, position: str, card: Card) -> None:
        """A card that another hand gave comes out of the deck again."""
        for other, hand in self._course.hands.items():
            before = hand.received[: hand.size]  # not the replacements: one that fell at the wrong hand is moved
            if other != position and card is not None and card in before and card not in hand.on and hand.live:
                self._verdicts.say(DUPLICATE, {"card": card, "times": 2}, {"at_most": 1}, position, card)

    def judge_given(self) -> None:
        """The hand is over: one that gave cards before the draw and got none lacks them still."""
        for position in self._gave:
            hand = self._course.hands[position]
            if hand.live and hand.fullest < hand.size and not hand.emptied:
                self._say(position, hand.fullest, hand.size)

    def judge_all(self) -> None:
        for position, hand in self._course.hands.items():
            self.judge(position, hand)

    def judge(self, position: str, hand: Hand) -> None:
        """A hand that drew is touched again: by now it must be whole. One that was lifted whole says nothing."""
        if not hand.drawn:
            return
        self._gave.discard(position)
        if hand.fullest < hand.size and not hand.emptied:
            self._say(position, hand.fullest, hand.size)
        hand.draw_over()

    def too_many(self, position: str, hand: Hand) -> Callable[[], None]:
        """Says that a card came to a hand that discarded none."""
        return partial(self._say, position, len(hand.on) + 1, hand.size)

    def _say(self, position: str, cards: int, need: int) -> None:
        self._verdicts.say(DRAW, {"position": position, "cards": cards}, {"cards": need}, position, position)
