"""The figures of watch: tables by state, and what needs attention by severity."""

from __future__ import annotations

from collections.abc import Sequence

from pitwatch.floor.metrics.serving import Figure, counter, gauge
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.table import STATES
from pitwatch.floor.watch.wording import SEVERITIES


class WatchFigures:
    """`gather` for `served`."""

    def __init__(self, floor: Floor):
        self._floor = floor

    async def gather(self) -> Sequence[Figure]:
        floor = self._floor
        states = dict.fromkeys(((state.lower(),) for state in STATES), 0.0)
        for table in floor.tables.values():
            states[(table.state.lower() if table.state in STATES else "unknown",)] += 1
        lines = {(severity, done): 0.0 for severity in SEVERITIES for done in ("false", "true")}
        for concern in floor.concerns.values():
            if concern.severity in SEVERITIES:
                lines[concern.severity, "false" if concern.acknowledged is None else "true"] += 1
        devices = sum(each.state != "online" for table in floor.tables.values() for each in table.devices.values())
        figures = [
            counter("pitwatch_watch_messages", "Messages of tables.", floor.messages),
            counter("pitwatch_watch_duplicates", "Records that came again.", floor.duplicates),
            gauge("pitwatch_watch_broker_up", "1 while the broker is reached.", floor.stale_since is None),
            Figure("pitwatch_watch_tables", "Tables by state.", states, ("state",)),
            Figure("pitwatch_watch_lines", "What needs attention.", lines, ("severity", "acknowledged")),
            gauge("pitwatch_watch_devices_down", "Devices that are not on line.", devices),
        ]
        last = max((table.heard for table in floor.tables.values()), default=None)
        if last is not None:
            told = "When a table was heard last, in seconds since 1970."
            figures.append(gauge("pitwatch_watch_last_message_timestamp_seconds", told, last))
        return figures
