"""The suite's dose of fuzzing: two seconds a target with seeded inputs. `make fuzz` is the real one."""

from __future__ import annotations

import time
from random import Random

import pytest

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import MOST_STATE, TARGETS, size

SECONDS = 1.8
LONGEST = 2.0
"""Seconds that one input may take on a busy machine; all take a few milliseconds at most."""


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_comes(name: str) -> None:
    target, chance = TARGETS[name](), Random(f"pitwatch {name}")
    for seed in target.seeds:
        target.once(seed)
    ends = time.monotonic() + SECONDS
    inputs = 0
    while (began := time.monotonic()) < ends:
        data = mutated(chance, target.seeds)
        try:
            target.once(data)
        except Exception as error:
            raise AssertionError(f"{name}: input {inputs}: {data!r}") from error
        inputs += 1
        assert time.monotonic() - began < LONGEST, f"{name}: {data!r} takes too long"
    assert inputs > 50
    assert size(target.lasting()) < MOST_STATE
