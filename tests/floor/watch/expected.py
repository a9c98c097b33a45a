"""What the top row of `watch` should be, by other means than its model. For tests only."""

from __future__ import annotations

import json
import re
from typing import Any

from pitwatch.floor.message import Message

SHOWN = 30
"""Characters of a rule's sentence that fit beside the longest name of a table."""


class Expected:
    """What the top row should be, worked out from the messages as they are on the wire."""

    RANK = ("notice", "warning", "alert", "critical")

    def __init__(self) -> None:
        self.open: dict[str, tuple[int, int, str]] = {}
        """By id: how bad, how late it came, what the row has to say."""
        self.conditions: dict[tuple[str, str], str] = {}
        self.acknowledged: set[str] = set()
        self._count = 0

    def take(self, message: Message) -> None:
        if not message.payload:
            return
        event: dict[str, Any] = json.loads(message.payload)
        data, kind = event["data"], event["type"].split(".")[1]
        self._count += 1
        if kind == "irregularity":
            self._set(event["id"], data["severity"], f"{message.table}  {data['says'][:SHOWN]}")
        elif kind == "alert":
            if data["raised"]:
                self.conditions[message.table, data["key"]] = event["id"]
                self._set(event["id"], "warning", f"{message.table}  {data['condition']}: ")
            else:
                self.open.pop(self.conditions.pop((message.table, data["key"])), None)
        elif kind == "status" and data["state"] == "lost":
            self._set(f"{message.table} lost", "critical", f"{message.table}  LOST")

    def acknowledge(self, key: str) -> None:
        """It stays so, however often a table tells of it again."""
        self.acknowledged.add(key)
        self.open.pop(key, None)

    def _set(self, key: str, severity: str, told: str) -> None:
        if key in self.acknowledged:
            return
        self.open.setdefault(key, (-self.RANK.index(severity), self._count, told))

    def first(self) -> str:
        """Its id, or empty."""
        return min(self.open, key=lambda key: self.open[key], default="")

    def agrees(self, top: str) -> bool:
        acknowledged = re.search(r"\back", top) is not None  # a die may lie stacked
        if self.open:
            return min(self.open.values())[2] in top and not acknowledged
        return any(each in top for each in ("nothing needs", "nothing since", "nothing heard")) or acknowledged
