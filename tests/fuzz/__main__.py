"""`make fuzz`: every target until it has had ten million inputs or an hour; prints a line each. Exits 1 on a find.

python -m tests.fuzz [TARGET …] [--inputs N] [--seconds S] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.targets import PROJECT, TARGETS


def main() -> int:
    args = arguments(sys.argv[1:])
    print("| target | inputs | seconds | inputs a second | found |\n|---|---:|---:|---:|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="pitwatch-fuzz-") as scratch:
        found = [_fuzz(name, Path(args.keep or scratch) / name, args.inputs, args.seconds) for name in args.targets]
    return 1 if any(found) else 0


def arguments(given: list[str]) -> argparse.Namespace:
    """What the command line asks for; `targets` are all of them if it names none."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="all of them unless named")
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, default=3_600)
    parser.add_argument("--keep", metavar="FOLDER", help="where the inputs that reached something new are kept")
    args = parser.parse_args(given)
    args.targets = args.targets or list(TARGETS)
    for name in args.targets:
        if name not in TARGETS:
            parser.error(f"no target {name!r}; there are {', '.join(TARGETS)}")
    return args


def _fuzz(name: str, corpus: Path, inputs: int, seconds: int) -> bool:
    began = time.monotonic()
    limits = [f"-runs={inputs}", f"-max_total_time={seconds}", "-seed=1", "-verbosity=1", "-print_final_stats=1"]
    corpus.mkdir(parents=True, exist_ok=True)
    crash = f"-artifact_prefix={corpus.parent}/{name}-"
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.guided", name, str(corpus), *limits, crash],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        errors="replace",
    )
    took = time.monotonic() - began
    said = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stdout + done.stderr)
    count = int(said[1]) if said else 0
    what = "nothing" if done.returncode == 0 else f"exit {done.returncode}"
    print(f"| {name} | {count:,} | {took:.0f} | {count / took:,.0f} | {what} |", flush=True)
    if done.returncode:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr, flush=True)
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
