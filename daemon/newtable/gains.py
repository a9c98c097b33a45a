"""What devices give at a game: which rules of the book they judge, and what others would add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pitwatch.devices import registry
from pitwatch.devices.base import OWN_KEYS
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.book.coverage import Covered, cover
from pitwatch.rules.engine.following import idle
from pitwatch.rules.game import Game
from pitwatch.rules.table import DeviceFacts, TableFacts

Written = Mapping[str, Any]
"""A device as it is written into the file."""


def facts_of(device: Written) -> DeviceFacts:
    """What a device as written can show. Raises KeyError for a type and protocol that do not fit."""
    cls = registry.find(device["type"], device["protocol"])
    settings = {key: value for key, value in device.items() if key not in OWN_KEYS}
    events = cls.events_with(tuple(device.get("lines", ())), settings)
    return DeviceFacts(device["id"], device["type"], frozenset(events), cls.REPEATS_STATE)


def whole_type(device_type: str) -> DeviceFacts:
    """The best device of a type there could be."""
    return DeviceFacts(device_type, device_type, frozenset(EVENTS[device_type]))


class Gains:
    """Of one game with its options."""

    def __init__(self, game: Game, options: Mapping[str, Any]):
        self._game = game
        self._options = dict(options)
        self.of = sum(each.applies for each in self._covered(()))

    def judged(self, devices: Iterable[DeviceFacts]) -> list[str]:
        """The rules that these devices judge together, in the book's order."""
        return [each.rule.id for each in self._covered(tuple(devices)) if each.applies and each.judged]

    def of_person(self) -> int:
        """How many rules only a person sees."""
        return sum(each.applies and each.only_a_person for each in self._covered(()))

    def adds(self, device: DeviceFacts, to: Sequence[DeviceFacts]) -> list[str]:
        """The rules that are judged with this device and not without."""
        before = self.judged(to)
        return [rule for rule in self.judged((*to, device)) if rule not in before]

    def is_idle(self, device_type: str) -> bool:
        """Whether the game uses nothing that devices of this type show."""
        return bool(idle(self._game, TableFacts(devices=(whole_type(device_type),))))

    def missing(self, devices: Sequence[DeviceFacts]) -> list[tuple[str, int]]:
        """Types that the table does not have, with the number of rules each would add; most first."""
        there = {device.type for device in devices}
        useful = [kind for kind in registry.TYPES if kind not in there and not self.is_idle(kind)]
        found = [(kind, len(self.adds(whole_type(kind), devices))) for kind in useful]
        return sorted((each for each in found if each[1]), key=lambda each: (-each[1], each[0]))

    def _covered(self, devices: tuple[DeviceFacts, ...]) -> list[Covered]:
        return cover(self._game, TableFacts(devices=devices, options=self._options))
