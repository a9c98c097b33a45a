"""`python -m tests.attack [--times N]`: every attack of the catalogue, N times, and the table of what was held."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from tests.attack.catalogue import ATTACKS, Attack

HEAD = ("promise", "attack", "tries", "held")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="how often each is done (3)")
    args = parser.parse_args()
    tried: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for _ in range(args.times):
        _once(tried, held)
    rows = [_row(attack, tried, held) for attack in ATTACKS]
    print("| " + " | ".join(HEAD) + " |\n|---|---|---:|---:|")
    for cells in rows:
        print("| " + " | ".join(map(str, cells)) + " |")
    return 0 if all(cells[2] == cells[3] > 0 for cells in rows) else 1


def _once(tried: Counter[str], held: Counter[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        names = [test for attack in ATTACKS for test in attack.tests]
        subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *names], stdout=sys.stderr)
        for case in ElementTree.parse(report).iter("testcase"):
            name = case.get("name", "").partition("[")[0]
            test = case.get("classname", "").replace(".", "/") + f".py::{name}"
            if case.find("skipped") is None:
                tried[test] += 1
                held[test] += case.find("failure") is None and case.find("error") is None


def _row(attack: Attack, tried: Counter[str], held: Counter[str]) -> tuple[str, str, int, int]:
    tries, good = (sum(count[test] for test in attack.tests) for count in (tried, held))
    return attack.promise, attack.attack, tries, good


if __name__ == "__main__":
    sys.exit(main())
