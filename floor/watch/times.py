"""The time of a record, as far as its table's clock can be trusted. Seconds since 1970; no clock of its own."""

from __future__ import annotations

from datetime import datetime

from pitwatch.daemon.contract.event import Event

BELIEVABLE = 7 * 86_400.0
"""Seconds that a table's time may lie back; a clock further off was never set."""
AHEAD = 60.0
"""Seconds that it may be ahead."""


def told(event: Event) -> float | None:
    """What the table says, if its clock was set."""
    if not event.clocksynced:
        return None
    try:
        return datetime.fromisoformat(event.time).timestamp()
    except (ValueError, OverflowError):
        return None


def believed(event: Event, now: float) -> float | None:
    """What the table says, if it can be right for a record that is heard now."""
    at = told(event)
    return min(at, now) if at is not None and now - BELIEVABLE < at < now + AHEAD else None


class Runs:
    """What each table's monotonic clock shows now, from what it publishes: so records of a run whose clock is wrong can
    be dated. Of each table the run that was heard last."""

    def __init__(self) -> None:
        self._begins: dict[str, tuple[str, float]] = {}

    def hear(self, table: str, event: Event, now: float) -> None:
        """A record that is heard as it is published; one that is late is corrected by any that is not."""
        begin = now - event.monotonicns / 1e9
        boot, known = self._begins.get(table, ("", begin))
        self._begins[table] = (event.bootid, min(begin, known) if boot == event.bootid else begin)

    def date(self, table: str, event: Event, now: float) -> float | None:
        """Of a record of any age; None if nobody can know."""
        at = believed(event, now)
        boot, begin = self._begins.get(table, ("", 0.0))
        if at is None and boot == event.bootid:
            return min(begin + event.monotonicns / 1e9, now)
        if at is None:
            at = told(event)
        return at if at is not None and at < now + AHEAD else None
