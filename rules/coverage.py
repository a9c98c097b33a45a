"""What a table can judge of its book: which rules its devices see, which need what more, which only a person sees."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.game import PERSON, Game, Rule, chosen, is_choice
from rules.table import TableFacts


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """One rule at one table. `by`: the devices that judge it; `missing`: needs that no device of it serves."""

    rule: Rule
    by: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def judged(self) -> bool:
        return not self.missing

    @property
    def only_a_person(self) -> bool:
        return self.rule.only_a_person_sees


def cover(game: Game, table: TableFacts) -> list[Covered]:
    """Every rule of the game in the book's order."""
    options = game.settle_options(table.options)
    return [_cover(rule, table, options) for rule in game.rules.values()]


def _cover(rule: Rule, table: TableFacts, options: dict[str, Any]) -> Covered:
    by: list[str] = []
    missing: list[str] = []
    for need in rule.needs:
        if is_choice(need) and chosen(need, options):
            continue
        able = [] if need == PERSON else [d.id for each in need.split(" | ") for d in table.provides(each)]
        by += able
        if not able:
            missing.append(need)
    return Covered(rule=rule, by=tuple(dict.fromkeys(by)), missing=tuple(missing))
