"""What is played for conformance: every game of every book at every bench table of its family, as the house may choose.

A case is one game at one table. What a rule needs the house to have chosen (`option.NAME:VALUE`) is chosen in a case of
its own where the options of the others do not watch that rule.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from pitwatch import sim_hw
from pitwatch.rules.book import books, games, load_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.game import CHOICE, Game, Rule, is_choice
from tests.sim_hw.tablerun import TABLES, BenchTable


@dataclass(frozen=True)
class Case:
    """`options`: what the house chose besides what the table's file says."""

    game: str
    table: str
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        chosen = ", ".join(f"{name} = {value}" for name, value in self.options)
        return f"{self.game} at {self.table}" + (f" with {chosen}" if chosen else "")

    @cached_property
    def bench(self) -> BenchTable:
        return BenchTable(self.table, self.game, dict(self.options))

    @cached_property
    def judged(self) -> frozenset[str]:
        """The rules that the table's devices can judge as the house chose."""
        return frozenset(sim_hw.judged(self.bench.game, self.bench.devices, self.bench.options))

    @cached_property
    def provokable(self) -> tuple[str, ...]:
        return self.bench.provokable()


def all_games() -> list[str]:
    """BOOK/GAME of everything that comes with Pitwatch."""
    return [f"{folder.name}/{game}" for folder in books() for game in games(folder)]


@cache
def tables_of(family: str) -> tuple[str, ...]:
    """The bench tables at which the games of a family are played."""
    return tuple(name for name, plays in _families() if plays == family)


@cache
def _families() -> tuple[tuple[str, str], ...]:
    found = []
    for path in sorted(TABLES.glob("*.toml"), key=lambda path: path.stem):
        try:
            found.append((path.stem, load_game(tomllib.loads(path.read_text())["table"]["game"]).family))
        except BookError as error:
            raise BookError(f"{path}: {error}") from None
    return tuple(found)


@cache
def cases(path: str) -> tuple[Case, ...]:
    """The cases of a game, those with the table's own options first."""
    game = load_game(path)
    found = [Case(path, table) for table in tables_of(game.family)]
    for rule in game.rules.values():
        options = _choice(game, rule)
        if options and found and not any(rule.id in case.judged for case in found):
            case = next((chosen for each in list(found) if rule.id in (chosen := _with(each, options)).judged), None)
            if case is not None:
                found.append(case)
    return tuple(found)


def _with(case: Case, options: dict[str, Any]) -> Case:
    return Case(case.game, case.table, tuple(sorted((dict(case.options) | options).items())))


def _choice(game: Game, rule: Rule) -> dict[str, Any]:
    """The options by which the house chose that a rule holds."""
    chosen = {}
    for need in rule.needs:
        if is_choice(need):
            name, _, value = need.split(" | ")[0].removeprefix(CHOICE).partition(":")
            if name in game.options:
                chosen[name] = next(each for each in game.options[name].values if str(each).lower() == value)
    return chosen
