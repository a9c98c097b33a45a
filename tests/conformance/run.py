"""The conformance run of one game: clean rounds at each of its tables, each rule broken wherever it can be; holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pitwatch.rules.book import load_game
from tests.conformance import play
from tests.conformance.cases import cases
from tests.conformance.exempt import NOT_PLAYED, NOT_PROVOKED, exemption

AT_ONCE = 1000
"""Clean rounds in one go; more are played in several, each with its own seed."""


@dataclass(frozen=True)
class Size:
    """`clean`: rounds without a fault for each game, shared by its tables; `seeds`: how often each rule is broken at
    each table."""

    clean: int
    seeds: int


QUICK = Size(clean=200, seeds=1)
FULL = Size(clean=5000, seeds=20)


@dataclass
class Outcome:
    """What came of one game. `broken`: how often each rule was broken and gave its own verdict; `reported`: rules that
    a person can report; `wrong`: what went wrong or is missing, one line each."""

    game: str
    clean: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    reported: tuple[str, ...] = ()
    wrong: list[str] = field(default_factory=list)


def conform(path: str, size: Size) -> Outcome:
    """Play one game and say what came of it."""
    outcome = Outcome(path)
    game = load_game(path)
    outcome.reported = tuple(game.rules)
    outcome.wrong += play.reported(game)
    outcome.wrong += holes(path)
    done: set[tuple[str, str]] = set()
    played = cases(path)
    for case in played:
        for rounds, seed in _portions(-(-size.clean // len(played))):
            outcome.wrong += play.clean(case, rounds, seed)
            outcome.clean += rounds
        for rule in case.provokable:
            if (case.table, rule) in done:
                continue
            done.add((case.table, rule))
            for seed in range(1, size.seeds + 1):
                wrong = play.fault(case, rule, seed)
                outcome.wrong += wrong
                outcome.broken[rule] += not wrong
    return outcome


def _portions(rounds: int) -> Iterator[tuple[int, int]]:
    """Rounds and seed, one after another."""
    for seed, start in enumerate(range(0, rounds, AT_ONCE), start=1):
        yield min(AT_ONCE, rounds - start), seed


def holes(path: str) -> list[str]:
    """Rules of the game that devices can judge and nobody breaks, without a reason."""
    found = [f"{where}: {rule} is judged, but no simulated dealer breaks it" for where, rule in gaps(path)]
    if not cases(path):
        family = load_game(path).family
        if family in NOT_PLAYED:
            return []
        found.append(f"{path}: there is no bench table of family {family!r} in sim_hw/tables")
    return found


def gaps(path: str, excused: bool = False) -> list[tuple[str, str]]:
    """Where (BOOK/GAME at TABLE, or BOOK/GAME) which rule is not broken; `excused`: also where there is a reason."""
    found = dict.fromkeys(_not_broken(path))  # each once, whatever the house chose
    return [each for each in found if excused or exemption(NOT_PROVOKED, *each) is None]


def _not_broken(path: str) -> Iterator[tuple[str, str]]:
    judged: set[str] = set()
    for case in cases(path):
        judged |= case.judged
        for rule in sorted(case.judged - set(case.provokable)):
            yield f"{case.game} at {case.table}", rule
    for rule in load_game(path).rules.values():
        if rule.id not in judged and not rule.only_a_person_sees:
            yield path, rule.id
