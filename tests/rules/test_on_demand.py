"""A table's game costs what it needs: its own files are read and its own family's code is loaded, nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pitwatch.rules.book import BOOKS, books, games, load_game
from pitwatch.rules.engine.registry import families, watching

LOAD = """
import json, os, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from pitwatch.rules.book import load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.table import TableFacts
Engine(load_game(sys.argv[1]), TableFacts())
print(json.dumps([[os.path.realpath(each) for each in opened if each.endswith((".toml", ".csv"))], list(sys.modules)]))
"""


def one_of_each_family() -> dict[str, str]:
    """Family to a game of it."""
    found = {}
    for folder in books():
        for game in games(folder):
            found.setdefault(load_game(f"{folder.name}/{game}").family, f"{folder.name}/{game}")
    return found


FAMILIES = one_of_each_family()


@pytest.mark.parametrize("game", [*FAMILIES.values(), "toledo-2019/blackjack"])
def test_only_what_the_game_needs_is_read(game: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", LOAD, game], cwd=BOOKS.parents[1], capture_output=True, text=True, check=True
    )
    opened, modules = json.loads(answer.stdout)
    loaded = load_game(game)
    own = {str((BOOKS / loaded.book / name).resolve()) for name in loaded.files}
    editions = {str((BOOKS / loaded.book / name).resolve()) for name in ("book.toml", "lines.csv")}
    assert set(opened) <= own | editions
    others = {path.partition(":")[0] for family, path in families().items() if family != loaded.family}
    needed = {path.partition(":")[0] for path in (families()[loaded.family], *watching())}
    assert needed <= set(modules)
    assert not (others - needed) & set(modules)
    assert not {"pitwatch.rules.book.bookcheck", "pitwatch.rules.book.bookwords"} & set(modules)
