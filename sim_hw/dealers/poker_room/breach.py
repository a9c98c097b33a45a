"""What is to go wrong in one hand of poker: which rule is broken, in which of its ways, in which street, on whom.

Those who deal and bet ask; knows no card and no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pitwatch.rules.games.poker.streets import Streets

CARD_MORE, CARD_LESS, BOARD_CARD = "extra", "short", "board"
"""Ways to a wrong number of cards."""
UNCALLED, LATE_CARD = "call", "late"
"""Ways to deal too early: the betting goes on, or the street before lacks a card."""
MORE, FEWER = "more", "fewer"
"""Ways to replace a wrong number of cards."""


class Breach:
    """`rule`: None if nothing goes wrong. Streets are numbered from 0."""

    def __init__(
        self, rule: str | None, streets: Streets, order: Sequence[str], rng: Random, *, spare: bool, calls: bool
    ):
        """`order`: those dealt in; `spare`: the deck holds more than the first street takes; `calls`: the panel has a
        key to call the betting complete."""
        self.rule = rule
        self.victim = rng.choice(order)
        ways: list[str] = []
        if rule == "wrong-card-count":
            ways = [*([CARD_MORE] if spare else []), CARD_LESS, *([BOARD_CARD] if streets.board else [])]
        elif rule == "premature-deal":
            ways = [*([UNCALLED] if calls else []), *([LATE_CARD] if streets.board else [])]
        elif rule == "draw-count-mismatch":
            ways = [MORE, FEWER]
        self._way = rng.choice(ways) if ways else ""
        self._at = self._choose_street(streets, rng)

    def _choose_street(self, streets: Streets, rng: Random) -> int:
        every = list(enumerate(streets.all))
        if self.rule == "burn-missing":
            return rng.choice([index for index, street in every if street.needs_burn])
        if self.rule == "burn-extra":
            return rng.choice([index for index, street in every if street.burn])
        if self._way == UNCALLED:
            return rng.choice([index for index, street in every if not street.draw][2:])
        if self._way == LATE_CARD:
            return 1
        if self._way == CARD_LESS:
            return streets.last if streets[streets.last].deals_hands else 0
        if self.rule == "draw-count-mismatch":
            return next(index for index, street in every if street.draw)
        return 0

    def burns(self, street: int, due: int) -> int:
        """Cards burned before a street where so many are due."""
        if street == self._at and self.rule == "burn-missing":
            return 0
        return 2 if street == self._at and self.rule == "burn-extra" else due

    def passes_over(self, street: int) -> bool:
        """Whether the victim is passed over when the last card of this street goes round."""
        return (self._way == LATE_CARD and street == 0) or (self._way == CARD_LESS and street == self._at)

    def card_more(self, street: int) -> bool:
        """Whether the victim gets a card too many in this street."""
        return self._way == CARD_MORE and street == 0

    def late_card(self, street: int) -> bool:
        """Whether the victim gets the missing card of the street before, this one being dealt."""
        return self._way == LATE_CARD and street == 1

    def board_cards_more(self, street: int) -> int:
        return int(self._way == BOARD_CARD and street == 1)

    def uncalled(self, following: int | None) -> bool:
        """Whether the betting before this street is not called complete."""
        return self._way == UNCALLED and following == self._at

    def miscounts_draw(self, street: int) -> bool:
        """Whether somebody gets a wrong number of cards for those discarded in this draw."""
        return self.rule == "draw-count-mismatch" and street == self._at

    @property
    def cards_amiss(self) -> int:
        """Cards too many that such a draw brings, or too few."""
        return 1 if self._way == MORE else -1
