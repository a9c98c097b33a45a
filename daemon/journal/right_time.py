"""Corrects the times of records from before the clock was set. Reads records, no file."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pitwatch.daemon.contract.messages import SystemData, utc
from pitwatch.daemon.journal.chain import Record


class RightTimes:
    """`told`: records of kind `system`, in order. Within one run (`boot`) the monotonic clock never stops, so what the
    clock was set to at last gives the time of every record from before it."""

    def __init__(self, told: Iterable[Record]):
        self._offsets: dict[str, int] = {}
        for record in told:
            try:
                said = msgspec.json.decode(record.body, type=SystemData)
            except (msgspec.DecodeError, UnicodeDecodeError):  # of another version
                continue
            offset = said.detail.get("wall_minus_monotonic_ns")
            if said.event == "clock_set" and isinstance(offset, int):
                self._offsets[record.boot] = offset

    def of(self, record: Record) -> int:
        """Nanoseconds since 1970; what the record itself bears where nothing better is known."""
        if record.synced or record.boot not in self._offsets:
            return record.wall_ns
        return record.t_ns + self._offsets[record.boot]

    def shown(self, record: Record) -> str:
        """UTC, and that the clock was never set if that is so."""
        known = record.synced or record.boot in self._offsets
        return f"{utc(self.of(record))}{'' if known else ', the clock not set'}"
