"""Patrons at a poker table: who is dealt in, where the button is, and whom cards go to. Knows no card and no wire."""

from __future__ import annotations

from random import Random

COMING = 0.15
"""Chance that somebody comes or leaves between two hands."""


class PokerPlayers:
    """`seats` from the dealer's left; never fewer than two play, nor more than `most`."""

    def __init__(self, rng: Random, seats: list[str], most: int):
        self._rng = rng
        self._all = seats
        self._most = most
        self._people = set(rng.sample(seats, k=rng.randint(2, min(most, len(seats)))))
        self.button = min(self._people)

    def next_hand(self, at_least: int = 2, at_most: int | None = None) -> None:
        """The button moves on; somebody may have come or left."""
        rng, people, most = self._rng, self._people, at_most or self._most
        if rng.random() < COMING:
            people.symmetric_difference_update({rng.choice(self._all)})
        while len(people) < min(at_least, len(self._all)):
            people.add(rng.choice([seat for seat in self._all if seat not in people]))
        while len(people) > most:
            people.remove(rng.choice(sorted(people)))
        order = self._all[self._all.index(self.button) + 1 :] + self._all
        self.button = next(seat for seat in order if seat in people)

    def order(self) -> list[str]:
        """Clockwise from the button's left; the button last."""
        at = self._all.index(self.button) + 1
        return [seat for seat in self._all[at:] + self._all[:at] if seat in self._people]
