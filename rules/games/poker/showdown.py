"""Which poker hands were shown, and what they held: those in play when all was dealt, or when a betting round was last
called complete. Ranks nothing.
"""

from __future__ import annotations

from rules.games.poker.betting import Betting
from rules.games.poker.course import Course
from rules.games.poker.hand import Card


class Showdown:
    def __init__(self, course: Course, betting: Betting):
        self._course = course
        self._betting = betting
        self._held: dict[str, list[Card]] = {}

    def look(self) -> None:
        """From here on a hand that is lifted may be taken in."""
        self._held = {position: list(hand.on) for position, hand in self._course.hands.items() if hand.live}

    def shown(self) -> dict[str, list[Card]] | None:
        """The hands that were not folded, as they were shown; None if that cannot be told: after a last draw only the
        call of the last betting tells a fold from a hand that is taken in.

        Where others were turned face up, a hand that was not is thrown in. Of a hand that holds more cards than it may
        nobody knows which of them count.
        """
        hands, streets = self._course.hands, self._course.streets
        ends_in_draw = streets[streets.last].draw > 0
        if (len(hands) > 1 and not self._held) or (ends_in_draw and not self._betting.calls):
            return None
        held = {position: self._countable(hands[position].shown(cards)) for position, cards in self._held.items()}
        if any(hands[position].turned for position in held):
            return {p: cards for p, cards in held.items() if None not in cards or hands[p].turned}
        return held

    def _countable(self, cards: list[Card]) -> list[Card]:
        return cards if len(cards) <= self._course.streets.kept else [None] * len(cards)
