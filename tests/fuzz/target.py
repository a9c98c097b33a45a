"""What a fuzzing target is, and what must hold of every one. Knows no target.

A target is called with bytes. It raises (AssertionError or whatever the code under it raised) if something is wrong.
Besides a fresh object for each input, each target has a lasting one that hears every input: it may not grow.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MS = 1_000_000
SECOND = 1_000_000_000

MOST_STATE = 256 * 1024
"""Bytes that a lasting object and all it refers to may take, whatever it has heard."""

SIZED_EVERY = 5_000

PROJECT = Path(__file__).parents[2]


class Target(NamedTuple):
    """`seeds`: inputs as they should be; `once`: one input; `lasting`: what has heard all of them."""

    seeds: list[bytes]
    once: Callable[[bytes], None]
    lasting: Callable[[], object]


def size(thing: object) -> int:
    """Bytes of an object and of everything that it alone keeps, classes and modules left out."""
    seen: set[int] = set()
    total, waiting = 0, [thing]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type | type(sys)) or callable(each):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        waiting += gc.get_referents(each)
    return total


def held(name: str, target: Target, heard: int) -> None:
    """After every so many inputs: the lasting object has not grown."""
    if heard % SIZED_EVERY == 0:
        grown = size(target.lasting())
        assert grown < MOST_STATE, f"{name} holds {grown} bytes after {heard} inputs"


def pieces(data: bytes, cut: int) -> Iterator[bytes]:
    """The bytes in pieces of 1 to 8, which `cut` decides."""
    at = 0
    while at < len(data):
        cut = cut * 5 + 3 & 0xFF
        step = 1 + cut % 8
        yield data[at : at + step]
        at += step


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The input as messages: a byte that says what, one for the length, so many bytes."""
    at = 0
    while at + 2 <= len(data):
        end = at + 2 + data[at + 1] % 64
        yield data[at], data[at + 2 : end]
        at = end


def message(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


def in_one_line(error: Exception) -> None:
    assert str(error), "says nothing"
    assert len(str(error).splitlines()) == 1, f"more than one line: {error!r}"
    assert len(str(error)) < 1_000, f"no line for people: {len(str(error))} characters"
