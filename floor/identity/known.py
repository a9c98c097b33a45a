"""The newest records of each table as received, to distinguish a repeated record from another one under its id."""

from __future__ import annotations

from collections import OrderedDict

from pitwatch.floor.conflicts import differences
from pitwatch.floor.message import Message

MOST_RECORDS = 200
"""Records of one table."""
MOST_BYTES = 8_192
"""Of one message; larger ones are not kept."""
MOST_TABLES = 1_000

LOST = b'"record_lost"'


class Known:
    def __init__(self) -> None:
        self._tables: dict[str, OrderedDict[str, bytes]] = {}

    def differing(self, message: Message) -> list[str]:
        """Note a record; the fields in which it differs from the one that is known under its id. None for the same
        reported again, nor for what stands in the place of a record that was lost with the journal's file."""
        event = message.event
        if event is None or event.sequence is None or len(message.payload) > MOST_BYTES:
            return []
        if event.kind == "live" or (event.kind == "system" and LOST in message.payload):
            return []
        if message.table not in self._tables and len(self._tables) >= MOST_TABLES:
            return []
        known = self._tables.setdefault(message.table, OrderedDict())
        first = known.setdefault(event.id, message.payload)
        if first is not message.payload and first != message.payload:
            try:
                return differences(first, message.payload)
            except ValueError as error:
                return [str(error)]
        if len(known) > MOST_RECORDS:
            known.popitem(last=False)
        return []
