"""`python -m tests.cluster [KIND …] [--seconds N] [--tables N]`: a node killed and revived every ten seconds while
tables publish; prints a row for each kind of cluster."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks.brokers import KINDS, kinds
from benchmarks.floor_tables import GAMES
from tests.cluster.run import outcome

COLUMNS = (
    "| cluster | kills | published | lost | out of order at arrival | longest silence | longest way | connections |"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="rabbitmq (default) or nats")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--pace", type=float, default=10.0)
    args = parser.parse_args()
    print(f"{COLUMNS}\n|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    bad = False
    for kind in args.kinds or ["rabbitmq"]:
        if kind not in kinds():
            print(f"{kind} is not installed", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, KINDS[kind](Path(folder)) as cluster:
            came = asyncio.run(outcome(cluster, args.tables, args.pace, args.seconds, 10.0, GAMES))
        print(
            f"| {cluster.name} | {came.kills} | {came.published} | {len(came.lost)} | {came.disorder} "
            f"| {came.silence:.1f} s | {came.latest:.1f} s | {came.connections} |",
            flush=True,
        )
        if came.lost or came.strange or came.twice or came.unordered:
            print(came, file=sys.stderr)
            bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
