"""A device class is found by what its own module declares, and by nothing else."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from pitwatch.devices import registry
from tests.copied_tree import copy_of, python

CLASS = '''"""A shoe of another make."""

from pitwatch.devices.card_line_readers import CardLineShoe

DEVICES = {"shoe.other_make": "OtherShoe"}


class OtherShoe(CardLineShoe):
    """A shoe."""
'''
FIND = """
import sys
from pitwatch.devices import registry
if len(sys.argv) == 1:
    print(len(registry.classes()))
else:
    print(registry.find(*sys.argv[1:]).__name__, registry.protocols(sys.argv[1]))
    print(sorted(each for each in sys.modules if each.endswith(("_shoe", "_wheel"))))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_of(tmp_path / "tree", "hal", "devices")


def test_every_class_says_the_type_it_is_declared_for() -> None:
    assert {(kind, registry.find(kind, protocol).TYPE) for kind, protocol in registry.classes()} == {
        (kind, kind) for kind in registry.TYPES
    }


def test_every_class_of_a_type_is_declared() -> None:
    """One whose module forgets it would never be found."""
    declared = set(registry.classes().values())
    for file in Path(registry.__file__).parent.glob("*.py"):
        module = import_module(f"pitwatch.devices.{file.stem}")
        for name, each in vars(module).items():
            if isinstance(each, type) and each.__module__ == module.__name__ and getattr(each, "TYPE", ""):
                assert (module.__name__, name) in declared


def test_a_module_that_is_added_is_found_and_only_it_is_imported(tree: Path) -> None:
    assert python(tree, "-c", FIND, "shoe", "other_make").stderr.splitlines()[-1].startswith("KeyError")
    (tree / "pitwatch" / "devices" / "other_shoe.py").write_text(CLASS)
    answer = python(tree, "-c", FIND, "shoe", "other_make")
    assert answer.stdout.splitlines() == [
        "OtherShoe ['angel_eye', 'card_lines', 'other_make', 'ndjson']",
        "['pitwatch.devices.other_shoe']",
    ]


@pytest.mark.parametrize(
    ("declares", "told"),
    [
        ('{"shoe.angel_eye": "OtherShoe"}', "other_shoe: DEVICES: shoe.angel_eye is that of"),
        ('{"show.other_make": "OtherShoe"}', "other_shoe: DEVICES: show.other_make is no TYPE.PROTOCOL"),
        ("{'shoe.other_make': 'OtherShoe'}", "other_shoe.py: DEVICES is not one line in JSON's notation"),
    ],
)
def test_a_declaration_that_is_wrong_is_told_with_its_module(tree: Path, declares: str, told: str) -> None:
    text = CLASS.replace('{"shoe.other_make": "OtherShoe"}', declares)
    (tree / "pitwatch" / "devices" / "other_shoe.py").write_text(text)
    assert told in python(tree, "-c", FIND).stderr.splitlines()[-1]
