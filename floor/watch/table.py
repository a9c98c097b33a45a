"""One table of the floor, from its messages: state, devices, last rounds, records for evidence. All bounded."""

from __future__ import annotations

from bisect import insort
from collections import deque

from pitwatch.floor.sequences import Sequences
from pitwatch.floor.watch.concern import Acknowledgement, Kept
from pitwatch.floor.watch.payloads import Device, Health, Observation, Round, Status

MOST_ROUNDS = 20
MOST_RECORDS = 256
"""Records that are kept to be shown as evidence of what may come."""
MOST_DEVICES = 64
MOST_BOOTS = 8
MOST_ACKNOWLEDGEMENTS = 500
MOST_GAPS = 100
"""Gaps of one table beyond which it is only said how much is missing."""
MOST_SEEN = 12

STATES = ("LOST", "SILENT", "GAP", "unknown", "starting", "aligning", "stopped", "ready")
"""What a table's state is called, the one that needs eyes most first."""

SIGNS = {"LOST": "XX", "SILENT": "??", "GAP": "##", "unknown": "? ", "stopped": "--", "ready": "ok"}


class Table:
    def __init__(self, name: str, now: float):
        self.name = name
        self.status: Status | None = None
        self.status_at = now
        self.status_earlier = False
        """It was so before, nobody knows since when."""
        self.health: Health | None = None
        self.heard = now
        """When anything last came from it, in seconds since 1970."""
        self.silent = False
        self.remembered = False
        """Known from the archive alone: nothing has come from it yet."""
        self.devices: dict[str, Device] = {}
        self.rounds: list[tuple[int, Round]] = []
        """With the sequence of its record, in order."""
        self.seen: deque[tuple[float, Observation]] = deque(maxlen=MOST_SEEN)
        """Observations since the last round was over."""
        self.seen_count = 0
        self.notes: deque[tuple[float, str]] = deque(maxlen=10)
        """Events of its daemon."""
        self.records: dict[int, Kept] = {}
        self.acknowledgements: dict[int, Acknowledgement] = {}
        """By sequence of the acknowledged record, which may arrive later than its acknowledgement."""
        self.applied: dict[str, int] = {}
        self.boots: list[str] = []
        """Runs of the daemon whose records have come."""
        self.run = ""
        """The run that the status is of."""
        self.former: list[str] = []
        """Runs that another has followed."""
        self.sequences = Sequences()
        self.given_up = 0
        """Records missing in gaps that are no longer counted one by one."""

    @property
    def site(self) -> str:
        return self.name.partition("/")[0]

    @property
    def game(self) -> str:
        return self.status.game.rpartition("/")[2] if self.status else ""

    @property
    def lost(self) -> bool:
        return self.status is not None and self.status.state == "lost"

    @property
    def missing(self) -> int:
        """Records that did not come though later ones did."""
        return self.given_up + self.sequences.missing

    @property
    def state(self) -> str:
        """One of STATES, or the table's own word if that is new."""
        if self.lost:
            return "LOST"
        if self.silent:
            return "SILENT"
        if self.missing:
            return "GAP"
        if self.status is None:
            return "unknown"
        return "stopped" if self.status.state == "stopping" else self.status.state

    def runs(self, boot: str) -> bool:
        """Whether a status of this run is of now; the will of one that another has followed may come late."""
        if boot in self.former:
            return False
        if self.run and boot != self.run:
            self.former.append(self.run)
            del self.former[:-MOST_BOOTS]
        self.run = boot
        return True

    def meet(self, boot: str, sequence: int, again: bool, standing: bool = False) -> bool:
        """Note a record's boot and sequence; False if it came before. `again`: it was asked for, and may be of any age.
        `standing`: it may be repeated, so one from before this subscriber's time does not start a gap.

        A sequence outlasts restarts. A boot never heard of that begins below what was heard is a new board under the
        table's name: the counting begins with it.
        """
        if standing and not again and self.sequences.before(sequence):
            return True
        known = boot in self.boots
        if not known and not again and sequence <= self.sequences.last:
            self.sequences = Sequences()
            self.given_up = 0
            for of_the_old in (self.applied, self.rounds, self.records, self.acknowledgements):
                of_the_old.clear()
        if not known and not again:
            self.boots.append(boot)
            del self.boots[:-MOST_BOOTS]
        fresh = self.sequences.take(sequence)
        if len(self.sequences.gaps) > MOST_GAPS:
            self.given_up += self.sequences.missing
            self._count_from_here()
        return fresh

    def forgive_gap(self) -> None:
        """Somebody has seen that records are missing."""
        self.given_up = 0
        self._count_from_here()

    def newer(self, what: str, sequence: int | None) -> bool:
        """Whether a lasting state is at least as new as the last of its name; notes it if so."""
        if sequence is None:
            return True
        if sequence < self.applied.get(what, 0):
            return False
        self.applied[what] = sequence
        while len(self.applied) > 4 * MOST_DEVICES:
            del self.applied[next(iter(self.applied))]
        return True

    def keep(self, sequence: int, record: Kept) -> None:
        self.records[sequence] = record
        if len(self.records) > MOST_RECORDS:
            del self.records[next(iter(self.records))]

    def acknowledge(self, sequence: int, acknowledgement: Acknowledgement) -> None:
        self.acknowledgements[sequence] = acknowledgement
        if len(self.acknowledgements) > MOST_ACKNOWLEDGEMENTS:
            del self.acknowledgements[next(iter(self.acknowledgements))]

    def note_round(self, sequence: int, told: Round) -> None:
        """A round that is over, of now or of the past."""
        insort(self.rounds, (sequence, told), key=lambda each: each[0])
        del self.rounds[:-MOST_ROUNDS]

    def begin_round(self, sequence: int) -> None:
        """Another round begins with the end of the one of this record, if that is the newest."""
        if self.rounds and self.rounds[-1][0] == sequence:
            self.seen.clear()
            self.seen_count = 0

    def _count_from_here(self) -> None:
        last = self.sequences.last
        self.sequences = Sequences()
        if last:
            self.sequences.take(last)
