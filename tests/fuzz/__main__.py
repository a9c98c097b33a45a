"""`make fuzz`: every target until it has had ten million inputs or an hour; prints a line each. Exits 1 on a find.

A tenth of the inputs, or of the time, is bred by the branches that they reach (guided); the rest is mutated from what
that kept, without being traced, and so many times as fast (blind).

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

from tests.fuzz.target import PROJECT
from tests.fuzz.targets import TARGETS


def main() -> int:
    args = arguments(sys.argv[1:])
    print("| target | inputs | guided | seconds | inputs a second | found |\n|---|---:|---:|---:|---:|---|", flush=True)
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
    corpus.mkdir(parents=True, exist_ok=True)
    guided, what = _guided(name, corpus, inputs // 10, max(1, seconds // 10))
    blind = 0
    if not what:
        left = seconds - (time.monotonic() - began)
        blind, what = _blind(name, corpus, inputs - guided, left)
    took = time.monotonic() - began
    count = guided + blind
    print(f"| {name} | {count:,} | {guided:,} | {took:.0f} | {count / took:,.0f} | {what or 'nothing'} |", flush=True)
    return bool(what)


def _guided(name: str, corpus: Path, inputs: int, seconds: int) -> tuple[int, str]:
    """How many inputs there were, and how it ended if that was a find."""
    limits = [f"-runs={inputs}", f"-max_total_time={seconds}", "-seed=1", "-verbosity=1", "-print_final_stats=1"]
    crash = f"-artifact_prefix={corpus.parent}/{name}-"
    said, what = _run("tests.fuzz.guided", name, str(corpus), *limits, crash)
    count = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
    return int(count[1]) if count else 0, what


def _blind(name: str, corpus: Path, inputs: int, seconds: float) -> tuple[int, str]:
    said, what = _run("tests.fuzz.blind", name, str(corpus), str(inputs), str(seconds))
    count = re.search(r"^(\d+)$", said, re.MULTILINE)
    return int(count[1]) if count else 0, what


def _run(module: str, *arguments: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=PROJECT, capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr, flush=True)
    what = f"{module.rpartition('.')[2]}: exit {done.returncode}" if done.returncode else ""
    return done.stdout + done.stderr, what


if __name__ == "__main__":
    sys.exit(main())
