"""The attacks themselves are tests of the suite; here: that each that the catalogue names is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.attack.catalogue import ATTACKS

ROOT = Path(__file__).parents[2]


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("test", sorted({test for attack in ATTACKS for test in attack.tests}))
def test_an_attack_is_a_test_that_there_is(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in named_in(path)


def test_the_first_row_names_its_promise() -> None:
    assert ATTACKS[0].promise
