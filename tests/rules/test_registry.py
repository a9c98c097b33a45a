"""Families and watchers are found by what their own modules declare, and by nothing else."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from pitwatch.rules import games, watchers
from pitwatch.rules.desk.part import Part
from pitwatch.rules.engine import registry
from tests.copied_tree import copy_of, python

FAMILY = '''"""Big six."""

from pitwatch.rules.games.roulette import Roulette

FAMILIES = {"big-six": "BigSix"}


class BigSix(Roulette):
    """A wheel of another kind."""
'''
WATCHER = '''"""Something else that is watched."""

from pitwatch.rules.desk.part import Part

WATCHER = {"turn": 45, "class": "Light"}
RULES = ("light-went-out",)


class Light(Part):
    """The light above the table."""
'''
SHOW = """
import sys
from pitwatch.rules.engine.registry import class_of, families, watched_rules, watching
print(*families())
print(*(path.rpartition(":")[2] for path in watching()))
print("light-went-out" in watched_rules(), class_of(families()["big-six"]).__name__)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of(tmp_path / "tree", "hal", "devices", "rules")


def test_watchers_see_an_observation_in_this_order() -> None:
    """The order of the records of one observation, which a replay must give again."""
    assert [path.rpartition(":")[2] for path in registry.watching()] == [
        "Reports", "Conditions", "Equipment", "Shuffler", "DeckIntegrity", "SwappedCard", "Progressive",
        "CutCard", "Relief", "Bank", "Fairness", "Pace",
    ]  # fmt: skip


def test_every_watcher_is_declared() -> None:
    """One whose module forgets it would never watch."""
    modules = [
        import_module(f"{watchers.__name__}.{file.stem}") for file in Path(watchers.__path__[0]).glob("[!_]*.py")
    ]
    found = {
        f"{module.__name__}:{name}"
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, type) and issubclass(each, Part) and each.__module__ == module.__name__
    }
    assert found == set(registry.watching())


def test_every_module_of_games_that_opens_rounds_is_declared() -> None:
    declared = {path.partition(":")[0] for path in registry.families().values()}
    procedures = {
        f"{games.__name__}.{file.parent.name}.procedure" for file in Path(games.__path__[0]).rglob("procedure.py")
    }
    assert procedures <= declared
    assert all(issubclass(registry.class_of(path), Part) for path in registry.families().values())


def test_a_family_and_a_watcher_that_are_added_are_found(tree: Path) -> None:
    (tree / "pitwatch" / "rules" / "games" / "big_six.py").write_text(FAMILY)
    (tree / "pitwatch" / "rules" / "watchers" / "light.py").write_text(WATCHER)
    families, names, rest = python(tree, "-c", SHOW).stdout.splitlines()
    assert families.split() == sorted([*registry.families(), "big-six"])
    assert names.split()[4:6] == ["Light", "DeckIntegrity"]
    assert rest == "True BigSix"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("games/shaking.py", FAMILY.replace("big-six", "craps"), "FAMILIES: craps is that of pitwatch.rules.games"),
        ("watchers/light.py", WATCHER.replace("45", "40"), "WATCHER: turn 40 is that of pitwatch.rules.watchers"),
    ],
)  # fmt: skip
def test_two_of_one_name_or_turn_are_told_with_both_modules(tree: Path, file: str, text: str, told: str) -> None:
    (tree / "pitwatch" / "rules" / file).write_text(text)
    assert told in python(tree, "-c", SHOW).stderr.splitlines()[-1]
