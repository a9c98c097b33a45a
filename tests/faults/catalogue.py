"""All faults of the harness by name, with their doses. For tests only."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.faults import disk, network, retention, virtual, wires
from tests.faults.row import Row

Fault = Callable[[Path, int], Row]

FAULTS: dict[str, tuple[Fault, tuple[int, int]]] = {
    fault.__name__: (fault, doses)
    for part in (network, disk, retention, wires, virtual)
    for fault, doses in part.FAULTS.items()
}
"""Name to the fault and how often it is done: in `make test`, in `make faults`."""


def done(name: str, times: int) -> Row:
    """Do one fault so many times, in a folder of its own on a disk, which is left there if it fails. Raises
    AssertionError that names the folder."""
    folder = Path(tempfile.mkdtemp(prefix=f"pitwatch-{name}-", dir="/var/tmp"))
    try:
        row = FAULTS[name][0](folder, times)
    except Exception as error:
        raise AssertionError(f"{_where(error)}; what there was is in {folder}") from error
    shutil.rmtree(folder, ignore_errors=True)
    return row


def _where(error: Exception) -> str:
    """What failed, and on which line of the harness."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((f for f in reversed(frames) if "/tests/faults/" in f.filename), frames[-1])
    told = " ".join(str(error).split()) or place.line or ""
    told = told if len(told) < 400 else f"{told[:100]} … {told[-300:]}"
    return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {told}"
