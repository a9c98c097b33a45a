"""The packets of one round as the shuffler tells of them: how many cards each has, and whose they are.

A machine that does not know where its packets go deals in the order of the book: packets fill the places of that order
one after the other, and what a packet lacked may come after it by itself. Judges nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.rules.games.carnival.deal_plan import DealPlan, Slot


class Packet(NamedTuple):
    """Where a packet is taken to go (None: nobody knows), the cards of this turn there, and how many it should be."""

    position: str | None
    cards: int
    should: int


class Packets:
    """`slots`: the places of the round in their order; none if the hands in play are not known."""

    def __init__(self, plan: DealPlan, slots: list[Slot]):
        self.sizes = plan.sizes
        self.slots = slots
        self.by_position: dict[str, int] = {}
        self.told: set[str] = set()
        """Positions of which the machine itself says that it served them."""
        self.for_nobody: list[int] = []
        """Cards of each packet of which it is not known whose it is."""
        self.over = 0
        """Packets beyond the last place."""
        self.out = 0
        """Cards that the machine has dispensed in this round, wherever they went."""
        self._slot = -1
        self._in_slot = 0

    def unread(self, position: str | None) -> None:
        """A packet of which the size is not known: it fills its place."""
        self._slot += position is None
        self._in_slot = max(self.sizes)

    def add(self, position: str, cards: int) -> int:
        """A packet of which the machine says where it went; returns the cards that the position has had in all."""
        self.told.add(position)
        return self._add(position, cards)

    def _add(self, position: str, cards: int) -> int:
        self.by_position[position] = self.by_position.get(position, 0) + cards
        return self.by_position[position]

    def is_rest(self, cards: int, deck: int | None, dealt: bool) -> bool:
        """Whether a packet that went nobody knows where is what is left of the cards in use (`deck`, None if unknown):
        no hand is as big. `dealt`: everybody has theirs, so that it need not add up to the card."""
        biggest = max(self.sizes)
        rest = None if deck is None else deck - self.out
        return (cards == rest and (dealt or cards > biggest)) or (dealt and cards > 2 * biggest)

    def next(self, cards: int) -> Packet | None:
        """A packet of which only the size is known; None if every place has had its cards."""
        if not self.slots:
            return self._for_somebody(cards)
        if not 0 <= self._slot < len(self.slots) or self._in_slot + cards > self.slots[self._slot][1]:
            self._slot += 1
            self._in_slot = 0
        if self._slot >= len(self.slots):
            self._slot = len(self.slots) - 1
            self._in_slot = self.slots[-1][1]
            return None
        position, should = self.slots[self._slot]
        self._in_slot += cards
        self._add(position, cards)
        return Packet(position, self._in_slot, should)

    def _for_somebody(self, cards: int) -> Packet:
        before = self.for_nobody[-1] if self.for_nobody else 0
        completes = before not in self.sizes or cards not in self.sizes
        if before and completes and before + cards <= max(self.sizes):
            self.for_nobody[-1] += cards
        else:
            self.for_nobody.append(cards)
        return Packet(None, cards if self.for_nobody[-1] > max(self.sizes) else 0, max(self.sizes))

    def incomplete(self) -> list[tuple[int, int]]:
        """Packets for nobody knows whom that are of no size that the game deals: (which one, cards)."""
        return [
            (index, cards)
            for index, cards in enumerate(self.for_nobody)
            if cards < max(self.sizes) and cards not in self.sizes
        ]
