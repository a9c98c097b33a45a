"""The systemd unit: hardened, and with nothing that systemd does not know."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[2] / "systemd" / "pitwatch@.service"

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def test_the_unit_s_exposure_is_small() -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", str(UNIT)], capture_output=True, text=True, check=True
    )
    found = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found
    assert float(found[1]) <= 1.0  # docs/access.md says what the rest is
    assert "ignoring" not in done.stderr


def test_the_unit_waits_for_ready_and_feeds_a_watchdog() -> None:
    text = UNIT.read_text()
    for line in ("Type=notify", "WatchdogSec=20", "Restart=always", "User=pitwatch", "StartLimitIntervalSec=0"):
        assert line in text.splitlines()
