"""The facts about a configured table that the rules receive."""

from __future__ import annotations

from pitwatch.daemon.config.config import Config
from pitwatch.daemon.config.device_config import DeviceConfig
from pitwatch.rules.table import DeviceFacts, StatisticsFacts, TableFacts


def table_facts(config: Config) -> TableFacts:
    """The facts of a table as `rules.engine` wants them."""
    return TableFacts(
        devices=tuple(
            DeviceFacts(device.id, device.type, frozenset(_events(device)), device.cls.REPEATS_STATE)
            for device in config.devices
        ),
        options=dict(config.table.options),
        seats=tuple(config.table.seats),
        statistics=StatisticsFacts(
            watch=config.statistics.watch,
            scale=config.statistics.scale,
            by_hand=config.statistics.shuffle == "by-hand",
            target=config.statistics.rounds_an_hour,
            idle_s=60.0 * config.statistics.idle_minutes,
        ),
        people={credential: person.role for credential, person in config.people.items()},
    )


def _events(device: DeviceConfig) -> tuple[str, ...]:
    """What the device can show with the lines and places it has: a beam that is not there sees nothing."""
    return device.cls.events_with(tuple(spec.name for spec in device.lines), device.settings)
