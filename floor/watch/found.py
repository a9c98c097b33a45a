"""The earlier records of one table that looking back has received, and the evidence in them. Sends nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import msgspec

from pitwatch.daemon.contract.event import Event
from pitwatch.floor.message import Message
from pitwatch.floor.watch.payloads import Irregularity
from pitwatch.floor.watch.times import Runs

TOLD = ("irregularity", "request", "round")
"""An acknowledgement is a `request`. States are retained by the broker and not of the past."""


class Found:
    """Portions are added from the newest to the oldest, so that evidence is known to be wanted before it comes."""

    def __init__(self, table: str, since: float, now: float, runs: Runs):
        self.since = since
        self.reached = False
        """Whether a record came that is older than `since`."""
        self.back_to = now
        """When the oldest record happened, in seconds since 1970."""
        self.first, self.last = 1, 0
        """Sequences of the oldest and newest record; none has come while `last` is less."""
        self._table = table
        self._now = now
        self._runs = runs
        self._told: dict[int, tuple[Event, Message, float]] = {}
        self._evidence: dict[int, tuple[Event, Message]] = {}
        self._wanted: set[int] = set()

    @property
    def told(self) -> list[tuple[int, Event, Message, float]]:
        """Records in the table's order, with their sequences and when they happened."""
        return [(sequence, *self._told[sequence]) for sequence in sorted(self._told)]

    @property
    def evidence(self) -> list[tuple[int, Event, Message]]:
        return [(sequence, *self._evidence[sequence]) for sequence in sorted(self._evidence)]

    def add(self, records: Mapping[int, tuple[Event, Message]]) -> bool:
        """A portion by sequence; False if none of its records can be dated."""
        dated = False
        for sequence in sorted(records, reverse=True):
            event, message = records[sequence]
            at = self._runs.date(self._table, event, self._now)
            if at is not None:
                dated = True
                self.back_to = min(self.back_to, at)  # a record without a date is as old as the next that has one
            self.reached = self.reached or self.back_to < self.since
            if sequence in self._wanted:
                self._evidence[sequence] = (event, message)
            if self.reached:
                continue
            self.first, self.last = sequence, max(sequence, self.last)
            if event.kind in TOLD:
                self._told[sequence] = (event, message, self.back_to)
            if event.kind == "irregularity":
                self._want(event)
        return dated

    def _want(self, event: Event) -> None:
        with contextlib.suppress(msgspec.DecodeError, RecursionError):  # the model says that it cannot be read
            self._wanted.update(msgspec.json.decode(event.data, type=Irregularity).evidence)
