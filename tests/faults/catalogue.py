"""All faults of the harness by name, with their doses. For tests only."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.faults import disk, network, virtual, wires
from tests.faults.row import Row

Fault = Callable[[Path, int], Row]

FAULTS: dict[str, tuple[Fault, tuple[int, int]]] = {
    fault.__name__: (fault, doses) for part in (network, disk, wires, virtual) for fault, doses in part.FAULTS.items()
}
"""Name to the fault and how often it is done: in `make test`, in `make faults`."""


def done(name: str, times: int) -> Row:
    """Do one fault so many times, in a folder of its own on a disk. Raises AssertionError."""
    folder = Path(tempfile.mkdtemp(prefix=f"pitwatch-{name}-", dir="/var/tmp"))
    try:
        return FAULTS[name][0](folder, times)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
