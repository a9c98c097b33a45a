"""From the edge on a line of a real kernel to the observation, beside gpiozero's callback on the same line.

The kernel is the tests' user-mode Linux, on one processor that the wires' mover shares: figures are for comparison, not
those of a board. `kernel_edges` measures inside it.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from typing import BinaryIO, cast

from benchmarks.figure import Figure, say
from benchmarks.table import ROOT
from tests.kernel.uml import machine

NAMES = ("kernel_edge_to_observation_median", "kernel_edge_to_observation_p99", "kernel_edge_rate_without_loss")


def figures(trials: int, edges: int, turns: int) -> list[Figure]:
    """trials: edges timed of each; edges: in a burst that must arrive whole. Without a kernel the values are null."""
    out, err = BytesIO(), BytesIO()
    command = [sys.executable, "-m", "benchmarks.kernel_edges", str(trials), str(edges), str(turns)]
    try:
        status = machine.run(command, pi4=True, out=cast(BinaryIO, out), err=cast(BinaryIO, err), seconds=600)
    except machine.NoKernelError as lacking:
        say(f"kernel: no figures: {lacking}")
        return [Figure(name, None, "edges/s" if "rate" in name else "ms", "gpiozero", None) for name in NAMES]
    say(err.getvalue().decode().rstrip())
    if status:
        raise RuntimeError(f"{' '.join(command)}: exit status {status} in {ROOT}")
    return [Figure(**json.loads(line)) for line in out.getvalue().splitlines()]
