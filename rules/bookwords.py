"""The names that rule books use: which figures, options and tables mean something to a family, learnt from the books
that come with Pitwatch. A name that none of them uses is a slip of the pen, or something that nothing would read.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from rules.book import books, games

KINDS = ("figures", "options", "tables")

Names = dict[str, set[type]]
"""Name to the types its values have; of options and tables the types do not matter."""


@cache
def names(kind: str, family: str) -> Names:
    """The names of a kind that the games of a family use, and those that several families share."""
    families: dict[str, Names] = {}
    for game in _games():
        for name, value in game.get(kind, {}).items():
            types = families.setdefault(game["family"], {}).setdefault(name, set())
            if kind == "figures":
                types.add(type(value["value"]))
    own = families.get(family, {})
    found = {name: set(types) for name, types in own.items()}
    for name in {name for known in families.values() for name in known}:
        using = [known[name] for known in families.values() if name in known]
        if len(using) > 1:
            found[name] = set().union(*using)
    return found


@cache
def _games() -> tuple[dict[str, Any], ...]:
    return tuple(_read())


def _read() -> Iterator[dict[str, Any]]:
    for folder in books():
        for game in games(folder):
            path = folder / f"{game}.toml"
            if path.is_file():
                found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
                if "family" in found:  # an edition's differences have none
                    yield found


def unknown(kind: str, family: str, name: str) -> str | None:
    """What is wrong with a name, and the one that may have been meant; None if the family knows it."""
    known = names(kind, family)
    if name in known:
        return None
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + (", ".join(sorted(known)) or "none")
    return f"nothing in {family} reads {kind}.{name}; {hint}"
