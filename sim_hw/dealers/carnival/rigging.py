"""The cards of a packet-dealt poker round: at random, or with a hand that somebody is to have. Knows no dealer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, Slot
from pitwatch.rules.games.carnival.showdown import OWN
from pitwatch.rules.play.cards import DECK, JOKER, RANKS, SUITS

DOWN = "A" + RANKS[:0:-1]
"""Ranks from the ace down."""

Piles = dict[str, list[str]]
Target = tuple[str, int]
"""A position and the place of a card in its pile."""


class Rigging:
    def __init__(self, game: Game, rng: Random):
        self._rng = rng
        self._tables = game.tables
        jokers = game.figures.get("jokers")
        self._deck = [*DECK, *([JOKER] * (jokers.value if jokers is not None else 0))]
        burned = game.figures.get("community-burned")
        self._burned: int = burned.value if burned is not None else 0

    def deal(self, slots: Sequence[Slot], fixed: dict[Target, str], good: Callable[[Piles], bool]) -> tuple[Piles, Any]:
        """Piles by position, with the cards of `fixed` in their places, dealt until they are `good`; and the rest."""
        while True:
            rest = [card for card in self._deck if card not in fixed.values()]
            self._rng.shuffle(rest)
            piles = {place: [fixed.get((place, n)) or rest.pop() for n in range(cards)] for place, cards in slots}
            if good(piles):
                return piles, rest

    # -- hands that somebody is to have

    def jackpot(self, slots: Sequence[Slot], seat: str, entry: dict[str, Any]) -> dict[Target, str]:
        """The cards of a hand that comes off the meter."""
        targets = self._targets(slots, seat, self._tables.get("progressive-of", [OWN]))
        top = entry.get("top", "A" if entry["of"] == "royal-flush" else "K")
        suit = entry.get("suit") or self._rng.choice(SUITS)
        return dict(zip(targets, self._run(top, suit), strict=False))

    def two_jackpots(self, slots: Sequence[Slot], seats: Sequence[str]) -> dict[Target, str]:
        """Straight flushes at two seats; where they share community cards, those lie between the two seats' own."""
        of = self._tables.get("progressive-of", [OWN])
        one, other = (self._targets(slots, seat, of) for seat in seats)
        suits = self._rng.sample(SUITS, 2)
        shared = [target for target in one if target in other]
        if not shared:
            return dict(zip(one + other, self._run("K", suits[0])[:5] + self._run("K", suits[1])[:5], strict=True))
        own = [target for target in one if target not in shared]
        theirs = [target for target in other if target not in shared]
        return dict(zip(own + shared + theirs, self._run("K", suits[0]), strict=False))

    def premium(self, slots: Sequence[Slot], seat: str) -> dict[Target, str]:
        """A hand that a supervisor verifies."""
        targets = self._targets(slots, seat, self._tables.get("hand", [[OWN]])[0])
        if self._tables["premium"] == "straight-flush":
            cards = self._run("9", self._rng.choice(SUITS))[: len(targets)]
        else:
            cards = ["9" + suit for suit in SUITS]
        return dict(zip(targets, cards, strict=False))

    @staticmethod
    def _run(top: str, suit: str) -> list[str]:
        """Cards of a suit from `top` down."""
        return [rank + suit for rank in DOWN[DOWN.index(top) :]]

    def _targets(self, slots: Sequence[Slot], seat: str, of: Sequence[str]) -> list[Target]:
        """Where the cards lie that make up something."""
        sizes = dict(slots)
        parts: dict[str, list[int]] = self._tables.get("parts", {})
        targets: list[Target] = []
        for name in of:
            if name in parts:
                targets += [(COMMUNITY, index) for index in parts[name]]
            elif name == OWN:
                targets += [(seat, index) for index in range(sizes[seat])]
            else:
                targets += [(name, index) for index in range(sizes[name] - (name == COMMUNITY) * self._burned)]
        return targets
