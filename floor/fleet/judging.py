"""Whether a table is worse than it was before its board was changed. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import NamedTuple

from pitwatch.floor.fleet.clean_text import clean
from pitwatch.floor.fleet.heard import TableHeard

WATCHED = ("ready", "aligning")
"""A table without play aligns until the next round: both are right."""


class Before(NamedTuple):
    """How a table was. `watched`: it was heard and not lost; a table that was not cannot become worse."""

    watched: bool
    online: frozenset[str] = frozenset()
    alerts: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    journal: str = "ok"
    broker: str = "ok"


def before(said: TableHeard | None) -> Before:
    if said is None or said.status is None or said.status.state not in WATCHED:
        return Before(False)
    health = said.health
    return Before(
        watched=True,
        online=frozenset(device for device, state in said.devices.items() if state == "online"),
        alerts=frozenset(said.alerts),
        dropped=frozenset(health.dropped if health is not None else ()),
        journal=said.status.journal,
        broker=health.broker if health is not None else "ok",
    )


def worse(was: Before, now: TableHeard | None, version: str, boot: str = "") -> str:
    """What is worse, in one line; empty if nothing is. `version`: which the table should publish. `boot`: the run which
    it should still be, empty while that is not known."""
    if not was.watched:
        return ""
    if now is None or now.status is None:
        return "nothing is heard of it"
    status, health, found = now.status, now.health, []
    if status.state not in WATCHED:
        found.append(f"it is {clean(status.state) or 'silent'}")
    if status.version != version:
        found.append(f"it publishes version {clean(status.version)[:60] or 'unknown'}")
    if boot and status.boot != boot:
        found.append("it was started again")
    states = {device: now.devices.get(device, "gone") for device in sorted(was.online)}
    found += [
        f"{clean(device)} was on line and is {clean(state)}"
        for device, state in states.items()
        if state not in ("online", "removed")
    ]
    found += [f"alert {clean(name)} is new" for name in sorted(set(now.alerts) - was.alerts)]
    if was.journal == "ok" and status.journal not in ("ok", ""):
        found.append(f"journal: {clean(status.journal)}")
    if health is not None:
        if was.broker == "ok" and health.broker != "ok":
            found.append(f"broker: {clean(health.broker)}")
        if health.errors:
            found.append("the program reports faults")
        if lost := sorted(set(health.dropped) - was.dropped):
            found.append(f"it drops {clean(', '.join(lost))}")
    return clean("; ".join(found))
