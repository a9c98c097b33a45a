"""How the tables of a floor are, as they publish it: the newest status, health, devices and alerts of each. Bounded for
each table, whatever one of them publishes. Opens nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.floor.message import Message

TOPICS = ("status", "health", "device/+", "alert/+")
MOST_TABLES = 2_000
MOST_ENTRIES = 200
"""Devices, and alerts, of one table."""
MOST_TEXT = 200


class Status(msgspec.Struct):
    state: str = ""
    version: str = ""
    game: str = ""
    boot: str = ""
    journal: str = ""
    key: str | None = None
    fingerprints: dict[str, str] = {}


class Health(msgspec.Struct):
    """Fields that a board of an earlier version does not publish are None."""

    uptime_s: float = 0.0
    queue: int = 0
    errors: int = 0
    dropped: dict[str, int] = {}
    journal: str = "ok"
    broker: str = "ok"
    memory_kib: int = 0
    disk_free_mib: int | None = None
    clock_synced: bool | None = None
    certificate_ends: str | None = None
    temperature_c: float | None = None
    throttled: int | None = None


class _Device(msgspec.Struct):
    state: str = ""


class _Alert(msgspec.Struct):
    raised: bool = False
    condition: str = ""


_status = msgspec.json.Decoder(Status).decode
_health = msgspec.json.Decoder(Health).decode
_device = msgspec.json.Decoder(_Device).decode
_alert = msgspec.json.Decoder(_Alert).decode


class TableHeard:
    """One table. `live`: seconds since 1970 by this machine's clock at which it published something itself; 0 if all
    that was heard had been retained. `said_at`: the newest time of its own messages, RFC 3339."""

    def __init__(self) -> None:
        self.status: Status | None = None
        self.health: Health | None = None
        self.devices: dict[str, str] = {}
        self.alerts: dict[str, str] = {}
        self.live = 0.0
        self.said_at = ""
        self.unreadable = 0
        """Messages that have not the form of the contract."""


class Heard:
    """`take` each message. `tables` by SITE/TABLE."""

    def __init__(self) -> None:
        self.tables: dict[str, TableHeard] = {}
        self.messages = 0

    def take(self, message: Message, now: float) -> None:
        """`now`: seconds since 1970."""
        self.messages += 1
        if message.table not in self.tables and len(self.tables) >= MOST_TABLES:
            return
        table = self.tables.setdefault(message.table, TableHeard())
        what, _, name = message.subtopic.partition("/")
        try:
            self._note(table, what, name[:MOST_TEXT], message)
        except (ValueError, RecursionError):
            table.unreadable += 1
            return
        if message.event is None:
            return
        lost = what == "status" and table.status is not None and table.status.state == "lost"
        if not lost:  # which the broker says, with the time when it was left there
            table.said_at = max(table.said_at, message.event.time[:MOST_TEXT])
            if not message.retained:
                table.live = now

    def refuse(self, table: str) -> None:
        """A message of this table that no table would send."""
        self.messages += 1
        if table and (table in self.tables or len(self.tables) < MOST_TABLES):
            self.tables.setdefault(table, TableHeard()).unreadable += 1

    def _note(self, table: TableHeard, what: str, name: str, message: Message) -> None:
        """Raises ValueError."""
        data: Any = message.event.data if message.event is not None else None
        if what == "status" and data is not None:
            table.status = _status(data)
        elif what == "health" and data is not None:
            table.health = _health(data)
        elif what in ("device", "alert"):
            entries = table.devices if what == "device" else table.alerts
            alert = _alert(data) if what == "alert" and data is not None else None
            if data is None or (alert is not None and not alert.raised):
                entries.pop(name, None)
            elif name in entries or len(entries) < MOST_ENTRIES:
                entries[name] = (alert.condition if alert is not None else _device(data).state)[:MOST_TEXT]
