"""Duplicates and gaps of a table's records, whatever order they come in: held against a plain set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pitwatch.floor.sequences import Sequences


@given(st.lists(st.integers(1, 40), max_size=80))
def test_as_a_set_would_have_it(came: list[int]) -> None:
    sequences, seen = Sequences(), set[int]()
    for sequence in came:
        assert sequences.take(sequence) == (sequence not in seen)
        seen.add(sequence)
        assert (sequences.first, sequences.last) == (min(seen), max(seen))
        missing = {number for first, last in sequences.gaps for number in range(first, last + 1)}
        assert missing == set(range(min(seen), max(seen))) - seen
        assert sequences.missing == len(missing)


def test_what_nobody_has_any_more_is_no_gap() -> None:
    sequences = Sequences()
    for sequence in (1, 2, 7):
        sequences.take(sequence)
    assert sequences.gaps == [(3, 6)]
    sequences.take_all(3, 6)
    assert sequences.gaps == []
