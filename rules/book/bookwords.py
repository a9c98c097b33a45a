"""The names that rule books use: which figures, options, tables and rules mean something to a family, learnt from the
books that come with Pitwatch. A name that none of them uses is a mistake, or something that nothing would read.

That devices judge each rule of those books is what the conformance run shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pitwatch.rules.book.book import BOOKS, books, games, read_book, read_game
from pitwatch.rules.engine.registry import watched_rules
from pitwatch.rules.game import Game
from pitwatch.rules.text.did_you_mean import did_you_mean

KINDS = ("figures", "options", "tables")

Names = dict[str, set[type]]
"""Name to the types its values have; of options and tables the types do not matter."""


@cache
def names(kind: str, family: str) -> Names:
    """The names of a kind that the games of a family use, and those that several families share."""
    families: dict[str, Names] = {}
    for game in _games():
        for name, value in getattr(game, kind).items():
            types = families.setdefault(game.family, {}).setdefault(name, set())
            if kind == "figures":
                types.add(type(value.value))
    own = families.get(family, {})
    found = {name: set(types) for name, types in own.items()}
    for name in {name for known in families.values() for name in known}:
        using = [known[name] for known in families.values() if name in known]
        if len(using) > 1:
            found[name] = set().union(*using)
    return found


@cache
def rules(family: str) -> frozenset[str]:
    """The rules that devices judge in games of a family; of every family where it is ""."""
    own = (game for game in _games() if family in ("", game.family))
    return frozenset(
        (*watched_rules(), *(rule.id for game in own for rule in game.rules.values() if not rule.only_a_person_sees))
    )


@cache
def _games() -> tuple[Game, ...]:
    """Those of the books that are no edition of another, which would use the same names."""
    return tuple(
        read_game(folder, game) for folder in books() if not read_book(folder).edition_of for game in games(folder)
    )


def unknown(kind: str, family: str, name: str) -> str | None:
    """What is wrong with a name, and the one that may have been meant; None if the family knows it."""
    known = names(kind, family)
    if name in known:
        return None
    hint = did_you_mean(name, known, "known: " + (", ".join(sorted(known)) or "none"))
    return f"nothing in {family} reads {kind}.{name}; {hint}"


def unknown_rule(family: str, rule: str, tables: Any = None) -> str | None:
    """What is wrong with the id of a rule that devices are to judge in a game of the family (of any, where it is ""),
    and the one that may have been meant; None if something judges it. A game's own tables may name rules too."""
    if rule in watched_rules() or rule in _texts(tables):
        return None
    known = rules(family)
    if rule in known:
        return None
    hint = did_you_mean(rule, known, 'with needs = ["person"] people can report it')
    return f"no rule of {family or 'any game'} is called {rule!r}, so no device judges it; {hint}"


def unknown_rules(game: Game) -> dict[str, str]:
    """Rules of the game that its devices are to judge and nothing does, with what is wrong."""
    if _comes_with_pitwatch(game):
        return {}  # spares reading all books
    asked = {
        each.id: unknown_rule(game.family, each.id, game.tables)
        for each in game.rules.values()
        if not each.only_a_person_sees
    }
    return {rule: says for rule, says in asked.items() if says}


def _comes_with_pitwatch(game: Game) -> bool:
    folder = BOOKS / game.book
    return folder in books() and game.id in games(folder) and game == read_game(folder, game.id)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a table."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
