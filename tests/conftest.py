"""The order of the suite: what takes longest comes first, so that no worker is left alone with it at the end. And its
memory: the thousands of tests that were found stay, so no collection of garbage looks through them again."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LONG = ("firmware", "cluster", "fleet", "conformance", "floor", "e2e", "fuzz", "faults", "sim_hw", "benchmarks")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def turn(item: pytest.Item) -> int:
        room = item.path.relative_to(HERE).parts[0]
        return LONG.index(room) if room in LONG else len(LONG)

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
