"""The published past of one table: the sequences of each run of its daemon, its keys, its signed heads.

Accepts facts in any order, and judges nothing.
"""

from __future__ import annotations

import msgspec

MOST_RUNS = 2_000
"""Runs of one table that are kept in memory; the lowest go first."""
MOST_HEADS = 1_000
"""Signed heads of one table that are kept in memory."""
WRITE_EVERY = 500
"""Records of a run after which its end is written down anew; what came since is in the archive's events."""


class Claim(msgspec.Struct, frozen=True):
    """What a `started` record, number `sequence`, says of the run before. `last` is 0 where there was none."""

    sequence: int
    boot: str = ""
    last: int = 0


class Run(msgspec.Struct, kw_only=True):
    """One run of a table's daemon as far as it was heard. Times in seconds since 1970, 0 where unknown."""

    boot: str
    first: int
    last: int
    met: float
    """When it was first heard."""
    began: float = 0.0
    """The earliest time of its records that was reported with a clock that was set."""
    committed: int = 0
    """Up to where it said that its records were on disk."""
    refused: int = 0
    """The record with which it said that its disk refuses, 0 while it takes everything."""
    aside: bool = False
    """It reported that its journal was damaged, and that another continues."""
    below: bool = False
    """It came live, and at or below what was heard of others."""
    key: str = ""
    """The public key with which it has proved to sign."""
    claim: Claim | None = None

    def has(self, sequence: int) -> bool:
        return self.first <= sequence <= self.last


class Past:
    """Of one table."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.keys: dict[str, str] = {}
        """Public keys that were heard, the first one first, each with the run that named it first."""
        self.heads: dict[tuple[str, int], str] = {}
        """Hash of a record that a genuine statement names, by the key that signed it and the record's sequence."""
        self.values: dict[str, tuple[str, float]] = {}
        """What the newest status says that the table is made of, and since when it is heard."""
        self.former: set[str] = set()
        """Runs that another has followed: their status is out of date."""
        self.now, self.now_at = "", 0.0
        """The run of the newest status, and its time if its clock was set."""
        self.changed: set[str] = set()
        """Runs that are not stored yet."""
        self._met = 0.0
        self._top: Run | None = None
        self._written: dict[str, int] = {}

    def meet(self, boot: str, sequence: int, now: float, live: bool) -> tuple[Run, bool]:
        """Note that a run gave a sequence; whether that may contradict what was known, since it is not the next."""
        run = self.runs.get(boot)
        if run is None:
            below = live and self._top is not None and sequence <= self._top.last
            run = Run(boot=boot, first=sequence, last=sequence, met=max(now, self._met + 1e-6), below=below)
            self.add(run)
        elif run.has(sequence):
            return run, False
        elif run is self._top and sequence == run.last + 1:
            run.last = sequence
            if sequence - self._written.get(boot, 0) >= WRITE_EVERY:
                self.changed.add(boot)
                self._written[boot] = sequence
            return run, False
        else:
            run.first, run.last = min(run.first, sequence), max(run.last, sequence)
            self._rank(run)
        self.changed.add(boot)
        return run, True

    def add(self, run: Run) -> None:
        """Take over what is known of a run."""
        self.runs[run.boot] = run
        self._written[run.boot] = run.last
        self._met = max(self._met, run.met)
        if run.key:
            self.keys.setdefault(run.key, run.boot)
        self._rank(run)
        if len(self.runs) > MOST_RUNS:
            lowest = min(self.runs.values(), key=lambda each: (each is run, each.last))
            del self.runs[lowest.boot]
            self._written.pop(lowest.boot, None)
            self.changed.discard(lowest.boot)

    def become(self, what: str, value: str, now: float) -> bool:
        """Note what the newest status says; whether that is new."""
        new = self.values.get(what, ("", 0.0))[0] != value
        if new:
            self.values[what] = (value, now)
        return new

    def sign(self, key: str, sequence: int, hash_: str) -> None:
        """Note a signed head."""
        self.heads[key, sequence] = hash_
        if len(self.heads) > MOST_HEADS:
            del self.heads[min(self.heads, key=lambda each: each[1])]

    def hear_key(self, boot: str, key: str) -> bool:
        """Note a key that a run names; whether it is a new one."""
        new = key not in self.keys
        self.keys.setdefault(key, boot)
        return new

    def prove_key(self, boot: str, key: str, covers: int) -> None:
        """Note the key by which a run has signed that it had come so far; what was signed by an earlier one, and is
        only sent again, is no proof."""
        run = self.runs.get(boot)
        if run is not None and not run.key and covers >= run.first - 1:
            run.key = key
            self.changed.add(boot)

    def _rank(self, run: Run) -> None:
        if self._top is None or run.last >= self._top.last:
            self._top = run
