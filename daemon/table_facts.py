"""What the rules are told of a configured table."""

from __future__ import annotations

from daemon.config import Config
from rules.table import DeviceFacts, TableFacts


def table_facts(config: Config) -> TableFacts:
    """The facts of a table as `rules.engine` wants them."""
    return TableFacts(
        devices=tuple(
            DeviceFacts(device.id, device.type, frozenset(device.cls.EVENTS), device.cls.REPEATS_STATE)
            for device in config.devices
        ),
        options=dict(config.table.options),
        seats=tuple(config.table.seats),
        people={credential: person.role for credential, person in config.people.items()},
    )
