"""How far the cards of a baccarat round can be trusted: whether it was seen whole, and where its cards went.

Knows what was seen, not what should have been dealt. In doubt nothing is judged.
"""

from __future__ import annotations

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.closed import WRONG_DRAWS

MISDEAL = "misdeal"

WARY = 6
"""Rounds without a contradiction after which the order of the cards is trusted again."""


class Sight:
    """`lost`: unknown which card of a round the next one is, until the next clean boundary; `doubt`: a card of this
    round was not placed; `unconfirmed`: where the burn ended was only reckoned, and nothing is judged until a result or
    a key bears it out."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self.lost = self.doubt = self.unconfirmed = False
        self.settled = False
        """The shoe reported the result after every card of the round: what it does not get across later is not of
        it."""
        self._wary = 0
        """Rounds to go until draws are judged again: without panel, result or index, a wrong draw may have hidden
        where the next round began."""

    def began(self) -> None:
        self.doubt = self.settled = False
        self._wary = max(0, self._wary - 1)

    def confirmed(self) -> None:
        """A key, a result or the shoe's index shows where a round begins or ends."""
        self.lost = self.unconfirmed = False
        self._wary = 0

    def unplaced(self) -> None:
        """A card went nobody knows where; only a key will show where the round ends."""
        self.doubt = True
        self.lost = self.lost or not self._panel

    def beware(self) -> None:
        """After a wrong draw."""
        if not self._panel:
            self._wary = WARY

    @property
    def _panel(self) -> bool:
        return self._desk.availability.on_line("panel.key_pressed")

    @property
    def placed(self) -> bool:
        """Whether every card so far went where it is taken to have gone."""
        return not self.lost and not self.doubt

    @property
    def whole(self) -> bool:
        """Whether the open round was seen whole so far."""
        availability, round_ = self._desk.availability, self._desk.round
        reader = availability.on_line("card_position.card_placed")
        source = "card_position.card_placed" if reader else "shoe.card_drawn"
        heard = self.settled or availability.sees(source)
        return round_ is not None and not round_.partial and not self.lost and heard

    @property
    def misdealt(self) -> bool:
        """Whether the crew gave the open round up: what is dealt again is not judged as its cards."""
        round_ = self._desk.round
        return round_ is not None and round_.void == MISDEAL

    @property
    def judged(self) -> bool:
        """Whether the draws of the open round may be judged."""
        return self.whole and not (self.unconfirmed or self.misdealt) and (not self._wary or self.wrongly_drawn)

    @property
    def wrongly_drawn(self) -> bool:
        """After a wrong draw nobody knows which cards the shoe took for the result."""
        round_ = self._desk.round
        return round_ is not None and any(rule in WRONG_DRAWS for rule, _ in round_.seen)
