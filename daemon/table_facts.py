"""What the rules are told of a configured table."""

from __future__ import annotations

from daemon.config import Config
from devices.base import Device
from rules.table import DeviceFacts, TableFacts


def table_facts(config: Config) -> TableFacts:
    """The facts of a table as `rules.engine` wants them."""
    return TableFacts(
        devices=tuple(
            DeviceFacts(device.id, device.type, events_of(device.cls, tuple(l.name for l in device.lines)), repeats)
            for device in config.devices
            for repeats in (device.cls.REPEATS_STATE,)
        ),
        options=dict(config.table.options),
        seats=tuple(config.table.seats),
        people={credential: person.role for credential, person in config.people.items()},
    )


def events_of(cls: type[Device], lines: tuple[str, ...]) -> frozenset[str]:
    """The events a device can produce with the lines it is given."""
    return frozenset(cls.EVENTS)
