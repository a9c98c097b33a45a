"""The matrix game x rule as text: a block a family, a line a rule, a column a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pitwatch.rules.book import load_game
from tests.conformance.run import Outcome

LEGEND = (
    "a number: so often broken by a simulated dealer, each time with its own verdict and no other; "
    "p: only a person sees it, and reporting it brings its remedy; "
    "-: devices could judge it, not provoked; blank: not in this game's book"
)
COLUMN = 4


def lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The whole matrix."""
    families: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        families.setdefault(load_game(outcome.game).family, []).append(outcome)
    yield LEGEND
    for family, games in sorted(families.items()):
        yield ""
        yield from _block(family, games)


def _block(family: str, games: list[Outcome]) -> Iterator[str]:
    yield family
    for number, outcome in enumerate(games, start=1):
        yield f"  {number:>3} {outcome.game}, {outcome.clean} clean rounds"
    rules = sorted({rule for outcome in games for rule in load_game(outcome.game).rules})
    width = max(map(len, rules), default=0) + 2
    yield " " * width + "".join(f"{number:>{COLUMN}}" for number in range(1, len(games) + 1))
    for rule in rules:
        yield f"{rule:<{width}}" + "".join(f"{_cell(outcome, rule):>{COLUMN}}" for outcome in games).rstrip()


def _cell(outcome: Outcome, rule: str) -> str:
    written = load_game(outcome.game).rules.get(rule)
    if written is None:
        return ""
    if outcome.broken[rule]:
        return str(outcome.broken[rule])
    return "p" if written.only_a_person_sees else "-"
