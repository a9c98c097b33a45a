"""All that needs attention, by its key: found by the record that began it, completed by late evidence, bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pitwatch.floor.watch.concern import Concern, Kept, Kind, order

MOST_CONCERNS = 2_000


class Concerns(Mapping[str, Concern]):
    def __init__(self) -> None:
        self.dropped = 0
        """Concerns that had to make room for newer ones before anybody acknowledged them."""
        self._all: dict[str, Concern] = {}
        self._by_sequence: dict[tuple[str, int], str] = {}
        self._awaiting: dict[tuple[str, int], set[str]] = {}
        """Concerns that lack a record of evidence, by table and sequence."""

    def __getitem__(self, key: str) -> Concern:
        return self._all[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def add(self, concern: Concern) -> None:
        """In the place of the one before of the same key."""
        self.remove(concern.key)
        if concern.sequence is not None:
            self._by_sequence[concern.table, concern.sequence] = concern.key
        self._all[concern.key] = concern
        if len(self._all) > MOST_CONCERNS:
            # What is acknowledged goes first, then the least severe, of these the oldest; a tenth at a time.
            going = sorted(self._all.values(), key=lambda each: (order(each)[0] is False, -order(each)[1], each.at))
            for each in going[: MOST_CONCERNS // 10]:
                self.dropped += each.acknowledged is None
                self.remove(each.key)
        if concern.key in self._all:
            for sequence in concern.wanted:
                self._awaiting.setdefault((concern.table, sequence), set()).add(concern.key)

    def remove(self, key: str) -> bool:
        """Whether there was one."""
        concern = self._all.pop(key, None)
        if concern is None:
            return False
        if concern.sequence is not None:
            self._by_sequence.pop((concern.table, concern.sequence), None)
        for sequence in concern.wanted:
            waiting = self._awaiting.get((concern.table, sequence))
            if waiting is not None:
                waiting.discard(key)
                if not waiting:
                    del self._awaiting[concern.table, sequence]
        return True

    def begun_by(self, table: str, sequence: int) -> Concern | None:
        """The one that a record began."""
        return self._all.get(self._by_sequence.get((table, sequence), ""))

    def evidence(self, table: str, sequence: int, record: Kept) -> None:
        """A record that some of them may have been waiting for."""
        for key in self._awaiting.pop((table, sequence), ()):
            concern = self._all.get(key)
            if concern is not None:
                concern.evidence[sequence] = record

    def count(self, table: str, kind: Kind) -> int:
        """How many of a kind a table has."""
        return sum(each.kind == kind and each.table == table for each in self._all.values())
