"""A reader under the felt that tells one card twice: read again a moment later, or only at its second try.

Nobody lays two cards on one place within so short a time, unless several are laid at once: then faces tell. What a
reader tells twice is fed on once; what it reads at the second try is fed on as a card that was lifted unread and laid
back. Document toledo-2020, lines 473-477, 1913, 3844; a game's deck says how often it holds a card.
"""

from __future__ import annotations

from typing import NamedTuple

from devices.observation import Observation
from rules.game import Game
from rules.seats import ASIDE
from rules.table import TableFacts

STUTTER_NS = 400_000_000
"""The time (ns) within which a reader may tell a card again."""

ONE_BY_ONE = ("blackjack", "baccarat", "war")
"""Families in which cards are laid one at a time."""

ONE_DECK = ("carnival-poker", "pai-gow")
"""Families that play with one deck, so that it holds each card once."""


class Told(NamedTuple):
    t: int
    card: object


class Stutter:
    """One table's. Whatever else it knows, a card that was lifted may be laid back."""

    def __init__(self, game: Game, table: TableFacts):
        steps = game.tables.get("deal", [])
        by_hand = not table.provides("shuffler.packet_dispensed")
        one_at_a_time = by_hand and not any(isinstance(each, dict) and each.get("by-hand") for each in steps)
        self._one_by_one = game.family in ONE_BY_ONE or (game.family == "carnival-poker" and one_at_a_time)
        self._follows = self._one_by_one or game.family in ONE_DECK
        self._last: dict[tuple[str, object], Told] = {}
        self._lying: dict[str, int] = {}
        self._lifted: dict[str, int] = {}
        """Cards on each reader's felt, and those that were lifted from it while others lay there."""

    def once(self, observation: Observation) -> list[Observation]:
        """What is to be fed on of this observation."""
        event, data, device = observation.event, observation.data, observation.device
        if not self._follows or event not in ("card_placed", "card_removed"):
            if event in ("device_online", "key_pressed"):
                self._forget()
            return [observation]
        place = device, data.get("to")
        if event == "card_removed":
            self._last.pop(place, None)
            self._lying[device] = self._lying.get(device, 0) - 1
            self._lifted[device] = self._lifted.get(device, 0) + 1
            if self._lying[device] <= 0:  # the felt is bare: nothing is laid back any more
                self._lifted[device] = self._lying[device] = 0
            return [observation]
        found = self._told_again(observation, place)
        if found:
            self._lying[device] = self._lying.get(device, 0) + (len(found) == 1)
        return found

    def _forget(self) -> None:
        self._last.clear()
        self._lifted.clear()
        self._lying.clear()

    def _told_again(self, observation: Observation, place: tuple[str, object]) -> list[Observation]:
        t, card, last = observation.t, observation.data.get("card"), self._last.get(place)
        self._last[place] = Told(t, card)
        if self._lifted.get(observation.device):
            self._lifted[observation.device] -= 1
            return [observation]
        if last is None or place[1] in (None, *ASIDE) or t - last.t > STUTTER_NS:
            return [observation]
        if last.card == card:
            return [] if card is not None else [observation]
        if not self._one_by_one or None not in (last.card, card):
            return [observation]
        if card is None:
            self._last[place] = last
            return []
        unread = {**observation.data, "card": None}
        return [Observation(t, observation.device, "card_removed", unread), observation]
