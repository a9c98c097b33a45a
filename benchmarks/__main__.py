"""`python -m benchmarks`: every figure as one JSON line on standard output, remarks on standard error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from benchmarks import (
    archive,
    archive_size,
    fairness,
    floor,
    floor_watch,
    games,
    kernel,
    latency,
    monitored,
    node,
    replay,
    running,
    tree,
    witnessed,
)
from benchmarks.figure import Figure, say

Group = Callable[[bool], list[Figure]]

GROUPS: dict[str, Group] = {
    "latency": lambda quick: latency.figures(trials=10 if quick else 500, install=not quick),
    "replay": lambda quick: replay.figures(*(50, 5_000, 1) if quick else (1_000, 200_000, 5)),
    "kernel": lambda quick: kernel.figures(*(20, 300, 1) if quick else (500, 2_000, 2)),
    "node": lambda quick: node.figures(*(300, 50) if quick else (8_000, 1_000)),
    "running": lambda quick: running.figures(*(1, 20) if quick else (7, 1_000)),
    "floor": lambda quick: floor.figures(*(4, 1.5, ("mosquitto",)) if quick else (300, 20.0)),
    "watch": lambda quick: floor_watch.figures(*(4, 2.0, (10.0,)) if quick else (300, 90.0, (1.0, 10.0))),
    "archive": lambda quick: [
        *archive.figures(*(1_000, 1) if quick else (50_000, 5)),
        *archive_size.figures(*(20, 3) if quick else (1_000,)),
    ],
    "tree": lambda quick: tree.figures(*(600, 3_000, 1) if quick else (10_000, 500_000, 5)),
    "witness": lambda quick: witnessed.figures(10 if quick else 1_500),
    "monitors": lambda quick: monitored.figures(10 if quick else 1_000),
    "fairness": lambda quick: fairness.figures(*(1, 20) if quick else (5, 2_000)),
    "games": lambda quick: games.figures(*(1, 5) if quick else (5, None)),
}
"""What is measured; called with whether a rough figure is enough."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", metavar="GROUP", nargs="*", help=f"{', '.join(GROUPS)}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that all of it works, no more")
    args = parser.parse_args(argv)
    unknown = [name for name in args.groups if name not in GROUPS]
    if unknown:
        say(f"{unknown[0]}: no such group of figures; there are: {', '.join(GROUPS)}")
        return 2
    for name in args.groups or GROUPS:
        say(f"{name} …")
        for figure in GROUPS[name](args.quick):
            print(figure.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
