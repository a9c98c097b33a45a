"""The records received from a table, by sequence: detects duplicates and gaps. Memory is bounded by the gaps."""

from __future__ import annotations

from bisect import bisect_right


class Sequences:
    """Of one table. Whatever came before the first record heard is not missed: this subscriber was not there."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        """Stretches that have come, in order, apart from one another; an end is the last of its stretch."""

    def take(self, sequence: int) -> bool:
        """Note a record; False if it came before."""
        at = bisect_right(self._begins, sequence)
        if at and sequence <= self._ends[at - 1]:
            return False
        before = at > 0 and self._ends[at - 1] == sequence - 1
        after = at < len(self._begins) and self._begins[at] == sequence + 1
        if before and after:
            self._ends[at - 1] = self._ends.pop(at)
            del self._begins[at]
        elif before:
            self._ends[at - 1] = sequence
        elif after:
            self._begins[at] = sequence
        else:
            self._begins.insert(at, sequence)
            self._ends.insert(at, sequence)
        return True

    def before(self, sequence: int) -> bool:
        """Whether a record is older than all that have come."""
        return not self._begins or sequence < self._begins[0]

    def take_all(self, first: int, last: int) -> None:
        """A stretch of which each has come, or nobody has it any more; empty if `last` is less."""
        for sequence in range(first, last + 1):
            self.take(sequence)

    @property
    def first(self) -> int:
        """The lowest that has come; 0 before any."""
        return self._begins[0] if self._begins else 0

    @property
    def last(self) -> int:
        """The highest that has come; 0 before any."""
        return self._ends[-1] if self._ends else 0

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Stretches (first, last) that have not come though later ones have."""
        return [(end + 1, begin - 1) for end, begin in zip(self._ends, self._begins[1:], strict=False)]

    @property
    def missing(self) -> int:
        """How many records the gaps are."""
        return sum(last - first + 1 for first, last in self.gaps)
