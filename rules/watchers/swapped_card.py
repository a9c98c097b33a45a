"""A card on the felt that never came out of the shoe, in place of one that did: evidence of cheating (toledo-2020, 81).

Only where a shoe that reads every card and a reader under the felt were both heard throughout the round. A card that
shows an unread face, one that may be any card, a card put aside or laid back: none of them proves a swap, so it is told
when the round closes. Knows no game.
"""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.devices.observation import Observation
from pitwatch.rules import house
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.play.seats import ASIDE

WATCHER = {"turn": 55, "class": "SwappedCard"}
RULES = ("tampering-suspected",)

SOURCES = ("shoe", "card_position")


class Swap(NamedTuple):
    """`was` lay at `position` and `now` lies there; journal sequences of either being seen."""

    position: str
    was: str
    now: str
    seqs: tuple[int, ...]


class SwappedCard(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._sources = {device.id for device in desk.table.devices if device.type in SOURCES}
        self._before: list[str | None] = []
        """Cards that left the shoe before this round: the first of it among them, maybe."""
        self._drawn: list[str | None] = []
        self._lifted: list[tuple[str, str, int]] = []
        """Position, face and journal sequence of cards that were lifted and not seen again."""
        self._swaps: list[Swap] = []
        self._doubtful = False

    def round_opened(self) -> None:
        self._before, self._drawn = self._drawn, []
        self._lifted, self._swaps = [], []
        self._doubtful = False

    def _doubt(self, observation: Observation) -> None:
        self._doubtful = self._doubtful or observation.device in self._sources

    def missed(self, observation: Observation) -> None:
        self._doubt(observation)

    def on_device_online(self, observation: Observation) -> None:
        self._doubt(observation)

    def on_device_fault(self, observation: Observation) -> None:
        self._doubt(observation)

    def on_reader_error(self, observation: Observation) -> None:
        self._doubt(observation)

    def on_card_drawn(self, observation: Observation) -> None:
        card = observation.data.get("card")
        self._drawn.append(card if isinstance(card, str) else None)

    def on_card_removed(self, observation: Observation) -> None:
        position, card = observation.data.get("to"), observation.data.get("card")
        if isinstance(position, str) and isinstance(card, str) and position not in ASIDE:
            self._lifted.append((position, card, self.desk.seq))
            self._swaps = [each for each in self._swaps if (each.position, each.now) != (position, card)]

    def on_card_placed(self, observation: Observation) -> None:
        position, card = observation.data.get("to"), observation.data.get("card")
        if not isinstance(position, str) or not isinstance(card, str):
            return
        self._seen(card)
        if position in ASIDE or {card, None} & {*self._before, *self._drawn}:
            return
        here = [each for each in self._lifted if each[0] == position and each[1] in self._drawn]
        if here:
            was = here[-1]
            self._lifted.remove(was)
            self._swaps.append(Swap(position, was[1], card, (was[2], self.desk.seq)))

    def _seen(self, card: str) -> None:
        """A card lies somewhere: it is not away."""
        self._lifted = [each for each in self._lifted if each[1] != card]
        self._swaps = [each for each in self._swaps if each.was != card]

    def round_closing(self) -> None:
        round_ = self.desk.round
        if self._doubtful or not self.desk.aligned or round_ is None or round_.partial:
            return
        for swap in self._swaps:
            observed = {"position": swap.position, "lies": swap.now, "came_out": swap.was}
            required = {"cards": "those that came out of the shoe"}
            self.desk.breach(house.TAMPERING, observed, required, swap.seqs, once=swap.position, always=True)
