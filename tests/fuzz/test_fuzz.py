"""The suite's dose of fuzzing: under two seconds a target with seeded inputs. `make fuzz` is the real one."""

from __future__ import annotations

import time
from random import Random

import pytest

from tests.fuzz.__main__ import arguments
from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import osdp_seeds, slingshot_seeds
from tests.fuzz.target import MOST_STATE, size
from tests.fuzz.targets import FEEDS, TARGETS

SECONDS = 1.6
LONGEST = 2.0
"""Seconds of work that one input may take; all take some milliseconds at most."""


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_comes(name: str) -> None:
    target, chance = TARGETS[name](), Random(f"pitwatch {name}")
    for seed in target.seeds:
        target.once(seed)
    ends = time.monotonic() + SECONDS
    inputs = 0
    while time.monotonic() < ends:
        began = time.thread_time()
        data = mutated(chance, target.seeds)
        try:
            target.once(data)
        except Exception as error:
            raise AssertionError(f"{name}: input {inputs}: {data!r}") from error
        inputs += 1
        assert time.thread_time() - began < LONGEST, f"{name}: {data!r} takes too long"
    assert inputs > 5
    assert size(target.lasting()) < MOST_STATE


def test_the_full_dose_takes_every_target_or_those_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert arguments([]).targets == list(TARGETS)
    assert arguments(["dice", "wiegand"]).targets == ["dice", "wiegand"]
    with pytest.raises(SystemExit):
        arguments(["dices"])
    assert "no target 'dices'" in capsys.readouterr().err


@pytest.mark.parametrize("unit", ["a", "S", "\x00", "\xff", "\x02", "\xff\xfa", "S\0\0\2\4", "packet", "line"])
@pytest.mark.parametrize("name", FEEDS)
def test_time_goes_with_length(name: str, unit: str) -> None:
    """Sixteen times the bytes take sixteen times as long, not 256 times."""
    known = {"packet": osdp_seeds()[0][:-1], "line": slingshot_seeds()[0][:-2]}
    data = known.get(unit, unit.encode("latin-1"))

    def cost(length: int) -> float:
        times = []
        for _ in range(3):
            feed, whole = FEEDS[name](), (data * length)[:length]
            began = time.thread_time()
            for at in range(0, length, 16):
                feed(whole[at : at + 16])
            times.append(time.thread_time() - began)
        return min(times)

    assert cost(16_000) < 80 * cost(1_000) + 0.01
