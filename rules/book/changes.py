"""What differs between two versions of a rule book, game by game: what is judged, by what figure, with what remedy.

Compares what a table runs with (a game with all it inherits), so a change in `general.toml` shows at every game it
reaches. Reads no file and knows no way of showing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from pitwatch.rules.game import Game

WORDING = ("says", "lines", "section", "catalogue", "instruction")
"""Fields that change no verdict: wording for people, and citations."""


class Change(NamedTuple):
    """`what`: "rule", "figure", "option", "table" or "game", with its `name`; `field` is "" where the whole came or
    went, which `old` or `new` being None tells. `verdict`: whether play may be judged otherwise by it."""

    game: str
    what: str
    name: str
    field: str
    old: Any
    new: Any
    verdict: bool


def changes(old: Mapping[str, Game], new: Mapping[str, Game]) -> list[Change]:
    """All changes, by game id; both map a game's id to the game."""
    found = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            there = (name in old or None, name in new or None)
            found.append(Change(name, "game", name, "", *there, True))
        else:
            found += _of_game(name, old[name], new[name])
    return found


def _of_game(name: str, old: Game, new: Game) -> Iterator[Change]:
    if old.family != new.family:
        yield Change(name, "game", name, "family", old.family, new.family, True)
    for what in ("rules", "figures", "options"):
        yield from _of_parts(name, what.removesuffix("s"), getattr(old, what), getattr(new, what))
    for table in sorted(old.tables.keys() | new.tables.keys()):
        was, now = old.tables.get(table), new.tables.get(table)
        if was != now:
            yield Change(name, "table", table, "", was, now, True)


def _of_parts(game: str, what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was is None or now is None:
            yield Change(game, what, name, "", _whole(was), _whole(now), True)
            continue
        for field in was.__struct_fields__:
            before, after = getattr(was, field), getattr(now, field)
            if before != after:
                yield Change(game, what, name, field, before, after, field not in WORDING)


def _whole(part: Any) -> Any:
    return None if part is None else msgspec.to_builtins(part)
