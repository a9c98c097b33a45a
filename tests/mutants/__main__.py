"""`python -m tests.mutants [--sample N] [--seed N] [PATH …]`: changes single things in the rules and asks the suite.

A mutant is one operator, number, condition or statement changed (cosmic-ray makes them). It is killed if one of the
tests that run through its line fails, and survives if all pass: then no test holds what that line says. Survivors are
printed with their change, and the exit code is 1. Everything happens in a copy of the tree. Needs the extra `mutants`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
MUTATED = ("rules", "devices")
SUITE = ("tests/rules", "tests/devices", "tests/audit", "tests/conformance/test_conformance.py")
TIMEOUT = 600.0
"""Seconds for the tests of one mutant; one that runs for ever is killed by them."""

NO_CHANGE = ("BinaryOperator_BitOr", "RemoveDecorator", "AddNot_Assert")
"""Changes that change nothing: `|` stands in annotations, and a struct without its decorator is another program."""


class Mutant(NamedTuple):
    """`diff` is its change."""

    path: str
    line: int
    function: str
    operator: str
    outcome: str
    diff: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders of rules and devices; all by default"
    )
    parser.add_argument("--sample", type=int, default=300, help="so many mutants, drawn by the seed (300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--function", help="only inside functions of this name")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pitwatch-mutants-"))
    try:
        copy = folder / "tree"
        shutil.copytree(
            ROOT,
            copy,
            symlinks=True,
            ignore=shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*cache"),
        )
        os.chdir(copy)
        mutants = list(_tried(args.paths or list(MUTATED), args.sample, args.seed, args.function))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    survivors = [mutant for mutant in mutants if mutant.outcome != "killed"]
    for mutant in survivors:
        print(f"\n{mutant.path}:{mutant.line} {mutant.function}: {mutant.operator}: {mutant.outcome}\n{mutant.diff}")
    print(
        f"\n{len(mutants)} mutants, seed {args.seed}: {len(mutants) - len(survivors)} killed, {len(survivors)} survived"
    )
    return 1 if survivors else 0


def _tried(paths: list[str], sample: int, seed: int, function: str | None) -> Iterator[Mutant]:
    from cosmic_ray.commands.init import init
    from cosmic_ray.modules import find_modules
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_db import use_db

    with use_db("session.sqlite") as db:
        init(sorted(find_modules([Path(path) for path in paths])), db, {})
        mutations = [item.mutations[0] for item in db.work_items]
    kept = [m for m in mutations if not any(word in m.operator_name for word in NO_CHANGE)]
    kept = [m for m in kept if function in (None, m.definition_name)]
    kept.sort(key=lambda m: (str(m.module_path), m.start_pos, m.operator_name, m.occurrence))
    drawn = random.Random(seed).sample(kept, min(sample, len(kept)))
    print(f"{len(kept)} mutants are possible, {len(drawn)} are tried", file=sys.stderr, flush=True)
    tests = _Coverage()
    for number, mutation in enumerate(drawn, 1):
        path, line = str(mutation.module_path), mutation.start_pos[0]
        through = tests.through(path, line, mutation.end_pos[0])
        if through:
            Path("chosen.txt").write_text("\n".join(through))
            command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider @chosen.txt"
            result = mutate_and_test([mutation], command, TIMEOUT)
            outcome, diff = str(result.test_outcome.value if result.test_outcome else "no test"), result.diff or ""
        else:
            outcome, diff = "no test runs through it", ""
        print(f"{number} {path}:{line} {mutation.operator_name}: {outcome}", file=sys.stderr, flush=True)
        yield Mutant(path, line, mutation.definition_name or "", mutation.operator_name, outcome, diff)


class _Coverage:
    """Which tests run through a line, by one run of the suite under coverage."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *SUITE]
        command += [*(f"--cov={name}" for name in MUTATED), "--cov-context=test", "--cov-report="]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"COVERAGE_CORE": "ctrace"})
        import coverage

        self._data = coverage.CoverageData(".coverage")
        self._data.read()
        self._contexts: dict[str, dict[int, list[str]]] = {}

    def through(self, path: str, first: int, last: int) -> list[str]:
        """Node ids of the tests that ran through these lines, in order of their names."""
        whole = str(Path(path).resolve())
        if whole not in self._contexts:
            self._contexts[whole] = self._data.contexts_by_lineno(whole)
        lines = self._contexts[whole]
        found = {context.partition("|")[0] for line in range(first, last + 1) for context in lines.get(line, ())}
        return sorted(found - {""})


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ModuleNotFoundError, sqlite3.Error) as error:
        sys.exit(f"{error}; make mutants installs what is needed")
