"""The fault harness at the dose of `make test`; `make faults` does each hundreds of times."""

from __future__ import annotations

import shutil

import pytest

from tests.e2e.mosquitto import Mosquitto
from tests.faults import catalogue, shim
from tests.faults.disk import may_mount

NEED_A_DISK = ("full", "full_at_start", "read_only_at_start")
NEED_THE_SHIM = ("killed", "power_cut", "power_cut_in_retention", "read_only", "failing")
NEED_OPENSSL = ("power_cut_in_retention",)

MOST_WORK = 50
"""Milliseconds of processor time in one turn of the loop: what the daemon itself can make others wait."""

MOST_LAG = 500
"""Milliseconds of lateness, most of which is the machine that does other things beside."""


@pytest.mark.parametrize("name", [name for name, (_, (small, _)) in catalogue.FAULTS.items() if small])
def test_nothing_is_lost(name: str) -> None:
    if not Mosquitto.installed():
        pytest.skip("mosquitto is not installed")
    if name in NEED_A_DISK and not may_mount():
        pytest.skip("a disk of its own may be mounted by root only")
    if name in NEED_THE_SHIM and shim.library() is None:
        pytest.skip("the shim between SQLite and the disk needs a C compiler")
    if name in NEED_OPENSSL and not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    row = catalogue.done(name, catalogue.FAULTS[name][1][0])
    assert row.lost == 0
    assert row.expected > 0
    assert row.work < MOST_WORK
    assert row.lag < MOST_LAG
