"""`make conformance`: every game of every book in full size on all cores; prints the matrix game x rule, then what is
wrong. Writes nothing else; exits 1 if anything is wrong."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.conformance import catalogue, matrix
from tests.conformance.cases import all_games
from tests.conformance.exempt import NOT_PROVOKED, ONLY_A_PERSON, exemption
from tests.conformance.run import FULL, QUICK, Outcome, Size, conform, gaps


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("games", metavar="TEXT", nargs="*", help="only games with one of these in BOOK/GAME")
    parser.add_argument("--quick", action="store_true", help="the size that the test suite plays")
    args = parser.parse_args()
    chosen = [game for game in all_games() if not args.games or any(text in game for text in args.games)]
    began = time.monotonic()
    outcomes = _play(chosen, QUICK if args.quick else FULL)
    print("\n".join(matrix.lines(outcomes)))
    print("\n".join(["", *_reasons(chosen)]))
    wrong = [each for outcome in outcomes for each in outcome.wrong] + _catalogue()
    print("\n".join(["", *wrong, *([""] if wrong else []), _total(outcomes, len(wrong), time.monotonic() - began)]))
    return 1 if wrong else 0


def _play(games: list[str], size: Size) -> list[Outcome]:
    with ProcessPoolExecutor() as pool:
        running = {pool.submit(conform, game, size): game for game in games}
        outcomes = {}
        for number, done in enumerate(as_completed(running), start=1):
            outcome = outcomes[running[done]] = done.result()
            said = "" if not outcome.wrong else f", {len(outcome.wrong)} wrong"
            print(f"{number}/{len(games)} {outcome.game}{said}", file=sys.stderr, flush=True)
    return [outcomes[game] for game in games]


def _reasons(games: list[str]) -> list[str]:
    """Why what is not provoked cannot be, for what was played."""
    found = {exemption(NOT_PROVOKED, where, rule): None for game in games for where, rule in gaps(game, excused=True)}
    return ["not provoked, with reason"] + [f"  {e.rule} ({e.where}): {e.reason}" for e in found if e is not None]


def _catalogue() -> list[str]:
    if not catalogue.there():
        print(f"\n{catalogue.ABSENT}: whether every irregularity is in a book is not checked", file=sys.stderr)
        return []
    return [*catalogue.unwritten(), *catalogue.unexplained(ONLY_A_PERSON)]


def _total(outcomes: list[Outcome], wrong: int, seconds: float) -> str:
    rounds = sum(outcome.clean for outcome in outcomes)
    broken = sum(sum(outcome.broken.values()) for outcome in outcomes)
    said = "nothing is wrong" if not wrong else f"{wrong} wrong"
    return f"{len(outcomes)} games, {rounds} clean rounds, {broken} faults in {seconds:.0f} s: {said}."


if __name__ == "__main__":
    sys.exit(main())
