"""Which poker hands were shown, and what they held: those in play when all was dealt, or when a betting round was last
called complete. Ranks nothing.
"""

from __future__ import annotations

from pitwatch.rules.games.poker.betting import Betting
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.hand import Card


class Showdown:
    def __init__(self, course: Course, betting: Betting):
        self._course = course
        self._betting = betting
        self._held: dict[str, list[Card]] = {}
        self._last_lifted: str | None = None
        """The hand whose last card was lifted last."""

    @property
    def _uncalled_draw(self) -> bool:
        """Whether the game ends in a draw and no betting is called: nothing tells a fold after it from a hand that is
        taken in."""
        streets = self._course.streets
        return streets[streets.last].draw > 0 and not self._betting.calls

    def lifted(self, position: str) -> None:
        """A hand was lifted whole."""
        self._last_lifted = position
        if self._betting.open and self._course.live == 1 and not self._uncalled_draw:
            self.look()  # everybody else has folded

    @property
    def perhaps_folded(self) -> set[str]:
        """Hands among those shown that may have been folded: lifted after the last card of a game that ends in a draw,
        where no betting is called. The last hand that lies, or that is lifted, is not folded."""
        if not self._uncalled_draw:
            return set()
        lifted = {position for position in self._held if not self._course.hands[position].live}
        return lifted if self._course.live else lifted - {self._last_lifted}

    def look(self) -> None:
        """From here on a hand that is lifted may be taken in."""
        self._held = {position: list(hand.on) for position, hand in self._course.hands.items() if hand.live}

    def shown(self) -> dict[str, list[Card]] | None:
        """The hands that were not folded, as they were shown; None if that cannot be told. See `perhaps_folded`.

        Where others were turned face up, a hand that was not is thrown in. Of a hand that holds more cards than it may
        nobody knows which of them count.
        """
        hands = self._course.hands
        if len(hands) > 1 and not self._held:
            return None
        held = {position: self._countable(hands[position].shown(cards)) for position, cards in self._held.items()}
        if any(hands[position].turned for position in held):
            return {p: cards for p, cards in held.items() if None not in cards or hands[p].turned}
        return held

    def _countable(self, cards: list[Card]) -> list[Card]:
        return cards if len(cards) <= self._course.streets.kept else [None] * len(cards)
