"""What it costs to load a table's game: processor time and memory of a process that has one game ready to be played.

The baseline is the dearest of the five games that there were first; beside it stands the dearest of all others, so
that a book or a family that makes every table pay for it shows.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from benchmarks.figure import Figure, median
from benchmarks.table import ROOT
from pitwatch.rules.book import books, games

FIRST = (
    "toledo-2020/roulette", "toledo-2020/craps", "toledo-2020/mini-midi-baccarat", "toledo-2020/three-card-poker",
    "toledo-2020/blackjack",
)  # fmt: skip

BASELINE = "the dearest of the first five games"

LOAD = """\
import sys, time
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.table import TableFacts
engine = Engine(load_game(sys.argv[1]), TableFacts())
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
print(time.process_time(), resident.split()[1])
"""


def _load(game: str) -> tuple[float, float]:
    """Processor time in ms, the interpreter's start included, and resident memory in MiB."""
    answer = subprocess.run([sys.executable, "-c", LOAD, game], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, kib = answer.stdout.split()
    return float(seconds) * 1e3, int(kib) / 1024


def _medians(names: Sequence[str], runs: int) -> tuple[list[float], list[float]]:
    """Of each game, so many times in turn."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for _ in range(runs):
        for name in names:
            found[name].append(_load(name))
    columns = [[median(values) for values in zip(*each, strict=True)] for each in found.values()]
    return [time for time, _ in columns], [memory for _, memory in columns]


def figures(runs: int, others: int | None = None) -> list[Figure]:
    """Medians of so many loads of each game; `others`: how many of the other games, default all."""
    rest = [name for folder in books() for game in games(folder) if (name := f"{folder.name}/{game}") not in FIRST]
    chosen = rest if others is None else rest[:: max(1, len(rest) // others)]
    times, memory = _medians([*FIRST, *chosen], runs)
    first, other = slice(len(FIRST)), slice(len(FIRST), None)
    return [
        Figure("load_game_dearest_time", max(times[other]), "ms", BASELINE, max(times[first])),
        Figure("load_game_median_time", median(times[other]), "ms", "median of the first five", median(times[first])),
        Figure("load_game_dearest_memory", max(memory[other]), "MiB", BASELINE, max(memory[first])),
        Figure(
            "load_game_median_memory", median(memory[other]), "MiB", "median of the first five", median(memory[first])
        ),
    ]
