"""Which class follows a game's family, and which watchers run beside it: each module says so itself, on one line.

A module in `games/`: `FAMILIES = {"family": "Class"}`.
A module in `watchers/`: `WATCHER = {"turn": 10, "class": "Class"}`, and `RULES`, ids of the rules it judges by name.
What is not needed is not imported.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from pitwatch.devices.declared import declared
from pitwatch.rules import games, watchers
from pitwatch.rules.desk.part import Part


@cache
def families() -> dict[str, str]:
    """Game family to "module:Class", by name. Raises ValueError if two modules declare one family."""
    found: dict[str, str] = {}
    for module, classes in declared(games, "FAMILIES").items():
        for family, name in classes.items():
            if family in found:
                raise ValueError(f"{module}: FAMILIES: {family} is that of {found[family]}")
            found[family] = f"{module}:{name}"
    return dict(sorted(found.items()))


@cache
def watching() -> tuple[str, ...]:
    """Every watcher as "module:Class", in the order of their turns: an observation goes to the first one first. Raises
    ValueError if two have the same turn, for then their order would be chance."""
    turns: dict[int, str] = {}
    for module, watcher in declared(watchers, "WATCHER").items():
        turn = watcher["turn"]
        if turn in turns:
            raise ValueError(f"{module}: WATCHER: turn {turn} is that of {turns[turn]}")
        turns[turn] = f"{module}:{watcher['class']}"
    return tuple(turns[turn] for turn in sorted(turns))


@cache
def watched_rules() -> frozenset[str]:
    """The rules that watchers judge by name; those on a jackpot's hands a book names in its tables."""
    modules = [import_module(path.partition(":")[0]) for path in watching()]
    return frozenset(rule for module in modules for rule in module.RULES)


def class_of(path: str) -> type[Part]:
    """The class at "module:Class", imported."""
    module, _, name = path.partition(":")
    found: Any = getattr(import_module(module), name)
    part: type[Part] = found
    return part
