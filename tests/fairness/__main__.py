"""`python -m tests.fairness`: a larger dose of what the suite plays. Even equipment must stay silent, and the median of
each bias must be within twice the figure of docs/fairness.md. Prints a line for each; exit code 1 if one is not so."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from pitwatch.daemon.captures.capture import Line
from tests.fairness import wires
from tests.fairness.wires import DICE, WHEEL, Heard, dice, loaded, places, raised, rolls, spins

Capture = Callable[[int, int], Iterable[Line]]


def _wheel(weights: list[float]) -> Capture:
    return lambda seed, many: spins(places(seed, many, weights))


def _dice(one: list[float], other: list[float]) -> Capture:
    return lambda seed, many: rolls(dice(seed, many, one, other))


BIASES: list[tuple[str, str, str, int, Capture]] = [
    ("tilted rotor", WHEEL, "wheel-bias-suspected", 7400, _wheel(wires.tilted())),
    ("worn fret", WHEEL, "wheel-bias-suspected", 11700, _wheel(wires.worn_fret())),
    ("six pockets +30 %", WHEEL, "wheel-bias-suspected", 2400, _wheel(raised(6, 0.3))),
    ("signature", WHEEL, "signature-suspected", 3600, lambda seed, many: spins(wires.signature(seed, many))),
    ("both dice 1 in 5", DICE, "dice-bias-suspected", 2150, _dice(loaded(1 / 5), loaded(1 / 5))),
    ("both dice 1 in 4", DICE, "dice-bias-suspected", 400, _dice(loaded(1 / 4), loaded(1 / 4))),
    ("a slid die", DICE, "dice-bias-suspected", 21, _dice(wires.ALWAYS_SIX, wires.EVEN_DIE)),
]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fairness", description=__doc__)
    parser.add_argument("--seeds", type=int, default=15, help="streams of each bias (15)")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="even spins, and even rolls (1,000,000)")
    args = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, table, capture in (
            ("even wheel", WHEEL, _wheel(wires.even())),
            ("even dice", DICE, _dice(wires.EVEN_DIE, wires.EVEN_DIE)),
        ):
            heard = Heard(folder, table, capture(77, args.rounds))
            wrong += bool(heard.found)
            print(f"{what}: {heard.rounds:,} rounds, suspected {[found[1] for found in heard.found]}", flush=True)
        for what, table, rule, usual, capture in BIASES:
            found = median(Heard(folder, table, capture(seed, 4 * usual)).first(rule) for seed in range(args.seeds))
            wrong += found > 2 * usual
            print(f"{what}: found after {found:,.0f} rounds (median), usual {usual:,}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
