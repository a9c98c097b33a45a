"""Identifies the current start of the board."""

from __future__ import annotations

import os
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
BOARD_BOOT = "BOARD_BOOT"
"""Where the unit hands the same over: its `ProcSubset=pid` hides the file."""


def board_boot() -> str:
    """The kernel's name for this start of the board; "" where it has none."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return os.environ.get(BOARD_BOOT, "")
