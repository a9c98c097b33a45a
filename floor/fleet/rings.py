"""The order in which boards are changed: one first, then some, then the rest. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
ALL = "all"


def read_rings(text: str) -> tuple[int | None, ...]:
    """`1,10,all`: so many boards in each ring; None is all that are left. Raises ValueError."""
    rings: list[int | None] = []
    for word in text.split(","):
        if rings and rings[-1] is None:
            raise ValueError(f'"{text[:80]}": nothing is left after "all"')
        if word == ALL:
            rings.append(None)
        elif word.isascii() and word.isdigit() and 0 < int(word[:9]) == int(word):
            rings.append(int(word))
        else:
            raise ValueError(f'"{text[:80]}" is no list of rings; 1,10,all is right')
    return tuple(rings)


def split(boards: Sequence[T], rings: Sequence[int | None]) -> list[list[T]]:
    """The boards of each ring, in their order; boards beyond the last ring are left out, as are empty rings."""
    found, at = [], 0
    for size in rings:
        ring = list(boards[at : None if size is None else at + size])
        at += len(ring)
        if ring:
            found.append(ring)
    return found
