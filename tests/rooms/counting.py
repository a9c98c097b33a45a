"""Imports between the rooms of a package, counted in the graph that import-linter goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import grimp


def rooms(layers: Sequence[str]) -> list[str]:
    """The rooms of import-linter's layers, the highest first."""
    return [room.strip() for layer in layers for room in layer.split("|")]


def counted(package: str) -> Counter[tuple[str, str]]:
    """How many modules of one room import a module of another, by the two rooms; each pair of modules counts once."""
    graph = grimp.build_graph(package.partition(".")[0], cache_dir=None)
    found: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            here, there = _room(package, module), _room(package, other)
            if here and there and here != there:
                found[here, there] += 1
    return found


def matrix(package: str, named: Sequence[str]) -> list[str]:
    """A line a room: what it imports of each room, by the number of that room's line. Raises ValueError for a room that
    is not named."""
    count = counted(package)
    if unknown := {room for pair in count for room in pair} - {*named}:
        raise ValueError(f"{package}: {', '.join(sorted(unknown))}: no such room in import-linter's layers")
    wide = max(len(room) for room in named)
    lines = [" " * (wide + 3) + "".join(f"{number:4}" for number, _ in enumerate(named, 1)) + "   all"]
    for number, room in enumerate(named, 1):
        row = [count[room, other] for other in named]
        cells = "".join(f"{'-' if other == room else each or '.':>4}" for other, each in zip(named, row, strict=True))
        lines.append(f"{number:2} {room:{wide}}{cells}{sum(row):6}")
    every = [sum(count[other, room] for other in named) for room in named]
    lines.append(f"   {'all':{wide}}" + "".join(f"{each:4}" for each in every) + f"{sum(every):6}")
    return lines


def _room(package: str, module: str) -> str:
    """The room that a module is in; empty if in none."""
    inside = module.removeprefix(package + ".")
    return "" if inside == module else inside.partition(".")[0]
