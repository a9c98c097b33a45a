"""The facts of a table that the rules use: its devices, what they can show, and what the house declared."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import msgspec


class DeviceFacts(msgspec.Struct, frozen=True):
    """A device as the rules know it: `events` are the names it can produce, with `event:value` too where its values are
    limited (`key_pressed:no_more_bets` for a panel with that key, `card_placed:burn` for a reader of burn cards);
    `repeats_state` as in `devices.base`."""

    id: str
    type: str
    events: frozenset[str]
    repeats_state: bool = False


class StatisticsFacts(msgspec.Struct, frozen=True):
    """What the house says of the monitors: whether they `watch`; `scale` by which the outcomes to a false alarm are
    multiplied; whether shoes are shuffled `by_hand`, so that an order may be left over; the `target` in rounds an hour,
    None where the house gives none; after how many seconds without a round a table counts as closed (`idle_s`)."""

    watch: bool = True
    scale: float = 1.0
    by_hand: bool = True
    target: float | None = None
    idle_s: float = 900.0


class TableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """`options`: the house's settled options; `seats`: hands in play where no seat sensor says so, e.g. ("seat-1",);
    `people`: credential to role."""

    devices: tuple[DeviceFacts, ...] = ()
    options: dict[str, Any] = {}
    seats: tuple[str, ...] = ()
    people: dict[str, str] = {}
    statistics: StatisticsFacts = StatisticsFacts()

    def provides(self, need: str) -> list[DeviceFacts]:
        """The devices that can show one alternative of a need, `type.event`; every device shows `any.device_fault`."""
        kind, _, event = need.partition(".")
        if kind == "any":
            return list(self.devices)
        return [device for device in self.devices if device.type == kind and shows(device.events, event)]


def shows(events: Set[str], event: str) -> bool:
    """Whether a device with these events can show `event` or `event:value`."""
    name, _, value = event.partition(":")
    if name not in events:
        return False
    limited = any(known.startswith(name + ":") for known in events) if value else False
    return not limited or event in events
