"""The benchmark on the kernel runs and prints its figures. What they say is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernel.uml import machine

ROOT = Path(__file__).parents[2]


def test_figures_of_the_kernel() -> None:
    try:
        machine.kernel()
    except machine.NoKernelError as lacking:
        pytest.skip(str(lacking))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "kernel"],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = {figure["name"]: figure for figure in map(json.loads, done.stdout.splitlines())}
    assert list(figures) == [
        "kernel_edge_to_observation_median",
        "kernel_edge_to_observation_p99",
        "kernel_edge_rate_without_loss",
    ]
    assert all(figure["value"] > 0 for figure in figures.values())
    assert figures["kernel_edge_to_observation_median"]["value"] <= figures["kernel_edge_to_observation_p99"]["value"]
