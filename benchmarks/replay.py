"""How many lines of a capture `pitwatch replay` judges in a second of one processor, beside a bare JSON parser.

The whole command counts, from the start of its process to its end; processor time, because that is what one core has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import captures
from benchmarks.figure import Figure, median
from benchmarks.table import ROOT, scratch

BASELINE = "json.loads of every line, same file"
PARSE = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"


def processor_seconds(command: Sequence[str]) -> float:
    """User and system time of a command, held to one processor. Raises CalledProcessError."""
    core = min(os.sched_getaffinity(0))
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {core})
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime


def _figure(name: str, table: str, capture: Path, lines: int, runs: int) -> Figure:
    replayed, parsed = [], []
    for run in range(runs + 1):
        ours = processor_seconds(captures.replay_command(capture, table))
        bare = processor_seconds([sys.executable, "-c", PARSE, str(capture)])
        if run:  # the first only warms up
            replayed.append(lines / ours)
            parsed.append(lines / bare)
    return Figure(name, median(replayed), "lines/s", BASELINE, median(parsed))


def figures(rounds: int, lines: int, runs: int) -> list[Figure]:
    """Median of so many runs over wire lines of `rounds` rounds of roulette, and over at least `lines` observations."""
    with scratch() as folder:
        wire, observations = folder / "wire.jsonl", folder / "observations.jsonl"
        found = []
        for table in ("roulette", "blackjack"):
            count = captures.write_wire(table, rounds, wire)
            found.append(_figure(f"replay_wire_lines_{table}", table, wire, count, runs))
            count = captures.write_observations(table, wire, lines, observations)
            found.append(_figure(f"replay_observations_{table}", table, observations, count, runs))
        return found
