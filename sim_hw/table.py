"""What a simulation uses of a table: its devices as they are wired, the house's options, who carries which card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pitwatch.devices import registry
from pitwatch.rules.desk.availability import Availability
from pitwatch.rules.game import Game
from pitwatch.rules.people import SUPERVISORS
from pitwatch.rules.table import DeviceFacts, TableFacts

KEY_READERS = ("wiegand", "osdp", "em4100", "ibutton", "magstripe")
"""Protocols of readers to which people show who they are."""

ROLES_FOR = {role: SUPERVISORS[at:] for at, role in enumerate(SUPERVISORS)}
"""Whoever may do what a role may do: those of that rank or above."""


@dataclass(frozen=True)
class SimDeviceSpec:
    """One device: `lines` are the names of its input lines, `settings` the keys of its `[[device]]` table."""

    id: str
    type: str
    protocol: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class SimTable:
    """`people` maps a credential to a role; `seats` are the hands in play where no seat sensor says so."""

    game: Game
    devices: tuple[SimDeviceSpec, ...]
    options: Mapping[str, Any]
    people: Mapping[str, str]
    seats: tuple[str, ...]

    def of(self, device_type: str, protocol: str | None = None) -> SimDeviceSpec | None:
        """The first device of a type (and protocol)."""
        for device in self.devices:
            if device.type == device_type and protocol in (None, device.protocol):
                return device
        return None

    def has(self, need: str) -> bool:
        """Whether the table has TYPE, TYPE/PROTOCOL or TYPE#LINE, or a key reader and so many people of a role to show
        their cards: @ROLE*COUNT. Alternatives are joined by " | "."""
        return any(self._has(each) for each in need.split(" | "))

    def _has(self, need: str) -> bool:
        if need.startswith("@"):
            role, _, count = need[1:].partition("*")
            holders = sum(each in ROLES_FOR.get(role, (role,)) for each in self.people.values())
            return self.has(" | ".join(f"key_reader/{each}" for each in KEY_READERS)) and holders >= int(count or 1)
        kind, _, line = need.partition("#")
        kind, _, protocol = kind.partition("/")
        return any(
            device.type == kind and protocol in ("", device.protocol) and (not line or line in device.lines)
            for device in self.devices
        )


def facts(
    devices: Sequence[SimDeviceSpec], options: Mapping[str, Any], people: Mapping[str, str], seats: Sequence[str]
) -> TableFacts:
    """The table as the rules see it."""
    known = []
    for device in devices:
        cls = registry.find(device.type, device.protocol)
        events = cls.events_with(device.lines, dict(device.settings))
        known.append(DeviceFacts(device.id, device.type, frozenset(events), cls.REPEATS_STATE))
    return TableFacts(devices=tuple(known), options=dict(options), seats=tuple(seats), people=dict(people))


def judged(game: Game, devices: Sequence[SimDeviceSpec], options: Mapping[str, Any] | None = None) -> set[str]:
    """The rules of a game that a table with these devices and the house's options can judge."""
    availability = Availability(game, facts(devices, options or {}, {}, ()))
    return {rule for rule in game.rules if availability.watched(rule)}
